#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "device_backend.hpp"
#include "rooflab/record/record.hpp"
#include "step.hpp"

namespace rooflab::torch_worker {

/// Times of every node of a step, forward and backward, from marks around each. Steps are queued
/// behind a delay where the device allows it, so that a node's time does not include waiting for
/// the host. `issue_s`: approximate host time to issue a step; 0: not known.
[[nodiscard]] record::LayerTimes time_layers(Step& step, DeviceBackend& backend, int repetitions,
                                             double issue_s);

}  // namespace rooflab::torch_worker
