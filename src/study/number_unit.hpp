#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rooflab::study {

/// What a number in a check is multiplied by for what stands behind it: `GB` is 1e9, `%` is 0.01.
/// nullopt: not a unit.
[[nodiscard]] std::optional<double> unit_factor(std::string_view unit);

/// All of them, for hints.
[[nodiscard]] std::vector<std::string> unit_names();

}  // namespace rooflab::study
