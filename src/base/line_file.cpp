// The file is opened and closed for each line: some file systems say only when a file is closed
// that it could not be written.

#include "line_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab {
namespace {

/// Errors after the first failure of the system name the file.
class OpenFile {
 public:
  OpenFile(const std::filesystem::path& path, int flags) : path_(path) {
    constexpr int for_all_to_read = 0644;
    descriptor_ = ::open(path.c_str(), flags | O_CLOEXEC, for_all_to_read);
    if (descriptor_ < 0) fail();
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  [[nodiscard]] off_t size() const {
    struct stat about {};
    if (::fstat(descriptor_, &about) != 0) fail();
    return about.st_size;
  }

  /// The first `count` bytes at most: what is behind the last line feed of them.
  [[nodiscard]] off_t end_of_last_line(off_t count) const {
    std::array<char, 4096> buffer{};
    while (count > 0) {
      const off_t begin = std::max<off_t>(count - std::ssize(buffer), 0);
      const auto wanted = static_cast<std::size_t>(count - begin);
      const ssize_t got = ::pread(descriptor_, buffer.data(), wanted, begin);
      if (got < 0 && errno == EINTR) continue;
      if (got != static_cast<ssize_t>(wanted)) fail();
      const std::size_t found = std::string_view(buffer.data(), wanted).rfind('\n');
      if (found != std::string_view::npos) return begin + static_cast<off_t>(found) + 1;
      count = begin;
    }
    return 0;
  }

  void cut_to(off_t size) const {
    if (::ftruncate(descriptor_, size) != 0) fail();
  }

  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail();
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void close() {
    if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(ErrorKind::system,
                format("cannot write '{}': {}", path_.string(), std::strerror(errno)));
  }

  const std::filesystem::path& path_;
  int descriptor_ = -1;
};

}  // namespace

LineFile::LineFile(std::filesystem::path path) : path_(std::move(path)) {
  OpenFile file(path_, O_RDWR | O_CREAT);
  const off_t size = file.size();
  const off_t kept = file.end_of_last_line(size);
  if (kept < size) file.cut_to(kept);
  file.close();
}

void LineFile::append(std::string_view line) const {
  OpenFile file(path_, O_WRONLY | O_APPEND);
  const off_t before = file.size();
  try {
    file.write(format("{}\n", line));
  } catch (const Error&) {
    file.cut_to(before);
    throw;
  }
  file.close();
}

}  // namespace rooflab
