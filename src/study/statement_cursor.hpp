#pragma once

#include <string>
#include <string_view>

#include "rooflab/base/error.hpp"

namespace rooflab::study {

/// Reads the text of a check from left to right; every fault is an Error (input) at its place in
/// the user's file.
class StatementCursor {
 public:
  /// `place` is that of the opening quote.
  StatementCursor(std::string_view text, const Location& place) : text_(text), place_(place) {}

  void skip_blanks();
  [[nodiscard]] bool at_end() const { return offset_ == text_.size(); }
  /// '\0' at the end.
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[offset_]; }
  [[nodiscard]] std::size_t offset() const { return offset_; }
  [[nodiscard]] std::string_view text_from(std::size_t begin) const;
  void go_back(std::size_t offset) { offset_ = offset; }

  /// Skips blanks and steps over `token` when it stands here.
  bool accept(std::string_view token);
  /// The same for a whole word.
  bool accept_word(std::string_view word);
  /// Letters, digits and _, beginning with a letter; empty without a word here.
  std::string_view word();
  /// `1.5e9`, empty without a number here.
  std::string_view number();
  /// Up to a character of `ends` or the end of the text.
  std::string_view up_to(std::string_view ends);

  [[noreturn]] void fail(const std::string& message, const std::string& hint = {}) const;
  [[noreturn]] void fail_at(std::size_t offset, const std::string& message,
                            const std::string& hint = {}) const;

 private:
  std::size_t digits();

  std::string_view text_;
  const Location& place_;
  std::size_t offset_ = 0;
};

}  // namespace rooflab::study
