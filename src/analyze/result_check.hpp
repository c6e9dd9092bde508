#pragma once

#include <optional>
#include <string>

#include "rooflab/analyze/case_result.hpp"

namespace rooflab::analyze {

/// A sentence on the first contradiction in a case; nullopt: none. Rows must sum to their totals,
/// an interval must hold its time, memory must be the sum of its parts, and no verdict may be
/// better than its bytes. The vocabulary has the ranges of single figures (Figure::range).
[[nodiscard]] std::optional<std::string> contradiction_in(const CaseResult& result);

}  // namespace rooflab::analyze
