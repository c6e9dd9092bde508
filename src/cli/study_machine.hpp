#pragma once

#include "rooflab/device/catalog.hpp"
#include "study/plan.hpp"

namespace rooflab::cli {

/// Asks the workers what this machine can do: a second or more where CUDA is.
[[nodiscard]] study::Machine study_machine(const device::Catalog& catalog);

}  // namespace rooflab::cli
