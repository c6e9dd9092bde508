#include "counting_plan.hpp"

#include <map>

#include "record/counter_metric.hpp"

namespace rooflab::profile {
namespace {

using record::KernelFigure;

/// All floating-point types that the chip's tensor cores have metrics for.
std::vector<KernelFigure> types_of(std::string_view chip) {
  std::vector<KernelFigure> types;
  for (const std::string_view metric : record::tensor_metrics_of(chip)) {
    if (const auto figure = record::tensor_figure_of(metric)) types.push_back(*figure);
  }
  return types;
}

}  // namespace

CountingPlan::CountingPlan(std::string chip, const MetricsExist& exist, bool kernels, bool groups)
    : chip_(std::move(chip)), exist_(exist), kernels_(kernels), groups_(groups) {}

std::optional<CountingPlan::Set> CountingPlan::next() {
  switch (stage_) {
    case Stage::totals:
      stage_ = Stage::apart;
      return Set{totals_metrics(chip_, exist_, true), CountedUnit::step};
    case Stage::apart:
      stage_ = Stage::groups;
      if (MetricList apart = apart_metrics(chip_, exist_); !apart.metrics.empty()) {
        return Set{std::move(apart), CountedUnit::step};
      }
      [[fallthrough]];
    case Stage::groups:
      stage_ = Stage::kernels;
      if (kernels_ && groups_) {
        return Set{kernel_metrics(chip_, exist_, idle_), CountedUnit::launch};
      }
      [[fallthrough]];
    case Stage::kernels:
      stage_ = Stage::done;
      if (kernels_) return Set{kernel_metrics(chip_, exist_, idle_), CountedUnit::kernel};
      break;
    case Stage::done:
      break;
  }
  return std::nullopt;
}

void CountingPlan::totals_are(std::span<const std::string> metrics,
                              std::span<const double> values) {
  std::map<KernelFigure, double> work;
  for (std::size_t i = 0; i < metrics.size() && i < values.size(); ++i) {
    if (const auto type = record::tensor_figure_of(metrics[i])) work[*type] += values[i];
  }
  for (const KernelFigure type : types_of(chip_)) {
    const auto found = work.find(type);
    if (found != work.end() && found->second == 0.0) idle_.push_back(type);
  }
}

}  // namespace rooflab::profile
