#include "rooflab/system/file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <ostream>
#include <stdexcept>

#include "../base/full_disk.hpp"
#include "../base/thrown_error.hpp"
#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "system/machine_tag.hpp"

namespace rooflab {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A separate folder for each test, gone afterwards.
class File : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "test-of-file-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  /// Where a writer of this machine writes before the file gets its name.
  [[nodiscard]] fs::path part_of(std::string_view name) const {
    return folder_ / format("{}.{}.rooflab.part", name, machine_tag());
  }

  fs::path folder_;
};

TEST_F(File, ReadsBackEveryByte) {
  const std::string content("a\0b\r\n\xff", 6);
  write_file_atomically(folder_ / "x", content);
  EXPECT_EQ(read_file(folder_ / "x"), content);
  write_file_atomically(folder_ / "empty", "");
  EXPECT_EQ(read_file(folder_ / "empty"), "");
}

TEST_F(File, ReplacesAndLeavesNothingBeside) {
  write_file_atomically(folder_ / "x", "a long first version");
  write_file_atomically(folder_ / "x", "short");
  EXPECT_EQ(read_file(folder_ / "x"), "short");
  EXPECT_EQ(entries(), 1U);
}

// As long as a writer lives, another one takes another name; what it left when it was killed goes.
TEST_F(File, WhatAKilledWriterLeftGoesWithTheNext) {
  const fs::path part = part_of("x");
  write_file_atomically(folder_ / "x", [&](std::ostream& stream) {
    stream << "outer";
    write_file_atomically(folder_ / "x", "inner");
    EXPECT_TRUE(fs::exists(part));
  });
  EXPECT_EQ(read_file(folder_ / "x"), "outer");
  EXPECT_EQ(entries(), 1U);

  std::ofstream(part) << "hal";
  write_file_atomically(folder_ / "x", "whole");
  EXPECT_EQ(read_file(folder_ / "x"), "whole");
  EXPECT_EQ(entries(), 1U);
}

// A link to another's file, and a folder, are not followed, written or removed.
TEST_F(File, WhatIsNoWritersFileStaysBeside) {
  std::ofstream(folder_ / "victim") << "mine";
  fs::create_symlink("victim", part_of("x"));
  fs::create_directory(part_of("y"));
  write_file_atomically(folder_ / "x", "a");
  write_file_atomically(folder_ / "y", "b");
  EXPECT_EQ(read_file(folder_ / "x") + read_file(folder_ / "y"), "ab");
  EXPECT_EQ(read_file(folder_ / "victim"), "mine");
  EXPECT_TRUE(fs::is_symlink(part_of("x")));
  EXPECT_EQ(entries(), 5U);
}

TEST_F(File, MissingFileAndFolder) {
  EXPECT_THAT(thrown_message(ErrorKind::input, [&] { (void)read_file(folder_ / "none"); }),
              testing::AllOf(HasSubstr("none"), HasSubstr("No such file")));
  EXPECT_THAT(
      thrown_message(ErrorKind::system, [&] { write_file_atomically(folder_ / "no" / "x", "a"); }),
      HasSubstr("cannot write"));
  EXPECT_EQ(entries(), 0U);
}

TEST_F(File, AFolderIsNoFile) {
  EXPECT_THAT(thrown_message(ErrorKind::input, [&] { (void)read_file(folder_); }),
              HasSubstr("it is a directory"));
  EXPECT_THAT(thrown_message(ErrorKind::system, [&] { write_file_atomically(folder_, "a"); }),
              HasSubstr("it is a directory"));
}

TEST_F(File, IsCheckedBeforeItIsWritten) {
  write_file_atomically(folder_ / "x", "a");
  EXPECT_NO_THROW(check_writable(folder_ / "x"));
  EXPECT_NO_THROW(check_writable(folder_ / "new"));
  EXPECT_NO_THROW(check_writable("/dev/null"));
  EXPECT_EQ(read_file(folder_ / "x"), "a");
  EXPECT_EQ(entries(), 1U);
  EXPECT_THAT(thrown_message(ErrorKind::system, [&] { check_writable(folder_ / "no" / "x"); }),
              HasSubstr("cannot write"));
  EXPECT_THAT(thrown_message(ErrorKind::system, [&] { check_writable(folder_); }),
              HasSubstr("it is a directory"));
  const FullDisk full;
  EXPECT_THAT(thrown_message(ErrorKind::system, [&] { check_writable(folder_ / "new"); }),
              HasSubstr("File too large"));
  EXPECT_EQ(entries(), 1U);
}

// No page lies at address 0, so that the system answers EIO: it was taken for an empty file.
TEST_F(File, AReadErrorIsNotTheEndOfTheFile) {
  EXPECT_EQ(thrown_message(ErrorKind::input, [] { (void)read_file("/proc/self/mem"); }),
            "cannot read '/proc/self/mem': Input/output error");
  EXPECT_EQ(read_file_if_possible("/proc/self/mem"), std::nullopt);
  EXPECT_EQ(read_file_if_possible(folder_ / "none"), std::nullopt);
}

