#include "system/folder_lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <optional>

#include "../base/full_disk.hpp"
#include "../base/thrown_error.hpp"
#include "rooflab/system/file.hpp"
#include "system/temporary_folder.hpp"

namespace {

bool system_has_locks = true;

}  // namespace

/// In place of the system's, in this test program alone.
extern "C" int flock(int file, int operation) noexcept {
  if (system_has_locks) return static_cast<int>(::syscall(SYS_flock, file, operation));
  errno = ENOLCK;
  return -1;
}

namespace rooflab {
namespace {

namespace fs = std::filesystem;

class FolderLockTest : public testing::Test {
 protected:
  [[nodiscard]] fs::path folder() const { return temporary_.file("a/results"); }

  static std::ptrdiff_t entries(const fs::path& path) {
    return std::distance(fs::directory_iterator(path), fs::directory_iterator());
  }

  TemporaryFolder temporary_{"folder-lock-test"};
};

TEST_F(FolderLockTest, MakesTheFolderAndLeavesNothingInIt) {
  {
    const FolderLock lock(folder());
    EXPECT_EQ(entries(folder()), 1);
  }
  EXPECT_EQ(entries(folder()), 0);
}

TEST_F(FolderLockTest, IsOneRunsAtATime) {
  std::optional<FolderLock> first(folder());
  const Error error = thrown_error(ErrorKind::input, [this] { return FolderLock(folder()); });
  EXPECT_EQ(error.full_message(), "'" + folder().string() + "' is in use by another run");
  EXPECT_EQ(error.hint(), "wait for it, or give this one a separate folder");
  EXPECT_EQ(entries(folder()), 1);
  first.reset();
  EXPECT_NO_THROW(FolderLock{folder()});
}

TEST_F(FolderLockTest, WhereTheFileSystemHasNoLocksRunsGoOnWithout) {
  system_has_locks = false;
  {
    const FolderLock first(folder());
    EXPECT_NO_THROW(FolderLock{folder()});
    EXPECT_THAT(FolderLock::parts_in_use(folder()), testing::IsEmpty());
  }
  EXPECT_EQ(entries(folder()), 0);
  system_has_locks = true;
}

TEST_F(FolderLockTest, OfPartsDoNotExcludeEachOther) {
  const FolderLock first(folder(), "1-of-2");
  EXPECT_NO_THROW(FolderLock(folder(), "2-of-2"));
  thrown_error(ErrorKind::input, [this] { return FolderLock(folder(), "1-of-2"); });
}

TEST_F(FolderLockTest, TellsWhichPartsAreInUse) {
  const FolderLock first(folder(), "1-of-2");
  write_file_atomically(folder() / ".lock-2-of-2", "of a killed run");
  EXPECT_THAT(FolderLock::parts_in_use(folder()), testing::ElementsAre("1-of-2"));
}

TEST_F(FolderLockTest, OfAFileNamesIt) {
  fs::create_directories(folder());
  const FolderLock first = FolderLock::of_file(folder() / "x.toml");
  EXPECT_NO_THROW(FolderLock::of_file(folder() / "y.toml"));
  EXPECT_EQ(
      thrown_message(ErrorKind::input, [this] { return FolderLock::of_file(folder() / "x.toml"); }),
      "'" + (folder() / "x.toml").string() + "' is in use by another run");
}

TEST_F(FolderLockTest, OfAKilledProcessIsFree) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const FolderLock lock(folder());
    if (::write(ready[1], "x", 1) == 1) ::pause();
    ::_exit(1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  thrown_error(ErrorKind::input, [this] { return FolderLock(folder()); });
  ::kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(entries(folder()), 1);  // the file stays and locks nothing
  EXPECT_NO_THROW(FolderLock{folder()});
  EXPECT_EQ(entries(folder()), 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(FolderLockTest, WhereNothingCanBeWrittenIsAnError) {
  const fs::path file = temporary_.file("file");
  write_file_atomically(file, "a");
  EXPECT_EQ(thrown_message(ErrorKind::system, [&] { return FolderLock(file / "x"); }),
            "cannot make the folder '" + (file / "x").string() + "': Not a directory");
  EXPECT_EQ(thrown_message(ErrorKind::system, [&] { return FolderLock("/proc"); }),
            "cannot write into '/proc': No such file or directory");
  const FullDisk full;
  EXPECT_EQ(thrown_message(ErrorKind::system, [this] { return FolderLock(folder()); }),
            "cannot write into '" + folder().string() + "': File too large");
  EXPECT_EQ(entries(folder()), 0);
}

}  // namespace
}  // namespace rooflab
