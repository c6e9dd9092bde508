#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "rooflab/analyze/scaling.hpp"
#include "rooflab/task/cases.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// Limit, expected time and memory of networks on devices that need not be here.
struct PredictRequest {
  static constexpr std::string_view command = "predict";

  CaseGrid grid;
  PredictionBasis basis;
  std::vector<std::int64_t> gpus;  ///< data-parallel training on these numbers of devices
  analyze::ScalingKind scaling = analyze::ScalingKind::weak;
  LinkChoice link;
  std::size_t timelines = 0;  ///< the first cases, whose results keep their timelines
};
const Parameters& parameters_of(For<PredictRequest>);

struct PredictResult {
  std::vector<analyze::CaseResult> cases;  ///< without `gpus`
  analyze::Scaling scaled;                 ///< with `gpus`
};

/// Throws Error (usage, input) for anything that is wrong.
[[nodiscard]] PredictResult run(const PredictRequest& request, Session& session);

}  // namespace rooflab::task
