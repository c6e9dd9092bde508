#pragma once

#include "rooflab/device/catalog.hpp"
#include "study/plan.hpp"

namespace rooflab::cli {

/// Asks the workers for the capabilities of this machine; takes a second or more with CUDA.
[[nodiscard]] study::Machine study_machine(const device::Catalog& catalog);

}  // namespace rooflab::cli
