#include "repetitions.hpp"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace rooflab::probe_worker {
namespace {

void warm_up(const std::function<double()>& once, const RepetitionPlan& plan) {
  double spent_s = 0.0;
  std::optional<double> before;
  std::vector<double> window;
  while (spent_s < plan.warm_up_s) {
    window.push_back(once());
    spent_s += window.back();
    if (window.size() < plan.window) continue;
    const double median = statistics_of(window).median;
    if (before && std::abs(median - *before) <= plan.agreement * *before) return;
    before = median;
    window.clear();
  }
}

}  // namespace

Statistics repeat(const std::function<double()>& once, const RepetitionPlan& plan) {
  warm_up(once, plan);
  std::vector<double> times;
  double spent_s = 0.0;
  while (times.size() < plan.least || (spent_s < plan.measured_s && times.size() < plan.most)) {
    times.push_back(once());
    spent_s += times.back();
  }
  return statistics_of(times);
}

device::MeasuredFigure rate(std::string name, std::string unit, double work,
                            const Statistics& times, std::string at) {
  return {.name = std::move(name),
          .unit = std::move(unit),
          .value = work / times.median,
          .least = work / times.max,
          .most = work / times.min,
          .repetitions = static_cast<int>(times.count),
          .at = std::move(at)};
}

device::MeasuredFigure duration(std::string name, const Statistics& times, std::string at) {
  return {.name = std::move(name),
          .unit = "s",
          .value = times.median,
          .least = times.min,
          .most = times.max,
          .repetitions = static_cast<int>(times.count),
          .at = std::move(at)};
}

}  // namespace rooflab::probe_worker
