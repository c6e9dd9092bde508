#include "byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::import {

ByteSource::ByteSource(const std::filesystem::path& path, std::string_view what)
    : path_(path), what_(what), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) fail(std::strerror(errno));
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) size_ = status.st_size;
  if (S_ISDIR(status.st_mode)) {
    ::close(descriptor_);
    fail("it is a directory");
  }
  ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
}

void ByteSource::fail(std::string_view reason) const {
  throw Error(ErrorKind::input, format("cannot read the {}: {}", what_, reason), {},
              Location{path_.string(), {}, {}, {}});
}

ByteSource::~ByteSource() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t ByteSource::read(char* to, std::size_t size) {
  std::size_t got = 0;
  if (descriptor_ < 0) {
    got = std::min(size, text_.size() - static_cast<std::size_t>(position_));
    std::memcpy(to, text_.data() + position_, got);
  } else {
    ssize_t status = 0;
    do {
      status = ::read(descriptor_, to, size);
    } while (status < 0 && errno == EINTR);
    if (status < 0) fail(std::strerror(errno));
    got = static_cast<std::size_t>(status);
  }
  position_ += static_cast<std::int64_t>(got);
  return got;
}

bool ByteSource::rewind() {
  if (descriptor_ >= 0 && ::lseek(descriptor_, 0, SEEK_SET) != 0) return false;
  position_ = 0;
  return true;
}

std::optional<std::size_t> ByteSource::size() const {
  if (descriptor_ >= 0) return std::nullopt;
  return text_.size();
}

double ByteSource::done() const {
  const auto size = descriptor_ < 0 ? static_cast<std::int64_t>(text_.size()) : size_;
  return size == 0 ? 0.0
                   : std::min(1.0, static_cast<double>(position_) / static_cast<double>(size));
}

}  // namespace rooflab::import
