// The lock is one of a file that is removed with it (file_lock.hpp).

#include "folder_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "base/format.hpp"
#include "file_lock.hpp"
#include "path_status.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_not_written(const fs::path& subject, int reason) {
  throw Error(ErrorKind::system,
              format("cannot write into '{}': {}", subject.string(), std::strerror(reason)));
}

/// False: another process has the lock. Where the file system has no locks the run goes on without.
bool take_lock(const FileDescriptor& file) { return lock_now(file) || errno != EWOULDBLOCK; }

}  // namespace

FolderLock::FolderLock(const fs::path& folder, std::string_view part)
    : FolderLock(Place{folder / (part.empty() ? ".lock" : format(".lock-{}", part)), folder,
                       "a separate folder"}) {}

FolderLock FolderLock::of_file(const fs::path& file) {
  const std::string name = format(".{}.lock", file.filename().string());
  return FolderLock(Place{file.parent_path() / name, file, "another name"});
}

FolderLock::FolderLock(Place place) : lock_file_(std::move(place.lock_file)) {
  if (lock_file_.has_parent_path()) make_folders(lock_file_.parent_path());
  // A process that was killed while it started another leaves the lock with that for a moment.
  constexpr int tries = 25;
  constexpr auto pause = std::chrono::milliseconds(20);
  constexpr mode_t for_all = 0666;
  for (int tried = 1; !file_; ++tried) {
    FileDescriptor opened(
        ::open(lock_file_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, for_all));
    if (!opened) throw_not_written(place.subject, errno);
    if (take_lock(opened)) {
      if (is_name_of(lock_file_, opened)) {
        file_ = std::move(opened);
        break;
      }
      if (errno != ENOENT) throw_not_written(place.subject, errno);
    }
    if (tried == tries) {
      throw Error(ErrorKind::input, format("'{}' is in use by another run", place.subject.string()),
                  format("wait for it, or give this one {}", place.instead));
    }
    std::this_thread::sleep_for(pause);
  }
  // Tells a folder that takes files from one on a full disk, before anything runs.
  const std::string owner = format("{}\n", ::getpid());
  if (::ftruncate(file_.number(), 0) == 0 && write_all(file_, owner)) return;
  const int reason = errno;
  ::unlink(lock_file_.c_str());
  throw_not_written(place.subject, reason);
}

std::vector<std::string> FolderLock::parts_in_use(const fs::path& folder) {
  constexpr std::string_view begin = ".lock-";
  std::vector<std::string> parts;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(begin)) continue;
    const FileDescriptor file(::open(entry.path().c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
    if (file && !lock_now(file) && errno == EWOULDBLOCK) parts.push_back(name.substr(begin.size()));
  }
  return parts;
}

FolderLock::~FolderLock() {
  if (file_) ::unlink(lock_file_.c_str());
}

}  // namespace rooflab
