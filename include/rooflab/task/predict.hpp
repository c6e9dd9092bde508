#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "rooflab/analyze/scaling.hpp"
#include "rooflab/findings/finding.hpp"
#include "rooflab/task/cases.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// Request to predict limit, time and memory of networks on any devices, present or not.
struct PredictRequest {
  static constexpr std::string_view command = "predict";

  CaseGrid grid = {};
  PredictionBasis basis = {};
  std::vector<std::int64_t> gpus = {};  ///< numbers of devices for data-parallel training
  analyze::ScalingKind scaling = analyze::ScalingKind::weak;
  LinkChoice link = {};
  std::size_t timelines = 0;  ///< number of first cases that keep their timelines
};
const Parameters& parameters_of(For<PredictRequest>);

struct PredictResult {
  std::vector<analyze::CaseResult> cases = {};   ///< results without `gpus`
  analyze::Scaling scaled = {};                  ///< results with `gpus`
  std::vector<findings::Finding> findings = {};  ///< what costs the time
};

/// Predicts all cases. Throws Error (usage, input).
[[nodiscard]] PredictResult run(const PredictRequest& request, Session& session);

}  // namespace rooflab::task
