#pragma once

#include <optional>
#include <string>

#include "rooflab/base/quantity.hpp"
#include "rooflab/report/document.hpp"

/// Cells that several reports have; what is absent is a dash, and nothing in CSV.
namespace rooflab::report {

[[nodiscard]] Cell dash();

/// Kernel and operator names run to thousands of letters; their beginnings tell them apart for
/// people, CSV has all of it.
[[nodiscard]] Cell name_cell(const std::string& name);

[[nodiscard]] Cell optional_percent(std::optional<double> fraction);          ///< `12.3 %`
[[nodiscard]] Cell factor_cell(std::optional<double> factor);                 ///< `3.82x`
[[nodiscard]] Cell factor_cell_by_thousandths(std::optional<double> factor);  ///< `12.345x`

/// Four digits, without a unit's prefix: 0.2481, 31.66, 364.5.
[[nodiscard]] Cell optional_number(std::optional<double> value);
/// 12.35, 13,281.
[[nodiscard]] Cell plain_number_cell(std::optional<double> value);

[[nodiscard]] Cell seconds_cell(std::optional<double> seconds);
[[nodiscard]] Cell seconds_cell(const std::optional<Seconds>& time);
/// Nanoseconds.
[[nodiscard]] Cell duration_cell(double ns);
inline constexpr double seconds_per_ns = 1e-9;

[[nodiscard]] std::optional<double> as_double(const std::optional<Bytes>& bytes);

}  // namespace rooflab::report
