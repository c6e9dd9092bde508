#pragma once

#include <optional>
#include <string>

#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// Kernel and operator names run to thousands of letters; their beginnings tell them apart for
/// people, CSV has all of it.
[[nodiscard]] Cell name_cell(const std::string& name);

[[nodiscard]] Cell optional_percent(const std::optional<double>& fraction);

/// Four digits, without a unit's prefix: 0.2481, 31.66, 364.5.
[[nodiscard]] Cell optional_number(const std::optional<double>& value);

/// Nanoseconds.
[[nodiscard]] Cell duration_cell(double ns);

}  // namespace rooflab::report
