#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <system_error>

#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab {

void check_writable(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  const auto fail = [&path](std::string_view reason) {
    throw Error(ErrorKind::system, format("cannot write '{}': {}", path.string(), reason));
  };
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) fail("it is a directory");
  // A device or a pipe is written as it is, other files are replaced by a new neighbour.
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    if (::access(path.c_str(), W_OK) != 0) fail(std::strerror(errno));
    return;
  }
  constexpr std::string_view part = ".part";
  std::string neighbour = format("{}.XXXXXX{}", path.string(), part);
  const int file = ::mkstemps(neighbour.data(), static_cast<int>(part.size()));
  if (file < 0) fail(std::strerror(errno));
  errno = ENOSPC;  // of a write that takes less than all
  const bool takes_bytes = ::write(file, part.data(), part.size()) == std::ssize(part);
  const int reason = errno;
  ::close(file);
  ::unlink(neighbour.c_str());
  if (!takes_bytes) fail(std::strerror(reason));
}

}  // namespace rooflab