TEST_F(File, OnlyRegularFilesAreRead) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", folder_ / "zero");
  for (const char* const name : {"pipe", "zero"}) {
    EXPECT_EQ(thrown_message(ErrorKind::input, [&] { (void)read_file(folder_ / name); }),
              format("cannot read '{}': it is not a regular file", (folder_ / name).string()));
  }
  write_file_atomically(folder_ / "x", "content");
  fs::create_symlink("x", folder_ / "link");
  EXPECT_EQ(read_file(folder_ / "link"), "content");
}

TEST_F(File, ALargeFileIsRefusedBeforeItIsRead) {
  write_file_atomically(folder_ / "x", std::string(1U << 20U, 'x'));
  EXPECT_EQ(read_file(folder_ / "x", 1U << 20U).size(), 1U << 20U);
  EXPECT_THAT(
      thrown_message(ErrorKind::input, [&] { (void)read_file(folder_ / "x", (1U << 20U) - 1); }),
      HasSubstr("is larger than the limit"));
  fs::resize_file(folder_ / "x", largest_whole_file + 1);  // a hole, which takes no room
  EXPECT_THAT(thrown_message(ErrorKind::input, [&] { (void)read_file(folder_ / "x"); }),
              HasSubstr("it is larger than the limit of 4096 MiB"));
}

TEST_F(File, HasTheRightsOfAnyNewFile) {
  const mode_t before = ::umask(027);
  write_file_atomically(folder_ / "x", "a");
  ::umask(before);
  struct stat status {};
  ASSERT_EQ(::stat((folder_ / "x").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST_F(File, ALinkIsReplacedAndItsTargetStays) {
  write_file_atomically(folder_ / "target", "old");
  fs::create_symlink("target", folder_ / "link");
  write_file_atomically(folder_ / "link", "new");
  EXPECT_EQ(read_file(folder_ / "target"), "old");
  EXPECT_EQ(read_file(folder_ / "link"), "new");
  EXPECT_FALSE(fs::is_symlink(folder_ / "link"));
}

// Processes of two containers can have one number: a name made of it was opened by both.
TEST_F(File, TwoWritersOfOneFileDoNotMix) {
  write_file_atomically(folder_ / "x", [&](std::ostream& outer) {
    outer << "outer " << std::flush;
    write_file_atomically(folder_ / "x", "inner");
    EXPECT_EQ(read_file(folder_ / "x"), "inner");
    outer << "version";
  });
  EXPECT_EQ(read_file(folder_ / "x"), "outer version");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(File, LongNamesHaveNeighbours) {
  const fs::path file = folder_ / std::string(255, 'n');
  write_file_atomically(file, "content");
  EXPECT_EQ(read_file(file), "content");
}

TEST_F(File, AFailedWriterLeavesTheOldFileAlone) {
  write_file_atomically(folder_ / "x", "old");
  const auto give_up = [](std::ostream& stream) {
    stream << "half" << std::flush;
    throw std::runtime_error("no more");
  };
  EXPECT_THROW(write_file_atomically(folder_ / "x", give_up), std::runtime_error);
  EXPECT_EQ(read_file(folder_ / "x"), "old");
  EXPECT_EQ(entries(), 1U);
}

// Whether it fails at once or in the end, and whatever the writer makes of it.
TEST_F(File, AFullDiskIsAnErrorInTheWordsOfTheSystem) {
  const auto full = [](const auto& content) {
    return thrown_message(ErrorKind::system, [&] { write_file_atomically("/dev/full", content); });
  };
  const std::string message = "cannot write '/dev/full': No space left on device";
  EXPECT_EQ(full("x"), message);
  EXPECT_EQ(full(std::string(1U << 20U, 'x')), message);
  EXPECT_EQ(full([](std::ostream& stream) {
              if (!(stream << 'x' << std::flush)) throw std::logic_error("of the writer");
            }),
            message);
}

// /dev/stdout and /dev/fd/1 are such names: a renamed file would replace the system's link.
TEST_F(File, AnOpenFileIsWrittenWhereItIs) {
  write_file_atomically(folder_ / "x", "before ");
  const int file = ::open((folder_ / "x").c_str(), O_WRONLY);
  ASSERT_EQ(::lseek(file, 0, SEEK_END), 7);
  ASSERT_GE(file, 0);
  fs::create_symlink(format("/proc/self/fd/{}", file), folder_ / "stdout");
  write_file_atomically(format("/dev/fd/{}", file), "one ");
  write_file_atomically(folder_ / "stdout", "two");
  // The next writer goes on behind that, not over it.
  ASSERT_EQ(::write(file, " three", 6), 6);
  ::close(file);
  EXPECT_EQ(read_file(folder_ / "x"), "before one two three");
  EXPECT_TRUE(fs::is_symlink(folder_ / "stdout"));
}

TEST_F(File, WritesToADevice) {
  EXPECT_NO_THROW(write_file_atomically("/dev/null", "gone"));
  EXPECT_FALSE(fs::is_regular_file("/dev/null"));
}

}  // namespace
}  // namespace rooflab
