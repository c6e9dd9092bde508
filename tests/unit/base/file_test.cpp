#include "rooflab/base/file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "full_disk.hpp"
#include "rooflab/base/error.hpp"
#include "thrown_error.hpp"

namespace rooflab {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A folder of its own for each test, gone afterwards.
class File : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "rooflab-file-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
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

TEST_F(File, WritesToADevice) {
  EXPECT_NO_THROW(write_file_atomically("/dev/null", "gone"));
  EXPECT_FALSE(fs::is_regular_file("/dev/null"));
}

}  // namespace
}  // namespace rooflab
