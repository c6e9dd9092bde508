#include "statement_cursor.hpp"

#include <algorithm>

namespace rooflab::study {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Columns of a TOML file count characters, not bytes.
int characters(std::string_view text) {
  return static_cast<int>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

void StatementCursor::skip_blanks() {
  while (!at_end() && std::string_view(" \t\r\n").find(peek()) != std::string_view::npos) {
    ++offset_;
  }
}

std::string_view StatementCursor::text_from(std::size_t begin) const {
  return text_.substr(begin, offset_ - begin);
}

bool StatementCursor::accept(std::string_view token) {
  skip_blanks();
  if (!text_.substr(offset_).starts_with(token)) return false;
  offset_ += token.size();
  return true;
}

bool StatementCursor::accept_word(std::string_view wanted) {
  skip_blanks();
  const std::size_t begin = offset_;
  if (word() == wanted) return true;
  offset_ = begin;
  return false;
}

std::string_view StatementCursor::word() {
  const std::size_t begin = offset_;
  if (is_letter(peek())) {
    while (is_letter(peek()) || is_digit(peek())) ++offset_;
  }
  return text_from(begin);
}

std::size_t StatementCursor::digits() {
  const std::size_t begin = offset_;
  while (is_digit(peek())) ++offset_;
  return offset_ - begin;
}

std::string_view StatementCursor::number() {
  const std::size_t begin = offset_;
  if (digits() == 0) return {};
  const std::size_t behind_whole = offset_;
  if (peek() == '.') {
    ++offset_;
    if (digits() == 0) offset_ = behind_whole;
  }
  const std::size_t behind_fraction = offset_;
  if (peek() == 'e' || peek() == 'E') {
    ++offset_;
    if (peek() == '+' || peek() == '-') ++offset_;
    if (digits() == 0) offset_ = behind_fraction;
  }
  return text_from(begin);
}

std::string_view StatementCursor::up_to(std::string_view ends) {
  const std::size_t begin = offset_;
  offset_ = std::min(text_.find_first_of(ends, offset_), text_.size());
  return text_from(begin);
}

void StatementCursor::fail(const std::string& message, const std::string& hint) const {
  fail_at(offset_, message, hint);
}

void StatementCursor::fail_at(std::size_t offset, const std::string& message,
                              const std::string& hint) const {
  Location location = place_;
  if (location.column && text_.find('\n') == std::string_view::npos) {
    *location.column += characters(text_.substr(0, offset)) + 1;
  }
  throw Error(ErrorKind::input, message, hint, location);
}

}  // namespace rooflab::study
