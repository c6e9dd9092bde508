#pragma once

#include <string_view>

#include "rooflab/analyze/scaling.hpp"
#include "rooflab/base/json.hpp"

namespace rooflab::report {

/// docs/formats/scale.md.
[[nodiscard]] Json scaling_json(const analyze::Scaling& scaling, std::string_view command);

}  // namespace rooflab::report
