#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rooflab/base/error.hpp"

namespace rooflab::graph {

/// Reads one line of the text form from left to right; every fault is an Error (input) at the line
/// and the 1-based column (in bytes) where it stands.
class TextCursor {
 public:
  TextCursor(std::string_view line, int number, const std::string& file)
      : line_(line), number_(number), file_(file) {}

  [[nodiscard]] bool at_end() const { return position_ == line_.size(); }
  [[nodiscard]] char peek() const { return at_end() ? '\0' : line_[position_]; }
  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] int line_number() const { return number_; }

  void skip_blanks();

  /// Steps over `token` when it stands here.
  bool accept(std::string_view token);
  /// The same, but a fault when it does not.
  void expect(std::string_view token);

  /// A bare or a quoted name; `what` is for the message if it is missing.
  std::string name(std::string_view what);
  std::string quoted();
  /// A number's or a word's characters, up to a blank or a separator.
  std::string_view token(std::string_view what);
  std::int64_t integer(std::string_view what);

  /// At the cursor, or at an earlier position of the line.
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
