#include "text_cursor.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "text_symbols.hpp"

namespace rooflab::graph {
namespace {

/// Value of a hexadecimal digit, -1 for anything else.
int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

void TextCursor::skip_blanks() {
  while (peek() == ' ' || peek() == '\t') ++position_;
}

bool TextCursor::accept(std::string_view token) {
  if (!line_.substr(position_).starts_with(token)) return false;
  position_ += token.size();
  return true;
}

void TextCursor::expect(std::string_view token) {
  if (!accept(token)) fail(format("expected '{}' before {}", token, here()));
}

std::string TextCursor::name(std::string_view what) {
  if (peek() == '"') return quoted();
  const std::size_t begin = position_;
  while (!at_end() && is_bare(peek())) ++position_;
  if (position_ == begin) fail(format("expected {} before {}", what, here()));
  return std::string(line_.substr(begin, position_ - begin));
}

std::string TextCursor::quoted() {
  const std::size_t begin = position_;
  expect("\"");
  std::string text;
  while (!at_end() && peek() != '"') {
    const char c = line_[position_++];
    if (c != '\\') {
      text += c;
      continue;
    }
    const std::size_t escape = position_ - 1;
    const char kind = peek();
    if (!at_end()) ++position_;
    if (kind == '"' || kind == '\\') {
      text += kind;
    } else if (kind == 'n') {
      text += '\n';
    } else if (kind == 't') {
      text += '\t';
    } else if (kind == 'x' && line_.size() - position_ >= 2 && hex_digit(line_[position_]) >= 0 &&
               hex_digit(line_[position_ + 1]) >= 0) {
      text += static_cast<char>(hex_digit(line_[position_]) * 16 + hex_digit(line_[position_ + 1]));
      position_ += 2;
    } else {
      fail_at(escape, "unknown escape in a quoted text", R"(known are \" \\ \n \t and \xHH)");
    }
  }
  if (!accept("\"")) fail_at(begin, "a quoted text does not end");
  return text;
}

std::string_view TextCursor::token(std::string_view what) {
  constexpr std::string_view separators = " \t,()[]=@%\"";
  const std::size_t begin = position_;
  position_ = std::min(line_.find_first_of(separators, begin), line_.size());
  if (position_ == begin) fail(format("expected {} before {}", what, here()));
  return line_.substr(begin, position_ - begin);
}

std::int64_t TextCursor::integer(std::string_view what) {
  const std::size_t begin = position_;
  while (peek() == '-' || (peek() >= '0' && peek() <= '9')) ++position_;
  if (position_ == begin) fail(format("expected {} before {}", what, here()));
  const std::string_view digits = line_.substr(begin, position_ - begin);
  if (const auto number = parse_integer(digits)) return *number;
  fail_at(begin, format("'{}' is not an integer of 64 bits", digits));
}

void TextCursor::fail(const std::string& message, const std::string& hint) const {
  fail_at(position_, message, hint);
}

void TextCursor::fail_at(std::size_t position, const std::string& message,
                         const std::string& hint) const {
  throw Error(ErrorKind::input, message, hint,
              Location{file_, number_, static_cast<int>(position) + 1, std::nullopt});
}

std::string TextCursor::here() const {
  return at_end() ? "the end of the line" : format("'{}'", peek());
}

}  // namespace rooflab::graph
