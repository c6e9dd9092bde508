// A folder that a killed process left is told from one in use by a lock, not by a process's number:
// containers that share a place for temporary files have the same numbers. The lock lies in the
// folder and the kernel frees it with its process. A folder without one was made by something else.

#include "temporary_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view name_begin = "rooflab-";
constexpr const char* lock_name = ".in-use";  // not what locks a folder of runs, which it can be

[[noreturn]] void fail_to_make_in(const fs::path& place, int error) {
  throw Error(ErrorKind::system,
              format("cannot make a folder in '{}': {}", place.string(), std::strerror(error)),
              "set TMPDIR to a folder that can be written");
}

bool lock(const FileDescriptor& file, int how) {
  int status = 0;
  do {
    status = ::flock(file.number(), how);
  } while (status != 0 && errno == EINTR);
  return status == 0;
}

/// Whether the file still has a name.
bool exists(const FileDescriptor& file) {
  struct stat status {};
  return ::fstat(file.number(), &status) == 0 && status.st_nlink > 0;
}

/// The lock of a new folder. It is empty where the place has no locks: then nothing tells that the
/// folder is abandoned, and it stays.
FileDescriptor locked(const fs::path& folder) {
  const fs::path path = folder / lock_name;
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file && lock(file, LOCK_EX)) return file;
  ::unlink(path.c_str());
  return FileDescriptor();
}

bool is_own_folder(const FileDescriptor& folder) {
  struct stat status {};
  return ::fstat(folder.number(), &status) == 0 && status.st_uid == ::geteuid();
}

/// Deletes a folder if its lock is there and free.
void remove_if_abandoned(const fs::path& path) {
  const FileDescriptor folder(
      ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder || !is_own_folder(folder)) return;
  const FileDescriptor file(
      ::openat(folder.number(), lock_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  std::error_code ignored;
  if (file && lock(file, LOCK_EX | LOCK_NB) && exists(file)) fs::remove_all(path, ignored);
}

}  // namespace

fs::path temporary_place() {
  // In the order of std::filesystem::temp_directory_path(), which does not say whose fault it is.
  for (const char* const name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
    const char* const place = std::getenv(name);
    if (place == nullptr) continue;
    std::error_code status;
    if (fs::is_directory(place, status)) return place;
    throw Error(ErrorKind::capability, format("{} is '{}', which is not a folder", name, place),
                format("set {} to a folder for temporary files, or unset it", name));
  }
  return "/tmp";
}

void remove_abandoned_folders(const fs::path& place) {
  std::error_code status;
  for (fs::directory_iterator entry(place, status), end; !status && entry != end;
       entry.increment(status)) {
    if (entry->path().filename().string().starts_with(name_begin)) {
      remove_if_abandoned(entry->path());
    }
  }
}

TemporaryFolder::TemporaryFolder(std::string_view purpose) {
  const fs::path place = temporary_place();
  static std::once_flag first;
  std::call_once(first, remove_abandoned_folders, place);
  do {
    std::string name = (place / format("{}{}-XXXXXX", name_begin, purpose)).string();
    if (::mkdtemp(name.data()) == nullptr) fail_to_make_in(place, errno);
    path_ = name;
    lock_ = locked(path_);
    // Another process may have taken it for abandoned before it was locked.
  } while (lock_ && !exists(lock_));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!kept_) fs::remove_all(path_, ignored);
}

void TemporaryFolder::keep() {
  kept_ = true;
  ::unlink(file(lock_name).c_str());
}

FileDescriptor unnamed_file() {
  const TemporaryFolder folder("file");
  const fs::path path = folder.file("file");
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) fail_to_make_in(folder.path(), errno);
  return file;
}

}  // namespace rooflab
