#include "file_descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace rooflab {

bool FileDescriptor::close() {
  if (number_ < 0) return true;
  // Linux has closed it even if a signal came.
  return ::close(std::exchange(number_, -1)) == 0 || errno == EINTR;
}

bool write_all(const FileDescriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string read_all_at(const FileDescriptor& file, std::int64_t place, std::span<char> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(file.number(), bytes.data(), bytes.size(), place);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::strerror(errno);
    if (got == 0) return "the file is shorter than expected";
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    place += got;
  }
  return {};
}

RegularFile open_regular_file(const std::filesystem::path& path) {
  const auto closed = [](std::string fault, std::string hint = {}) {
    return RegularFile{
        .file = FileDescriptor(), .size = 0, .fault = std::move(fault), .hint = std::move(hint)};
  };
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) return closed(std::strerror(errno));
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return closed(std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return closed("it is a directory");
  if (!S_ISREG(status.st_mode)) {
    return closed("it is not a regular file", "write the output of a pipe to a file first");
  }
  return {.file = std::move(file), .size = status.st_size, .fault = {}, .hint = {}};
}

}  // namespace rooflab
