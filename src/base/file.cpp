#include "rooflab/base/file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab {
namespace {

[[noreturn]] void throw_io(const std::filesystem::path& path, std::string_view what,
                           std::string_view reason) {
  const ErrorKind kind = what == "write" ? ErrorKind::system : ErrorKind::input;
  throw Error(kind, format("cannot {} '{}': {}", what, path.string(), reason));
}

}  // namespace

std::ifstream open_to_read(const std::filesystem::path& path) {
  std::error_code status;
  if (std::filesystem::is_directory(path, status)) throw_io(path, "read", "it is a directory");
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw_io(path, "read", std::strerror(errno));
  return stream;
}

std::string read_file(const std::filesystem::path& path) {
  const std::ifstream stream = open_to_read(path);
  std::ostringstream content;
  content << stream.rdbuf();
  if (stream.bad()) throw_io(path, "read", std::strerror(errno));
  return std::move(content).str();
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  write_file_atomically(path, [&](std::ostream& stream) {
    stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  });
}

void write_file_atomically(const std::filesystem::path& path,
                           const std::function<void(std::ostream& stream)>& write) {
  std::error_code status;
  if (std::filesystem::is_directory(path, status)) throw_io(path, "write", "it is a directory");
  // A character device or pipe (/dev/stdout) cannot be replaced by renaming.
  const bool special =
      std::filesystem::exists(path, status) && !std::filesystem::is_regular_file(path, status);
  const std::filesystem::path target =
      special ? path : std::filesystem::path(format("{}.{}.part", path.string(), ::getpid()));
  errno = 0;
  std::ofstream stream(target, std::ios::binary);
  if (!stream) throw_io(path, "write", std::strerror(errno));
  try {
    write(stream);
  } catch (...) {
    stream.close();
    if (!special) std::filesystem::remove(target, status);
    throw;
  }
  stream.close();
  if (!stream) {
    const std::string reason = std::strerror(errno);
    if (!special) std::filesystem::remove(target, status);
    throw_io(path, "write", reason);
  }
  if (special) return;
  std::filesystem::rename(target, path, status);
  if (status) {
    std::error_code ignored;
    std::filesystem::remove(target, ignored);
    throw_io(path, "write", status.message());
  }
}

}  // namespace rooflab
