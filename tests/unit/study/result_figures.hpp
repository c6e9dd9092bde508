#pragma once

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include "base/format.hpp"
#include "describe/json_fields.hpp"
#include "describe/schema.hpp"
#include "study/figures.hpp"

namespace rooflab::study {

/// The values of the figures in a result, by quantity.
inline std::map<std::string, double> values_in(Mode mode, std::string_view result) {
  std::map<std::string, double> values;
  for (const Figure& figure : figures_of(mode, parse_json(result, "x.json"))) {
    EXPECT_TRUE(values.emplace(figure.quantity, figure.value).second) << figure.quantity;
  }
  return values;
}

/// `low to high` of a figure with four digits; `exact` without an interval, empty without a figure.
inline std::string interval_in(Mode mode, std::string_view result, std::string_view quantity) {
  for (const Figure& figure : figures_of(mode, parse_json(result, "x.json"))) {
    if (figure.quantity != quantity) continue;
    if (!figure.low && !figure.high) return "exact";
    return format("{:.4g} to {:.4g}", figure.low.value_or(NAN), figure.high.value_or(NAN));
  }
  return {};
}

/// A quantity with its value, to ten digits.
inline auto value(const char* quantity, double number) {
  return testing::Pair(quantity, testing::DoubleNear(number, std::abs(number) * 1e-10));
}

}  // namespace rooflab::study
