#include "launch_figures.hpp"

#include <algorithm>
#include <cmath>

namespace rooflab::import::ncu {
namespace {

using record::CounterMetric;
using record::KernelFigure;
using record::KernelTable;
using record::MetricForm;

bool is_total(MetricForm form) {
  return form == MetricForm::total || form == MetricForm::total_elsewhere;
}

}  // namespace

const LaunchFigures::Part* LaunchFigures::find(const CounterMetric& metric) const {
  const auto found = std::ranges::find_if(parts_, [&](const Part& part) {
    return part.metric.figure == metric.figure && part.metric.form == metric.form &&
           part.metric.base == metric.base;
  });
  return found == parts_.end() ? nullptr : &*found;
}

void LaunchFigures::add(const CounterMetric& metric, double value) {
  if (find(metric) == nullptr) parts_.push_back({metric, value * metric.factor});
}

void LaunchFigures::miss(const CounterMetric& metric) {
  if (find(metric) == nullptr) parts_.push_back({metric, missing_figure});
}

void LaunchFigures::set_cycles(int rank, double cycles) {
  if (rank >= cycles_rank_) return;
  cycles_rank_ = rank;
  cycles_ = cycles;
}

/// Sum of the parts of the same figure and form; NaN when one is missing.
double LaunchFigures::total(const Part& first) const {
  double sum = 0.0;
  for (const Part& part : parts_) {
    if (part.metric.figure == first.metric.figure && part.metric.form == first.metric.form) {
      sum += part.value;
    }
  }
  return sum;
}

void LaunchFigures::store(KernelTable& kernels, std::size_t row, LogFacts& facts) {
  // Nearest form first; time and clock before what is derived from them.
  std::ranges::stable_sort(parts_, [](const Part& a, const Part& b) {
    if (a.metric.form != b.metric.form) return a.metric.form < b.metric.form;
    return a.metric.figure < b.metric.figure;
  });
  bool by_second = false;
  bool by_cycle = false;
  bool no_cycles = false;
  for (const Part& part : parts_) {
    const KernelFigure figure = part.metric.figure;
    if (kernels.at(figure, row)) continue;
    double value = total(part);
    if (std::isnan(value)) continue;
    if (!is_total(part.metric.form)) {
      // Both directions were counted: their sum needs no deriving.
      if (figure == KernelFigure::dram_bytes && kernels.at(KernelFigure::dram_read_bytes, row) &&
          kernels.at(KernelFigure::dram_write_bytes, row)) {
        continue;
      }
      const std::optional<double> time = kernels.at(KernelFigure::time_s, row);
      if (part.metric.form == MetricForm::per_second) {
        if (!time) continue;
        value *= *time;
        by_second = true;
      } else {
        double cycles = cycles_;
        if (std::isnan(cycles)) {
          const std::optional<double> clock = kernels.at(KernelFigure::sm_clock_hz, row);
          if (time && clock) cycles = *time * *clock;
        }
        if (std::isnan(cycles)) {
          no_cycles = true;
          continue;
        }
        value *= cycles;
        by_cycle = true;
      }
    }
    kernels.set(figure, row, value);
  }
  if (by_second) ++facts.derived_per_second;
  if (by_cycle) ++facts.derived_per_cycle;
  if (no_cycles) facts.lose("launches with counts a cycle but without elapsed cycles");
  parts_.clear();
  cycles_rank_ = std::numeric_limits<int>::max();
  cycles_ = missing_figure;
}

}  // namespace rooflab::import::ncu
