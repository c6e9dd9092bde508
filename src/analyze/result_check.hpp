#pragma once

#include <optional>
#include <string>

#include "rooflab/analyze/case_result.hpp"

namespace rooflab::analyze {

/// What in a case contradicts itself, as a sentence; nullopt: nothing does. Rows make their totals,
/// an interval holds its time, memory is the sum of its parts, and no verdict is better than its
/// bytes. Ranges of single figures are the vocabulary's (Figure::range).
[[nodiscard]] std::optional<std::string> contradiction_in(const CaseResult& result);

}  // namespace rooflab::analyze
