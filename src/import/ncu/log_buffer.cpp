#include "log_buffer.hpp"

#include <algorithm>
#include <cstring>

namespace rooflab::import::ncu {
namespace {

constexpr std::size_t chunk = std::size_t{1} << 20U;  // stays in the cache until it is parsed

}  // namespace

// Not zeroed: pages that no long line needs never become resident.
LogBuffer::LogBuffer(ByteSource& source)
    : source_(&source),
      size_(std::min(capacity, source.size().value_or(capacity) + 1)),
      data_(std::make_unique_for_overwrite<char[]>(size_)) {}

bool LogBuffer::fill() {
  if (ended_) return false;
  if (begin_ > 0) {
    std::memmove(data_.get(), data_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  const std::size_t room = std::min(chunk, size_ - end_);
  if (room == 0) return false;
  const std::size_t got = source_->read(data_.get() + end_, room);
  ended_ = got == 0;
  end_ += got;
  return got > 0;
}

}  // namespace rooflab::import::ncu
