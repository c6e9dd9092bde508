#pragma once
// Until every enumeration names its values beside its declaration.

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/roofline.hpp"
#include "rooflab/analyze/scaling.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/engine/case.hpp"
#include "rooflab/predict/scaling.hpp"
#include "rooflab/record/training_run.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab {
constexpr auto names_in_order(For<Precision>) {
  return names_through<Precision::amp_bf16>("fp64", "fp32", "tf32", "fp16", "bf16", "amp",
                                            "amp-fp16", "amp-bf16");
}
constexpr auto names_in_order(For<Phase>) {
  return names_through<Phase::training>("inference", "forward", "training");
}
namespace schedule {
constexpr auto names_in_order(For<Optimizer>) {
  return names_through<Optimizer::adam>("sgd", "sgd-momentum", "adam");
}
}  // namespace schedule
namespace analyze {
constexpr auto names_in_order(For<PredictionModel>) {
  return names_through<PredictionModel::calibrated>("limit", "ppp", "calibrated");
}
constexpr auto names_in_order(For<Scaling>) {
  return names_through<Scaling::mixed>("weak", "strong", "mixed");
}
constexpr auto names_in_order(For<PointPer>) {
  return names_through<PointPer::model>("layer", "model");
}
}  // namespace analyze
namespace predict {
constexpr auto names_in_order(For<AllReduce>) {
  return names_through<AllReduce::tree>("automatic", "ring", "tree");
}
}  // namespace predict
namespace engine {
constexpr auto names_in_order(For<WeightSource>) {
  return names_through<WeightSource::he>("random", "formula", "file", "he");
}
}  // namespace engine
namespace record {
constexpr auto names_in_order(For<LearningRateSchedule>) {
  return names_through<LearningRateSchedule::one_cycle>("constant", "step", "cosine", "one-cycle");
}
}  // namespace record
}  // namespace rooflab
