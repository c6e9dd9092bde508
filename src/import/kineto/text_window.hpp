#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "system/unpacked_text.hpp"

namespace rooflab::import::kineto {

/// The part of a trace that is in memory: text is added at the end and dropped at the front. At
/// least `margin` bytes before and after the text can be overwritten, so that a parser can read
/// past the end and a list can get its brackets in place.
class TextWindow {
 public:
  static constexpr std::size_t margin = 128;
  /// Usual size of the text: small enough for the cache together with a parser's index, large
  /// enough that events rarely are cut in two.
  static constexpr std::size_t usual_size = std::size_t{1} << 20U;
  /// Initial size, because most texts in memory are small.
  static constexpr std::size_t first_size = std::size_t{1} << 14U;

  explicit TextWindow(UnpackedText& source);

  /// The text in memory. Invalid after drop() and more().
  [[nodiscard]] std::string_view text() const { return {begin(), size_}; }
  [[nodiscard]] char* begin() const { return buffer_.get() + begin_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Place of text()[0] in the whole text.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }

  /// Forgets the first `count` bytes.
  void drop(std::size_t count);

  /// Reads more text until the usual size is full; if it was already full, the window grows by
  /// half. False at the end of the text.
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
