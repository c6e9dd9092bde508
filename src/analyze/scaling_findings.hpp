#pragma once

#include <string>
#include <vector>

#include "rooflab/analyze/scaling.hpp"

namespace rooflab::analyze {

/// What stands out in a series, a sentence each with its figures.
[[nodiscard]] std::vector<std::string> findings_of(const ScalingSeries& series);

}  // namespace rooflab::analyze
