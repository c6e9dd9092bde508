#pragma once

#include <functional>
#include <string_view>

#include "rooflab/engine/case.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::torch_worker {

/// Receives the progress of a case: stage, its done fraction, remaining seconds of the case (0: not
/// known).
using ProgressListener = std::function<void(std::string_view stage, double done, double left_s)>;

/// Measures one case in this process. Outcomes (out of memory, unsupported, data that cannot be
/// read) are in the record's status.
[[nodiscard]] record::Record measure(const engine::Case& request, const ProgressListener& progress);

}  // namespace rooflab::torch_worker
