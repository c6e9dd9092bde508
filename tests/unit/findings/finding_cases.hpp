#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "rooflab/findings/findings.hpp"

namespace rooflab::findings {

/// A result made by hand in which a finding holds, or the same without what it is about.
struct FindingCase {
  FindingKind kind;
  std::string_view of;  ///< `trace`, `prediction`, ...
  std::vector<Finding> (*make)(bool present);
  std::optional<double> worth_s;  ///< worked out by hand
};

[[nodiscard]] std::vector<FindingCase> trace_cases();
[[nodiscard]] std::vector<FindingCase> prediction_cases();
[[nodiscard]] std::vector<FindingCase> measured_cases();
[[nodiscard]] std::vector<FindingCase> other_cases();

}  // namespace rooflab::findings
