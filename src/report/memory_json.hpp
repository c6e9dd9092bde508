#pragma once

#include "rooflab/base/json.hpp"
#include "rooflab/predict/memory_model.hpp"

namespace rooflab::report {

/// Every part of an estimate in bytes; what is not known is null.
[[nodiscard]] Json memory_json(const predict::MemoryEstimate& memory);

}  // namespace rooflab::report
