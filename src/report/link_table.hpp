#pragma once

#include "rooflab/base/json.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// Measured messages by collective, ranks and size. Bus bandwidth is what every link must carry, as
/// nccl-tests define it: of an all-reduce 2 (n-1)/n bytes over time, of a copy bytes over time.
[[nodiscard]] Table link_table(const device::Calibration& calibration, const device::Device* known);
[[nodiscard]] Json link_rows_json(const device::Calibration& calibration,
                                  const device::Device* known);

}  // namespace rooflab::report
