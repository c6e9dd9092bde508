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
/// behind a delay where the device allows it, so that waiting for the host is not in a node's time.
/// `issue_s` is about how long the host needs to issue a step; 0: not known.
[[nodiscard]] record::LayerTimes time_layers(Step& step, DeviceBackend& backend, int repetitions,
                                             double issue_s);

}  // namespace rooflab::torch_worker
