#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/analyze/scaling.hpp"
#include "rooflab/predict/scaling.hpp"
#include "rooflab/task/cases.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// What joins the devices of a data-parallel run.
struct LinkChoice {
  std::string link;
  predict::AllReduce all_reduce = predict::AllReduce::automatic;

  /// Throws Error (usage) for an unknown link.
  void check() const;
  /// The link asked for; else the device's measured one (`calibration` is its own, or nullptr),
  /// else its datasheet's. Throws Error (usage) when there is none of them.
  [[nodiscard]] predict::LinkModel model_for(const device::Device& device,
                                             const device::Calibration* calibration) const;
};
const Parameters& parameters_of(For<LinkChoice>);

/// Limit, expected time and memory of networks on devices that need not be here.
struct PredictRequest {
  static constexpr std::string_view command = "predict";

  CaseGrid grid;
  PredictionBasis basis;
  std::vector<std::int64_t> gpus;  ///< data-parallel training on these numbers of devices
  analyze::ScalingKind scaling = analyze::ScalingKind::weak;
  LinkChoice link;
};
const Parameters& parameters_of(For<PredictRequest>);

struct PredictResult {
  std::vector<analyze::CaseResult> cases;  ///< without `gpus`
  analyze::Scaling scaled;                 ///< with `gpus`
};

/// Throws Error (usage, input) for anything that is wrong.
[[nodiscard]] PredictResult run(const PredictRequest& request, Session& session);

}  // namespace rooflab::task
