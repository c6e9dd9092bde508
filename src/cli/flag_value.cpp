#include "flag_value.hpp"

#include <algorithm>
#include <limits>

#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::cli {

std::int64_t positive(std::string_view text, std::string_view flag, std::string_view example) {
  const std::string_view digits = trim(text);
  const std::optional<std::int64_t> number = parse_integer(digits);
  if (number && *number >= 1) return *number;
  const bool too_large = !number && !digits.empty() &&
                         digits.find_first_not_of("0123456789") == std::string_view::npos;
  throw Error(ErrorKind::usage,
              too_large ? format("{}: '{}' exceeds the 64-bit range", flag, text)
                        : format("{} takes a whole number of 1 or more, not '{}'", flag, text),
              format("for example {}", example));
}

int positive_int(std::string_view text, std::string_view flag, std::string_view example) {
  return static_cast<int>(
      std::min<std::int64_t>(positive(text, flag, example), std::numeric_limits<int>::max()));
}

double positive_number(std::string_view text, std::string_view flag, std::string_view example) {
  const std::optional<double> number = parse_number(trim(text));
  if (number && *number > 0.0 && *number < 1e9) return *number;
  throw Error(ErrorKind::usage, format("{} takes a number above 0, not '{}'", flag, text),
              format("for example {}", example));
}

Precision precision_value(std::string_view text) {
  if (const std::optional<Precision> precision = from_name<Precision>(trim(text)))
    return *precision;
  throw_unknown("precision", std::string(text), names_of<Precision>());
}

void throw_unknown(std::string_view what, const std::string& given,
                   const std::vector<std::string>& allowed) {
  const std::string all = format("one of {}", join(allowed, ", "));
  throw Error(ErrorKind::usage, format("unknown {} '{}'", what, given),
              near_hint(given, allowed, all, all));
}

}  // namespace rooflab::cli
