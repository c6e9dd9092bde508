#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::accuracy {

/// What `rooflab predict` does without further flags, for tests of its answers.

[[nodiscard]] const device::Catalog& catalog();

struct StepRequest {
  std::string network;  ///< name in the zoo, or the path of an ONNX file
  std::int64_t batch = 1;
  Phase phase = Phase::inference;
  Precision precision = Precision::fp32;
  std::string variant = {};
  std::optional<std::int64_t> image_size = {};
  bool channels_last = false;
};
[[nodiscard]] schedule::Schedule step_of(const StepRequest& request);

/// Calibrations and host for a device.
[[nodiscard]] const analyze::CalibratedModel& model_for(const device::Device& device);

/// Seconds of the device's limit for a step.
[[nodiscard]] double limit_s(const schedule::Schedule& schedule, const device::Device& device);

/// What makes a prediction unsure: the host, or the kind with the largest share of the deviation.
[[nodiscard]] std::string least_sure_of(const predict::StepTime& step);

}  // namespace rooflab::accuracy
