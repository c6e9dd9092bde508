#include "file_lock.hpp"

#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

namespace rooflab {

bool lock_now(const FileDescriptor& file) {
  int status = 0;
  do {
    status = ::flock(file.number(), LOCK_EX | LOCK_NB);
  } while (status != 0 && errno == EINTR);
  return status == 0;
}

bool is_name_of(const std::filesystem::path& path, const FileDescriptor& file) {
  struct stat named {};
  struct stat there {};
  if (::lstat(path.c_str(), &named) != 0 || ::fstat(file.number(), &there) != 0) return false;
  if (named.st_dev == there.st_dev && named.st_ino == there.st_ino) return true;
  errno = ENOENT;
  return false;
}

}  // namespace rooflab
