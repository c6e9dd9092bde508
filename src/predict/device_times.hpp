#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fused_modules.hpp"
#include "rooflab/predict/time_model.hpp"
#include "step_uncertainty.hpp"

namespace rooflab::predict {

/// Device times of all ops; equal shapes are asked about once.
class DeviceTimes {
 public:
  DeviceTimes(const schedule::Schedule& schedule, const TimeModel& model,
              const FusedModules& modules)
      : schedule_(schedule), model_(model), modules_(modules) {
    for (const schedule::ScheduledOp& op : schedule.ops) {
      if (const auto group = optimizer_group(op)) optimizer_bytes_[*group] += bytes(op);
    }
  }

  std::optional<OpEstimate> time(const schedule::ScheduledOp& op) {
    const std::optional<OpShape> shape = modules_.shape(op, model_.target());
    if (!shape) return std::nullopt;
    const auto [known, is_new] =
        known_.try_emplace(std::pair(shape->kind(), shape->sizes), shapes_.size());
    if (is_new) shapes_.push_back({*shape, model_.estimate(*shape)});
    ShapeShare& share = shapes_[known->second];
    OpEstimate estimate = share.estimate;
    // The optimizer's passes were measured as one step.
    if (const auto group = optimizer_group(op)) {
      const double all = optimizer_bytes_[*group];
      if (all > 0.0) estimate.time_s *= bytes(op) / all;
    }
    share.time_s += estimate.time_s;
    return estimate;
  }

  /// What was asked for so far, by shape.
  [[nodiscard]] std::span<const ShapeShare> shapes() const { return shapes_; }

 private:
  /// Passes over the same tensors in one step of one optimizer.
  using OptimizerGroup = std::pair<int, std::size_t>;

  static std::optional<OptimizerGroup> optimizer_group(const schedule::ScheduledOp& op) {
    const auto* pass = std::get_if<schedule::OptimizerWork>(&op.work);
    if (pass == nullptr) return std::nullopt;
    return OptimizerGroup{pass->group, op.writes.size()};
  }

  [[nodiscard]] double bytes(const schedule::ScheduledOp& op) const {
    double sum = 0.0;
    for (const schedule::TensorId id : op.reads) {
      sum += schedule_.tensor(id).distinct_bytes().as_double();
    }
    for (const schedule::TensorId id : op.writes) {
      sum += schedule_.tensor(id).distinct_bytes().as_double();
    }
    return sum;
  }

  const schedule::Schedule& schedule_;
  const TimeModel& model_;
  const FusedModules& modules_;
  std::map<OptimizerGroup, double> optimizer_bytes_;
  std::vector<ShapeShare> shapes_;
  std::map<std::pair<std::string, std::vector<double>>, std::size_t> known_;  ///< in shapes_
};

}  // namespace rooflab::predict
