#pragma once

#include "rooflab/base/json.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::report {

/// docs/formats/probe.md describes it.
[[nodiscard]] Json probe_json(const device::Calibration& calibration, const device::Device* known);

}  // namespace rooflab::report
