#pragma once

#include <cstdint>
#include <string_view>

namespace rooflab::recording {

/// Reads a line of a recording in the recorder's form, without blanks and escapes, from left to
/// right. Lines of another form need the JSON parser; most lines of a large recording have this
/// form, which is ten times faster to read.
class CompactLine {
 public:
  explicit CompactLine(std::string_view text) : rest_(text) {}

  /// Takes this text if it comes next.
  [[nodiscard]] bool take(std::string_view next) {
    if (!rest_.starts_with(next)) return false;
    rest_.remove_prefix(next.size());
    return true;
  }

  /// Takes a whole number of at most 18 digits, without a sign or zeros in front.
  [[nodiscard]] bool take(std::int64_t& number) {
    constexpr std::size_t most_digits = 18;
    std::size_t digits = 0;
    std::int64_t value = 0;
    while (digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9') {
      if (++digits > most_digits) return false;
      value = 10 * value + (rest_[digits - 1] - '0');
    }
    if (digits == 0 || (digits > 1 && rest_.front() == '0')) return false;
    rest_.remove_prefix(digits);
    number = value;
    return true;
  }

  /// Takes printable ASCII without escapes up to a quotation mark, and the mark.
  [[nodiscard]] bool take_text(std::string_view& text) {
    std::size_t length = 0;
    while (length < rest_.size() && rest_[length] != '"') {
      const char c = rest_[length];
      if (c < ' ' || c > '~' || c == '\\') return false;
      ++length;
    }
    if (length == rest_.size()) return false;
    text = rest_.substr(0, length);
    rest_.remove_prefix(length + 1);
    return true;
  }

  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] bool done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace rooflab::recording
