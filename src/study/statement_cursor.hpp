#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::study {

/// Reads the text of a check from left to right; every fault is an Error (input) at its place in
/// the user's file.
class StatementCursor {
 public:
  /// `place` is that of the opening quote.
  StatementCursor(std::string_view text, const Location& place) : text_(text), place_(place) {}

  void skip_blanks() {
    while (!at_end() && is_one_of(" \t\r\n")) ++offset_;
  }
  [[nodiscard]] bool at_end() const { return offset_ == text_.size(); }
  /// '\0' at the end.
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[offset_]; }
  [[nodiscard]] bool is_one_of(std::string_view characters) const {
    return !at_end() && characters.find(peek()) != std::string_view::npos;
  }
  [[nodiscard]] std::size_t offset() const { return offset_; }
  [[nodiscard]] std::string_view text_from(std::size_t begin) const {
    return text_.substr(begin, offset_ - begin);
  }
  void go_back(std::size_t offset) { offset_ = offset; }

  /// Skips blanks and steps over `token` when it is here.
  bool accept(std::string_view token) {
    skip_blanks();
    if (!text_.substr(offset_).starts_with(token)) return false;
    offset_ += token.size();
    return true;
  }
  /// Skips blanks and steps over `wanted` when it is the next whole word.
  bool accept_word(std::string_view wanted) {
    skip_blanks();
    const std::size_t begin = offset_;
    if (word() == wanted) return true;
    offset_ = begin;
    return false;
  }
  /// Letters, digits and _, beginning with a letter; empty without a word here.
  std::string_view word() {
    const auto begins_word = [](char c) { return is_letter(c) || c == '_'; };
    const std::size_t begin = offset_;
    if (begins_word(peek())) {
      while (begins_word(peek()) || is_digit(peek())) ++offset_;
    }
    return text_from(begin);
  }
  /// `1.5e9`, empty without a number here.
  std::string_view number() {
    const std::size_t begin = offset_;
    if (!accept_digits()) return {};
    const std::size_t behind_whole = offset_;
    if (peek() == '.') {
      ++offset_;
      if (!accept_digits()) offset_ = behind_whole;
    }
    const std::size_t behind_fraction = offset_;
    if (is_one_of("eE")) {
      ++offset_;
      if (is_one_of("+-")) ++offset_;
      if (!accept_digits()) offset_ = behind_fraction;
    }
    return text_from(begin);
  }
  /// Up to a character of `ends` or the end of the text.
  std::string_view up_to(std::string_view ends) {
    const std::size_t begin = offset_;
    offset_ = std::min(text_.find_first_of(ends, offset_), text_.size());
    return text_from(begin);
  }

  [[noreturn]] void fail(const std::string& message, const std::string& hint = {}) const {
    fail_at(offset_, message, hint);
  }
  [[noreturn]] void fail_at(std::size_t offset, const std::string& message,
                            const std::string& hint = {}) const {
    Location location = place_;
    if (location.column && text_.find('\n') == std::string_view::npos) {
      *location.column += characters(text_.substr(0, offset)) + 1;
    }
    throw Error(ErrorKind::input, message, hint, location);
  }

 private:
  /// Columns of a TOML file count characters, not bytes.
  static int characters(std::string_view text) {
    return static_cast<int>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
  }

  bool accept_digits() {
    const std::size_t begin = offset_;
    while (is_digit(peek())) ++offset_;
    return offset_ > begin;
  }

  std::string_view text_;
  const Location& place_;
  std::size_t offset_ = 0;
};

}  // namespace rooflab::study
