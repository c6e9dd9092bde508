#pragma once

#include <functional>

#include "device_backend.hpp"
#include "rooflab/record/record.hpp"
#include "step.hpp"

namespace rooflab::torch_worker {

/// Counts the kernels of a step with hardware counters, and finds their graph node and pass: fills
/// `record.kernels` and `record.counting`. If counters cannot be read, the record gets a warning
/// with reason and advice, and the kernels' times if available. `on_progress` receives the done
/// fraction.
void count_in_hardware(Step& step, DeviceBackend& backend, record::Record& record,
                       const std::function<void(double done)>& on_progress);

}  // namespace rooflab::torch_worker
