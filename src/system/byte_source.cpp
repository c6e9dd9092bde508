#include "byte_source.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab {

ByteSource::ByteSource(const std::filesystem::path& path, std::string_view what)
    : path_(path), what_(what) {
  RegularFile opened = open_regular_file(path);
  if (!opened.fault.empty()) fail(opened.fault, std::move(opened.hint));
  file_ = std::move(opened.file);
  size_ = opened.size;
  ::posix_fadvise(file_.number(), 0, 0, POSIX_FADV_SEQUENTIAL);
}

ByteSource::ByteSource(FileDescriptor file, const std::filesystem::path& path,
                       std::string_view what)
    : path_(path), what_(what), file_(std::move(file)) {
  size_ = std::max<std::int64_t>(::lseek(file_.number(), 0, SEEK_END), 0);
  rewind();
}

void ByteSource::fail(std::string_view reason, std::string hint) const {
  if (what_.empty()) {
    throw Error(ErrorKind::input, format("cannot read '{}': {}", path_.string(), reason),
                std::move(hint));
  }
  throw Error(ErrorKind::input, format("cannot read the {}: {}", what_, reason), std::move(hint),
              Location{path_.string(), {}, {}, {}});
}

std::size_t ByteSource::read(char* to, std::size_t size) {
  std::size_t got = 0;
  if (!file_) {
    got = std::min(size, expected());
    std::memcpy(to, text_.data() + position_, got);
  } else {
    ssize_t status = 0;
    do {
      status = ::read(file_.number(), to, size);
    } while (status < 0 && errno == EINTR);
    if (status < 0) fail(std::strerror(errno));
    got = static_cast<std::size_t>(status);
  }
  position_ += static_cast<std::int64_t>(got);
  return got;
}

std::string ByteSource::take(std::size_t size) {
  constexpr std::size_t piece = std::size_t{1} << 16U;
  // A byte more than is expected shows the end without another allocation.
  const std::size_t whole = expected() > 0 ? expected() + 1 : piece;
  std::string bytes(std::min(size, whole), '\0');
  std::size_t filled = 0;
  while (filled < size) {
    if (filled == bytes.size()) bytes.resize(std::min(size, 2 * filled));
    const std::size_t got = read(bytes.data() + filled, bytes.size() - filled);
    if (got == 0) break;
    filled += got;
  }
  bytes.resize(filled);
  return bytes;
}

void ByteSource::rewind() {
  if (file_ && ::lseek(file_.number(), 0, SEEK_SET) != 0) fail(std::strerror(errno));
  position_ = 0;
}

std::optional<std::size_t> ByteSource::size() const {
  if (file_) return std::nullopt;
  return text_.size();
}

std::size_t ByteSource::expected() const {
  const auto whole = file_ ? size_ : static_cast<std::int64_t>(text_.size());
  return static_cast<std::size_t>(std::max<std::int64_t>(whole - position_, 0));
}

double ByteSource::done() const {
  const auto whole = static_cast<std::int64_t>(expected()) + position_;
  const bool known = whole > 0 && (!file_ || size_ > 0);
  return known ? static_cast<double>(position_) / static_cast<double>(whole) : 0.0;
}

}  // namespace rooflab
