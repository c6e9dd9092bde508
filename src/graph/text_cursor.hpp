#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rooflab/base/error.hpp"

namespace rooflab::graph {

/// Reads one line of the text form from left to right; every fault is an Error (input) at its line
/// and 1-based column (in bytes).
class TextCursor {
 public:
  TextCursor(std::string_view line, int number, const std::string& file)
      : line_(line), number_(number), file_(file) {}

  [[nodiscard]] bool at_end() const { return position_ == line_.size(); }
  [[nodiscard]] char peek() const { return at_end() ? '\0' : line_[position_]; }
  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] int line_number() const { return number_; }

  void skip_blanks();

  /// Skips `token` if it is at the cursor; returns whether it was.
  bool accept(std::string_view token);
  /// Skips `token`; throws if it is not at the cursor.
  void expect(std::string_view token);

  /// Reads a bare or quoted name; `what` describes it in the error if it is missing.
  std::string name(std::string_view what);
  std::string quoted();
  /// Reads the characters of a number or word, up to a blank or a separator.
  std::string_view token(std::string_view what);
  std::int64_t integer(std::string_view what);

  /// Throws an Error at the cursor, or at an earlier position of the line.
  [[noreturn]] void fail(const std::string& message, const std::string& hint = {}) const;
  [[noreturn]] void fail_at(std::size_t position, const std::string& message,
                            const std::string& hint = {}) const;

 private:
  [[nodiscard]] std::string here() const;

  std::string_view line_;
  int number_;
  const std::string& file_;
  std::size_t position_ = 0;
};

}  // namespace rooflab::graph
