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
#include <span>
#include <string>
#include <utility>

#include "base/format.hpp"
#include "file_descriptor.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab {
namespace {

/// Errors name the file.
class OpenLines {
 public:
  OpenLines(const std::filesystem::path& path, int flags)
      : path_(path), file_(::open(path.c_str(), flags | O_CLOEXEC, for_all)) {
    if (!file_) fail();
  }

  [[nodiscard]] off_t size() const {
    struct stat about {};
    if (::fstat(file_.number(), &about) != 0) fail();
    return about.st_size;
  }

  /// The place behind the last line feed; 0: no line feed.
  [[nodiscard]] off_t end_of_last_line() const {
    std::array<char, 4096> buffer{};
    for (off_t end = size(); end > 0;) {
      const off_t begin = std::max<off_t>(end - std::ssize(buffer), 0);
      const std::span<char> piece(buffer.data(), static_cast<std::size_t>(end - begin));
      if (const std::string why = read_all_at(file_, begin, piece); !why.empty()) fail(why);
      const std::size_t found = std::string_view(piece.data(), piece.size()).rfind('\n');
      if (found != std::string_view::npos) return begin + static_cast<off_t>(found) + 1;
      end = begin;
    }
    return 0;
  }

  void cut_to(off_t size) const {
    if (::ftruncate(file_.number(), size) != 0) fail();
  }

  void write(std::string_view text) const {
    if (!write_all(file_, text)) fail();
  }

  void close() {
    if (!file_.close()) fail();
  }

 private:
  [[noreturn]] void fail() const { fail(std::strerror(errno)); }
  [[noreturn]] void fail(std::string_view reason) const {
    throw Error(ErrorKind::system, format("cannot write '{}': {}", path_.string(), reason));
  }

  static constexpr mode_t for_all = 0666;

  const std::filesystem::path& path_;
  FileDescriptor file_;
};

}  // namespace

LineFile::LineFile(std::filesystem::path path) : path_(std::move(path)) {
  OpenLines file(path_, O_RDWR | O_CREAT);
  const off_t kept = file.end_of_last_line();
  if (kept < file.size()) file.cut_to(kept);
  file.close();
}

void LineFile::append(std::string_view line) const {
  OpenLines file(path_, O_WRONLY | O_APPEND);
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
