#pragma once

#include <functional>

#include "device_backend.hpp"
#include "rooflab/record/record.hpp"
#include "step.hpp"

namespace rooflab::torch_worker {

/// Counts the kernels of a step in the hardware, with the graph node and the pass that each was
/// launched for: fills `record.kernels` and `record.counting`. Where counters cannot be read the
/// record gets a warning that says why and what to do, and the kernels' times, if those can be had.
/// `on_progress` hears the done fraction.
void count_in_hardware(Step& step, DeviceBackend& backend, record::Record& record,
                       const std::function<void(double done)>& on_progress);

}  // namespace rooflab::torch_worker
