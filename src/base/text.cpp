#include "rooflab/base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/format.hpp"
#include "si_prefix.hpp"

namespace rooflab {
namespace {

template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, number);
  if (status != std::errc{} || rest != end) return std::nullopt;
  return number;
}

}  // namespace

std::string plural(std::int64_t count, std::string_view word) {
  return format("{} {}{}", with_thousands(count), word, count == 1 ? "" : "s");
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);  // the row two above
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, above);
    std::swap(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (&part != parts.data()) text += separator;
    text += part;
  }
  return text;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string lowercase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  return parse_whole<std::int64_t>(text);
}

std::optional<double> parse_number(std::string_view text) {
  const std::optional<double> number = parse_whole<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<std::string> nearest(std::string_view text, std::span<const std::string> candidates) {
  const std::string wanted = lowercase(text);
  if (wanted.empty()) return std::nullopt;
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(wanted, lowercase(candidate));
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  constexpr std::size_t telling = 3;  // letters
  if (best || wanted.size() < telling) return best;
  const auto begins = [&wanted](const std::string& candidate) {
    return lowercase(candidate).starts_with(wanted);
  };
  if (std::ranges::count_if(candidates, begins) != 1) return std::nullopt;
  return *std::ranges::find_if(candidates, begins);
}

std::string near_hint(std::string_view text, std::span<const std::string> candidates,
                      std::string otherwise, std::string_view remark) {
  const std::optional<std::string> near = nearest(text, candidates);
  if (!near) return otherwise;
  return remark.empty() ? format("did you mean '{}'?", *near)
                        : format("did you mean '{}'? ({})", *near, remark);
}

std::string si(double value, std::string_view unit, int digits) {
  if (!std::isfinite(value)) return format("{}", value);
  if (value == 0.0) return unit.empty() ? "0" : format("0 {}", unit);
  const double magnitude = std::abs(value);
  // Rounding to `digits` must not print 1000 of a prefix.
  const double rounding = 1.0 - 0.5 * std::pow(10.0, -digits);
  const SiPrefix& prefix = si_prefix(magnitude, rounding);
  const double scaled = value / prefix.factor;
  const int whole_digits = static_cast<int>(std::floor(std::log10(std::abs(scaled)) + 1e-9)) + 1;
  const int decimals = std::clamp(digits - std::max(whole_digits, 1), 0, 6);
  std::string text = format("{:.{}f}", scaled, decimals);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  const bool bare = prefix.symbol.empty() && unit.empty();
  return bare ? text : format("{} {}{}", text, prefix.symbol, unit);
}

std::string with_thousands(std::int64_t value) {
  std::string text = std::to_string(value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t i = text.size(); i > first + 3;) {
    i -= 3;
    text.insert(i, ",");
  }
  return text;
}

std::string plain_number(double value) {
  constexpr double whole = 999.95;  // four digits make it 1000
  constexpr double most = 1e15;     // whole numbers are exact to here
  const double size = std::abs(value);
  if (size < whole || !(size < most)) return format("{:.4g}", value);
  return with_thousands(std::llround(value));
}

std::string mebibytes(std::int64_t bytes) {
  return format("{:.2f}", static_cast<double>(bytes) / (1024.0 * 1024.0));
}

std::string escape_html(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace rooflab
