// A folder that a killed process left is told from one in use by a lock, not by a process's number:
// containers that share a place for temporary files have the same numbers. The lock lies in the
// folder and the kernel frees it with its process. It is the first thing there and the last that is
// removed, so a folder without one is empty, or was made by something else.

#include "temporary_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "base/format.hpp"
#include "file_lock.hpp"
#include "machine_tag.hpp"
#include "path_status.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view name_begin = "rooflab-";
/// Not what locks a folder of runs, which it can be, and another for each machine.
const std::string& lock_name() {
  static const std::string name = format(".in-use-{}", machine_tag());
  return name;
}

[[noreturn]] void fail_to_make_in(const fs::path& place, int error) {
  throw Error(ErrorKind::system,
              format("cannot make a folder in '{}': {}", place.string(), std::strerror(error)),
              "set TMPDIR to a folder that can be written");
}

/// Removes the folder, its lock last.
void remove_with_lock(const fs::path& folder) {
  std::error_code ignored;
  bool is_empty = true;
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    if (entry->path().filename() == lock_name()) continue;
    std::error_code kept;
    fs::remove_all(entry->path(), kept);
    is_empty = is_empty && !kept;
  }
  if (ignored || !is_empty) return;
  ::unlink((folder / lock_name()).c_str());
  ::rmdir(folder.c_str());
}

/// Locks a new folder. `lock` stays empty where the place has no locks: then nothing tells that the
/// folder is abandoned, and it stays. False: another process has taken it for abandoned just now.
bool take_lock(const fs::path& folder, FileDescriptor& lock) {
  const fs::path path = folder / lock_name();
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) {
    if (errno == ENOENT) return false;
    const int reason = errno;
    ::rmdir(folder.c_str());
    fail_to_make_in(folder.parent_path(), reason);
  }
  if (!lock_now(file)) return errno != EWOULDBLOCK;
  lock = std::move(file);
  return is_name_of(path, lock) || errno != ENOENT;
}

bool is_own_folder(const FileDescriptor& folder) {
  struct stat status {};
  return ::fstat(folder.number(), &status) == 0 && status.st_uid == ::geteuid();
}

/// Deletes a folder if its lock is free, or if it is empty: its process had not come further.
void remove_if_abandoned(const fs::path& path) {
  const FileDescriptor folder(
      ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder || !is_own_folder(folder)) return;
  const FileDescriptor file(
      ::openat(folder.number(), lock_name().c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file && errno == ENOENT) ::rmdir(path.c_str());
  if (file && lock_now(file) && is_name_of(path / lock_name(), file)) remove_with_lock(path);
}

/// `rooflab-PURPOSE-XXXXXX`.
bool has_our_name(const fs::path& path) {
  constexpr std::size_t random_letters = 6;
  const std::string name = path.filename().string();
  const std::size_t end = name.rfind('-');
  return name.starts_with(name_begin) && end >= name_begin.size() &&
         name.size() - end - 1 == random_letters;
}

}  // namespace

fs::path temporary_place() {
  // In the order of std::filesystem::temp_directory_path(), which does not say whose fault it is.
  for (const char* const name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
    const char* const place = std::getenv(name);
    if (place == nullptr || *place == 0) continue;
    if (is_folder(place)) return place;
    throw Error(ErrorKind::capability, format("{} is '{}', which is not a folder", name, place),
                format("set {} to a folder for temporary files, or unset it", name));
  }
  return "/tmp";
}

void remove_abandoned_folders(const fs::path& place) {
  std::error_code status;
  for (fs::directory_iterator entry(place, status), end; !status && entry != end;
       entry.increment(status)) {
    if (has_our_name(entry->path())) remove_if_abandoned(entry->path());
  }
}

void remove_abandoned_folders() {
  static std::once_flag first;
  std::call_once(first, [] {
    try {
      remove_abandoned_folders(temporary_place());
    } catch (const Error&) {  // whoever needs the place says so
    }
  });
}

TemporaryFolder::TemporaryFolder(std::string_view purpose) {
  const fs::path place = temporary_place();
  remove_abandoned_folders();
  constexpr int tries = 100;
  for (int tried = 1;; ++tried) {
    std::string name = (place / format("{}{}-XXXXXX", name_begin, purpose)).string();
    if (::mkdtemp(name.data()) == nullptr) fail_to_make_in(place, errno);
    path_ = name;
    if (take_lock(path_, lock_)) break;
    if (tried == tries) fail_to_make_in(place, errno);
  }
}

TemporaryFolder::~TemporaryFolder() {
  if (!kept_) remove_with_lock(path_);
}

void TemporaryFolder::keep() {
  kept_ = true;
  ::unlink(file(lock_name()).c_str());
}

FileDescriptor unnamed_file() {
  const TemporaryFolder folder("file");
  const fs::path path = folder.file("file");
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) fail_to_make_in(folder.path(), errno);
  return file;
}

}  // namespace rooflab
