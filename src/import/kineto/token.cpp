#include "token.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "rooflab/base/text.hpp"

namespace rooflab::import::kineto {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

std::string_view without_quotes(std::string_view token) {
  if (token.size() >= 2 && token.front() == '"' && token.back() == '"') {
    return token.substr(1, token.size() - 2);
  }
  return token;
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xC0 | code >> 6U);
    add(0x80 | (code & 0x3FU));
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12U);
    add(0x80 | (code >> 6U & 0x3FU));
    add(0x80 | (code & 0x3FU));
  } else {
    add(0xF0 | code >> 18U);
    add(0x80 | (code >> 12U & 0x3FU));
    add(0x80 | (code >> 6U & 0x3FU));
    add(0x80 | (code & 0x3FU));
  }
}

/// The four hexadecimal digits of a \u at `at`.
std::optional<std::uint32_t> code_unit(std::string_view text, std::size_t at) {
  constexpr std::size_t digits = 4;
  if (at + digits > text.size()) return std::nullopt;
  std::uint32_t unit = 0;
  const char* first = text.data() + at;
  const auto [end, error] = std::from_chars(first, first + digits, unit, 16);
  if (error != std::errc{} || end != first + digits) return std::nullopt;
  return unit;
}

/// Appends what the escape at text[i] == '\\' means and returns the first byte behind it.
std::size_t append_escape(std::string& out, std::string_view text, std::size_t i) {
  constexpr std::string_view letters = "\"\\/bfnrt";
  constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  if (i + 1 >= text.size()) {
    out += text[i];
    return i + 1;
  }
  const std::size_t letter = letters.find(text[i + 1]);
  if (letter != std::string_view::npos) {
    out += meanings[letter];
    return i + 2;
  }
  const auto unit = text[i + 1] == 'u' ? code_unit(text, i + 2) : std::nullopt;
  if (!unit) {
    out += text[i];
    return i + 1;
  }
  if (*unit < 0xD800 || *unit > 0xDFFF) {
    append_utf8(out, *unit);
    return i + 6;
  }
  if (*unit < 0xDC00 && text.substr(i + 6, 2) == "\\u") {  // the first half of a pair
    const auto low = code_unit(text, i + 8);
    if (low && *low >= 0xDC00 && *low <= 0xDFFF) {
      append_utf8(out, 0x10000 + ((*unit - 0xD800) << 10U) + (*low - 0xDC00));
      return i + 12;
    }
  }
  out += replacement;
  return i + 6;
}

/// Length of the well-formed sequence at the beginning of `text` (Unicode, table 3-7); 0: none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  unsigned low = 0x80;
  unsigned high = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) length = 2;
  if (first >= 0xE0 && first <= 0xEF) length = 3;
  if (first >= 0xF0 && first <= 0xF4) length = 4;
  if (length == 0 || text.size() < length) return 0;
  if (first == 0xE0) low = 0xA0;
  if (first == 0xED) high = 0x9F;
  if (first == 0xF0) low = 0x90;
  if (first == 0xF4) high = 0x8F;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return length;
}

}  // namespace

std::string_view without_blanks(std::string_view token) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  while (!token.empty() && is_blank(token.back())) token.remove_suffix(1);
  while (!token.empty() && is_blank(token.front())) token.remove_prefix(1);
  return token;
}

std::optional<std::int64_t> integer_of(std::string_view token) {
  token = without_quotes(token);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc{} || end != token.data() + token.size()) return std::nullopt;
  return value;
}

std::optional<double> number_of(std::string_view token) {
  token = without_quotes(token);
  double value = 0.0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error == std::errc::result_out_of_range) return std::numeric_limits<double>::infinity();
  if (error != std::errc{} || end != token.data() + token.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> nanoseconds_of(std::string_view token) {
  token = without_quotes(token);
  const bool negative = token.starts_with('-');
  std::size_t i = negative ? 1 : 0;
  constexpr std::uint64_t limit = 4'000'000'000'000'000'000;
  constexpr std::uint64_t no_more_digits = limit / 10;
  std::uint64_t digits = 0;
  int exponent = 3;   // of ten, that makes nanoseconds of `digits`
  bool half = false;  // the first digit left out is 5 or more
  bool left_out = false;
  bool any = false;
  bool fraction = false;
  for (; i < token.size(); ++i) {
    const char c = token[i];
    if (c == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (!is_digit(c)) break;
    any = true;
    if (digits > no_more_digits || left_out) {
      if (!left_out) half = c >= '5';
      left_out = true;
      if (!fraction) exponent = std::min(exponent + 1, 1000);
    } else {
      digits = digits * 10 + static_cast<std::uint64_t>(c - '0');
      if (fraction) --exponent;
    }
  }
  if (!any) return std::nullopt;
  if (i < token.size() && (token[i] == 'e' || token[i] == 'E')) {
    i += i + 1 < token.size() && token[i + 1] == '+' ? 2 : 1;
    int power = 0;
    const auto [end, error] = std::from_chars(token.data() + i, token.data() + token.size(), power);
    if (error == std::errc::invalid_argument) return std::nullopt;
    const bool down = token[i] == '-';
    if (error == std::errc::result_out_of_range) power = down ? -100'000 : 100'000;
    exponent += std::clamp(power, -100'000, 100'000);
    i = static_cast<std::size_t>(end - token.data());
  }
  if (i != token.size()) return std::nullopt;
  if (exponent < 0) half = false;
  for (; exponent > 0 && digits != 0; --exponent) {
    if (digits > no_more_digits) return std::nullopt;
    digits *= 10;
  }
  for (; exponent < 0 && (digits != 0 || half); ++exponent) {
    half = digits % 10 >= 5;
    digits /= 10;
  }
  if (half) ++digits;
  if (digits > limit) return std::nullopt;
  const auto value = static_cast<std::int64_t>(digits);
  return negative ? -value : value;
}

std::string_view text_of(std::string_view token, std::string& scratch) {
  token = without_quotes(token);
  std::size_t escape = token.find('\\');
  if (escape == std::string_view::npos) return token;
  scratch.clear();
  std::size_t copied = 0;
  while (escape != std::string_view::npos) {
    scratch.append(token, copied, escape - copied);
    copied = append_escape(scratch, token, escape);
    escape = token.find('\\', copied);
  }
  scratch.append(token, copied);
  return scratch;
}

std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) {
      valid += replacement;
      text.remove_prefix(1);
    } else {
      valid.append(text.substr(0, length));
      text.remove_prefix(length);
    }
  }
  return valid;
}

}  // namespace rooflab::import::kineto
