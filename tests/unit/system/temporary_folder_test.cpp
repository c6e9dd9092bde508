#include "system/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "../base/environment_variable.hpp"
#include "../base/thrown_error.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"
#include "system/byte_source.hpp"
#include "system/machine_tag.hpp"

namespace rooflab {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, VanishesWithWhatIsInIt) {
  fs::path path;
  {
    const TemporaryFolder folder("test");
    path = folder.path();
    EXPECT_TRUE(path.filename().string().starts_with("rooflab-test-"));
    write_file_atomically(folder.file("a.txt"), "text");
    EXPECT_TRUE(fs::exists(path / "a.txt"));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, StaysWhenKept) {
  fs::path path;
  {
    TemporaryFolder folder("test");
    folder.keep();
    path = folder.path();
  }
  EXPECT_TRUE(fs::is_directory(path));
  fs::remove_all(path);
}

/// A folder whose process was killed; `place` is where it lies.
fs::path abandoned(const fs::path& place) {
  const EnvironmentVariable here("TMPDIR", place.string());
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const TemporaryFolder folder("test");
    const std::string path = folder.path().string();
    write_file_atomically(folder.file("a.txt"), "text");
    ::_exit(::write(ends[1], path.data(), path.size()) > 0 ? 0 : 1);
  }
  ::close(ends[1]);
  std::array<char, 4096> path{};
  EXPECT_GT(::read(ends[0], path.data(), path.size() - 1), 0);
  ::close(ends[0]);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  return path.data();
}

TEST(TemporaryFolder, OnlyWhatKilledProcessesLeftIsRemoved) {
  const TemporaryFolder place("place");
  const fs::path dead = abandoned(place.path());
  EXPECT_TRUE(fs::exists(dead / "a.txt"));
  const EnvironmentVariable here("TMPDIR", place.path().string());
  const TemporaryFolder living("test");
  TemporaryFolder kept("test");
  write_file_atomically(kept.file("a.txt"), "for the user");
  kept.keep();
  const fs::path without_lock = place.file("rooflab-test-abcdef");
  fs::create_directories(without_lock);
  write_file_atomically(without_lock / "a.txt", "of the user");
  const fs::path empty = place.file("rooflab-test-ghijkl");  // killed before there was a lock
  fs::create_directories(empty);
  const fs::path of_user = place.file("rooflab-results");
  fs::create_directories(of_user);
  const std::string lock = ".in-use-" + machine_tag();
  const fs::path elsewhere = place.file("rooflab-test-mnopqr");  // of a process of another machine
  fs::create_directories(elsewhere);
  write_file_atomically(elsewhere / ".in-use-0", "");
  const fs::path of_others = place.file("test-abcdef");
  fs::create_directories(of_others);
  write_file_atomically(of_others / lock, "");
  const fs::path link = place.file("rooflab-test-link");
  fs::create_directory_symlink(of_others, link);

  remove_abandoned_folders(place.path());
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(living.path()));
  EXPECT_TRUE(fs::exists(kept.path()));
  EXPECT_TRUE(fs::exists(without_lock));
  EXPECT_FALSE(fs::exists(empty));
  EXPECT_TRUE(fs::exists(of_user));
  EXPECT_TRUE(fs::exists(elsewhere));
  EXPECT_TRUE(fs::exists(of_others / lock));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_NO_THROW(remove_abandoned_folders("/nonexistent"));
}

TEST(TemporaryFolder, IsForItsUserAlone) {
  const TemporaryFolder folder("test");
  EXPECT_EQ(fs::status(folder.path()).permissions(), fs::perms::owner_all);
}

TEST(TemporaryFolder, AWrongPlaceIsNamedByItsVariable) {
  const EnvironmentVariable nowhere("TMPDIR", "/nonexistent");
  const Error error =
      thrown_error(ErrorKind::capability, [] { return TemporaryFolder("test").path(); });
  EXPECT_STREQ(error.what(), "TMPDIR is '/nonexistent', which is not a folder");
  EXPECT_EQ(error.hint(), "set TMPDIR to a folder for temporary files, or unset it");
}

TEST(TemporaryFolder, AFileWithoutANameLeavesNothing) {
  const TemporaryFolder place("place");
  const EnvironmentVariable here("TMPDIR", place.path().string());
  FileDescriptor file = unnamed_file();
  ASSERT_TRUE(write_all(file, "content"));
  const fs::directory_iterator entries(place.path());
  EXPECT_TRUE(entries->path().filename().string().starts_with(".in-use-"));  // of the place
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
  EXPECT_EQ(ByteSource(std::move(file), "table", {}).take(100), "content");
}

TEST(TemporaryFolder, TwoAreNotOne) {
  EXPECT_NE(TemporaryFolder("test").path(), TemporaryFolder("test").path());
}

}  // namespace
}  // namespace rooflab
