#include "text_window.hpp"

#include <cstring>

#include "base/assert.hpp"

namespace rooflab::import::kineto {

TextWindow::TextWindow(UnpackedText& source)
    : source_(source), buffer_(new char[first_size + 2 * margin]()) {}

void TextWindow::drop(std::size_t count) {
  ROOFLAB_ASSERT(count <= size_);
  begin_ += count;
  size_ -= count;
  offset_ += count;
}

void TextWindow::make_room() {
  if (offset_ + size_ == 0) return;
  // A window that one long event has blown up shrinks again.
  std::size_t capacity = size_ < usual_size ? usual_size : capacity_;
  if (size_ == capacity) capacity += capacity / 2;
  if (capacity == capacity_) {
    std::memmove(buffer_.get() + margin, begin(), size_);
  } else {
    std::unique_ptr<char[]> other(new char[capacity + 2 * margin]());
    std::memcpy(other.get() + margin, begin(), size_);
    buffer_ = std::move(other);
    capacity_ = capacity;
  }
  begin_ = margin;
}

bool TextWindow::more() {
  if (ended_) return false;
  make_room();
  const std::size_t before = size_;
  while (size_ < capacity_ && !ended_) {
    const std::size_t count = source_.read(begin() + size_, capacity_ - size_);
    ended_ = count == 0;
    size_ += count;
  }
  std::memset(begin() + size_, ' ', margin);  // a cut word ends here
  return size_ > before;
}

}  // namespace rooflab::import::kineto
