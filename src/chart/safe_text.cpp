#include "safe_text.hpp"

#include <cstddef>

namespace rooflab::chart {
namespace {

constexpr char32_t replacement = 0xFFFD;

/// Length of the sequence that a first byte announces; 0 where none begins.
std::size_t sequence_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  if (first >= 0xF0 && first <= 0xF4) return 4;
  return 0;
}

bool is_encodable(char32_t code_point, std::size_t length) {
  if (length == 3 && code_point < 0x800) return false;
  if (length == 4 && code_point < 0x10000) return false;
  return code_point <= 0x10FFFF && (code_point < 0xD800 || code_point > 0xDFFF);
}

bool acts_on_layout(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 ||
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> points;
  points.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    const auto first = static_cast<unsigned char>(text[at]);
    const std::size_t length = sequence_length(first);
    char32_t code_point = length <= 1 ? first : first & (0xFFU >> (length + 1));
    bool valid = length > 0 && at + length <= text.size();
    for (std::size_t i = 1; valid && i < length; ++i) {
      const auto byte = static_cast<unsigned char>(text[at + i]);
      valid = (byte & 0xC0U) == 0x80U;
      code_point = (code_point << 6U) | (byte & 0x3FU);
    }
    valid = valid && is_encodable(code_point, length);
    points.push_back(valid ? code_point : replacement);
    at += valid ? length : 1;
  }
  return points;
}

void append_utf8(std::string& text, char32_t c) {
  const auto tail = [&](unsigned shift) {
    text += static_cast<char>(0x80U | ((c >> shift) & 0x3FU));
  };
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xC0U | (c >> 6U));
    tail(0);
  } else if (c < 0x10000) {
    text += static_cast<char>(0xE0U | (c >> 12U));
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0U | (c >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string safe_text(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char32_t c : code_points(text)) {
    // XML has no way to write the two noncharacters.
    const char32_t writable = c == 0xFFFE || c == 0xFFFF ? replacement : c;
    append_utf8(safe, acts_on_layout(c) ? U' ' : writable);
  }
  return safe;
}

}  // namespace rooflab::chart
