#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/unpacked_text.hpp"

namespace rooflab::import::kineto {

/// The stretch of a trace that is in memory: text is added behind and dropped in front. At least
/// `margin` bytes before and behind the text may be written to and mean nothing, so that a parser
/// can read past the end and a list can be given its brackets in place.
class TextWindow {
 public:
  static constexpr std::size_t margin = 128;
  /// What it holds without being asked for more: small enough for the cache beside a parser's
  /// index, large enough that events cut in two are rare.
  static constexpr std::size_t usual_size = std::size_t{1} << 20U;
  /// To begin with: most texts in memory are small.
  static constexpr std::size_t first_size = std::size_t{1} << 14U;

  explicit TextWindow(UnpackedText& source);

  /// All text held. Invalid after drop() and more().
  [[nodiscard]] std::string_view text() const { return {begin(), size_}; }
  [[nodiscard]] char* begin() const { return buffer_.get() + begin_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Place of text()[0] in the whole text.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }

  /// Forgets the first `count` bytes.
  void drop(std::size_t count);

  /// Reads until the usual size is full, and always something: grows by half where it was full.
  /// False at the end of the text.
  bool more();

 private:
  void make_room();

  UnpackedText& source_;
  std::size_t capacity_ = first_size;  ///< capacity of text, without the margins
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = margin;
  std::size_t size_ = 0;
  std::uint64_t offset_ = 0;
  bool ended_ = false;
};

}  // namespace rooflab::import::kineto
