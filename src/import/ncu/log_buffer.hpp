#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/byte_source.hpp"

namespace rooflab::import::ncu {

/// A window over a log: what is not consumed yet stays, more is read behind it on demand. Its size
/// bounds the memory that reading takes, and so the longest line.
class LogBuffer {
 public:
  /// Rows of a report with every metric take some 100 kB; only something else is longer than this.
  static constexpr std::size_t capacity = std::size_t{8} << 20U;

  explicit LogBuffer(ByteSource& source);

  /// Read and not consumed. Valid until fill().
  [[nodiscard]] std::string_view rest() const { return {data_.get() + begin_, end_ - begin_}; }

  /// Reads more behind the rest; false when nothing came: the source has ended, or the window is
  /// full.
  bool fill();

  /// The source has no more than rest().
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
