#include "number_reader.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "rooflab/base/text.hpp"

namespace rooflab::import::ncu {
namespace {

constexpr std::size_t longest_number = 64;

/// Spaces (also the two that do not break) and apostrophes that group digits, taken out; nullopt:
/// there is something that no number has.
std::optional<std::string> without_group_spaces(std::string_view text) {
  constexpr std::array<std::string_view, 5> marks = {" ", "'", "\u00a0", "\u202f", "\u2019"};
  if (text.size() > longest_number) return std::nullopt;
  std::string plain;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (is_digit(c) || c == '.' || c == ',' || c == '-' || c == '+' || c == 'e' || c == 'E') {
      plain += c;
      ++i;
      continue;
    }
    const auto* const mark = std::ranges::find_if(
        marks, [&](std::string_view m) { return text.substr(i).starts_with(m); });
    if (mark == marks.end() || i == 0 || !is_digit(text[i - 1])) return std::nullopt;
    i += mark->size();
  }
  return plain;
}

enum class Evidence : std::uint8_t { none, english, european, ambiguous };

/// What the separators of a number without its group spaces tell.
Evidence evidence_of(std::string_view text, bool had_group_spaces) {
  std::string_view digits = text.substr(0, text.find_first_of("eE"));
  if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
  const auto commas = std::ranges::count(digits, ',');
  const auto dots = std::ranges::count(digits, '.');
  if (commas == 0 && dots == 0) return Evidence::none;
  const std::size_t last = digits.find_last_of(",.");
  const bool last_is_dot = digits[last] == '.';
  if (commas > 0 && dots > 0) return last_is_dot ? Evidence::english : Evidence::european;
  if (commas > 1) return Evidence::english;
  if (dots > 1) return Evidence::european;
  const bool could_group = digits.size() - last - 1 == 3 && last >= 1 && last <= 3 &&
                           digits[0] != '0' && !had_group_spaces;
  if (could_group) return Evidence::ambiguous;
  return last_is_dot ? Evidence::english : Evidence::european;
}

/// The text with `group` taken out and `decimal` as a point; nullopt where groups have other
/// lengths than a language gives them: three digits, or two but for the last (India).
std::optional<std::string> plain_number(std::string_view text, char group, char decimal) {
  std::string plain;
  int in_group = -1;  // digits since the last group mark; -1: there was none
  bool fraction = false;
  const auto closes = [&] { return in_group == -1 || in_group == 3; };
  for (const char c : text) {
    if (plain.empty() && (c == '-' || c == '+')) {
      if (c == '-') plain += c;
      continue;
    }
    if (c == group) {
      if (fraction || (in_group != -1 && in_group != 3 && in_group != 2)) return std::nullopt;
      if (plain.empty() || !is_digit(plain.back())) return std::nullopt;
      in_group = 0;
      continue;
    }
    if (!is_digit(c)) {  // a decimal sign or an exponent ends the groups
      if (!closes() || (c == decimal && fraction)) return std::nullopt;
      in_group = -1;
      fraction = true;
    } else if (in_group != -1) {
      ++in_group;
    }
    plain += c == decimal ? '.' : c;
  }
  if (!closes()) return std::nullopt;
  return plain;
}

bool means_absent(std::string_view text) {
  constexpr std::array<std::string_view, 11> words = {
      "", "n/a", "nan", "-nan", "inf", "+inf", "-inf", "infinity", "no data", "none", "-"};
  return text.size() < 10 && std::ranges::find(words, lowercase(text)) != words.end();
}

}  // namespace

Reading NumberReader::read(std::string_view text, bool whole) {
  // Most values are a few plain digits.
  if (!text.empty() && text.size() <= 15) {
    std::int64_t number = 0;
    std::size_t i = 0;
    for (; i < text.size() && is_digit(text[i]); ++i) number = number * 10 + (text[i] - '0');
    if (i == text.size()) return {Reading::Kind::number, static_cast<double>(number)};
  }
  text = trim(text);
  const bool doubtful = text.starts_with("(!)");
  if (doubtful) text = trim(text.substr(3));
  // `123 (1; 2; 3)`: the values of the instances behind their sum.
  text = trim(text.substr(0, text.find(" (")));
  if (means_absent(text)) return {Reading::Kind::absent};
  if (doubtful) return {Reading::Kind::doubtful};
  return read_with_marks(text, whole);
}

Reading NumberReader::read_with_marks(std::string_view text, bool whole) {
  const std::optional<std::string> digits = without_group_spaces(text);
  if (!digits) return {Reading::Kind::unreadable};
  const bool english = notation_ == Notation::english;
  const std::optional<std::string> plain =
      plain_number(*digits, english ? ',' : '.', english ? '.' : ',');
  const std::optional<double> value = plain ? parse_number(*plain) : std::nullopt;
  Evidence evidence = evidence_of(*digits, digits->size() != text.size());
  if (evidence == Evidence::ambiguous && whole) {  // the mark groups
    evidence = digits->find('.') == std::string::npos ? Evidence::english : Evidence::european;
  }
  switch (evidence) {
    case Evidence::none:
      break;
    case Evidence::english:
      ++english_;
      break;
    case Evidence::european:
      ++european_;
      break;
    case Evidence::ambiguous:
      if (ambiguous_++ == 0) first_ambiguous_ = text;
      break;
  }
  if (!value) return {Reading::Kind::unreadable};
  return {Reading::Kind::number, *value};
}

void NumberReader::observe(std::string_view text) {
  const std::optional<std::string> digits = without_group_spaces(trim(text));
  if (!digits || digits->empty() || !is_digit(digits->back())) return;
  switch (evidence_of(*digits, digits->size() != text.size())) {
    case Evidence::english:
      ++english_;
      break;
    case Evidence::european:
      ++european_;
      break;
    default:
      break;
  }
}

}  // namespace rooflab::import::ncu
