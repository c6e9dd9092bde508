#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "counted_unit.hpp"
#include "metric_plan.hpp"

namespace rooflab::profile {

/// Sets of metrics to count for a step, in order.
///
///  1. The whole step: bytes, tensor operations of all types. 2. The whole step: metrics that
///  cannot be counted together with others. 3. One launch of each group of like kernels: CUDA-core
///  instructions, bytes, tensor operations of
///     the types that had work in the step.
///  4. The metrics of 3 for every kernel, which takes longest: a program that ends early has the
///  rest.
///
///     while (const auto set = plan.next()) plan.totals_are(set->list.metrics, count(*set));
class CountingPlan {
 public:
  /// Makes a plan; without `kernels` it has only 1 and 2, without `groups` no 3. `exist` must
  /// outlive this.
  CountingPlan(std::string chip, const MetricsExist& exist, bool kernels, bool groups);

  struct Set {
    MetricList list;
    CountedUnit unit = CountedUnit::step;
  };
  [[nodiscard]] std::optional<Set> next();

  /// Takes the values of a set over the whole step, one per metric.
  void totals_are(std::span<const std::string> metrics, std::span<const double> values);

 private:
  enum class Stage : std::uint8_t { totals, apart, groups, kernels, done };

  std::string chip_;
  const MetricsExist& exist_;
  bool kernels_;
  bool groups_;
  Stage stage_ = Stage::totals;
  std::vector<record::KernelFigure> idle_;  ///< tensor types without work in the whole step
};

}  // namespace rooflab::profile
