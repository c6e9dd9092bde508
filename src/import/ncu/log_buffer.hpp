#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "system/byte_source.hpp"

namespace rooflab::import::ncu {

/// A window over a log: unconsumed text is kept, and more is read after it on demand. Its size
/// limits the memory for reading, and so the longest line.
class LogBuffer {
 public:
  /// Capacity in bytes. Rows of a report with every metric take about 100 kB.
  static constexpr std::size_t capacity = std::size_t{8} << 20U;

  explicit LogBuffer(ByteSource& source);

  /// Text that was read and not consumed. Valid until fill().
  [[nodiscard]] std::string_view rest() const { return {data_.get() + begin_, end_ - begin_}; }

  /// Reads more text after rest(); false: the source has ended, or the window is full.
  bool fill();

  /// Whether the source has no more text than rest().
  [[nodiscard]] bool ended() const { return ended_; }

  void consume(std::size_t bytes) { begin_ += bytes; }

 private:
  ByteSource* source_;
  std::size_t size_;  ///< size of the window: capacity, or less for a text that needs less
  std::unique_ptr<char[]> data_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool ended_ = false;
};

}  // namespace rooflab::import::ncu
