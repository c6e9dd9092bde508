// Totals come first: they cost a few milliseconds a set, and a tensor type without any work in the
// whole step need not be asked of every kernel, which costs about a millisecond a launch.

#include "step_counting.hpp"

#include <cmath>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "rooflab/record/counter_metric.hpp"

namespace rooflab::inject {
namespace {

constexpr int most_attempts = 5;
constexpr std::string_view peak_suffix = ".peak_sustained";

std::int64_t ns_between(std::chrono::steady_clock::time_point begin,
                        std::chrono::steady_clock::time_point end) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin).count();
}

}  // namespace

StepCounting::StepCounting(std::shared_ptr<const counters::CuptiLibrary> cupti, void* context,
                           int device, std::vector<std::uint32_t> sequence, bool kernels,
                           ProfileFile& file)
    : cupti_(std::move(cupti)),
      session_(cupti_, context, device),
      sequence_(std::move(sequence)),
      kernels_wanted_(kernels),
      file_(file) {
  passes_ = [this](std::span<const std::string> metrics) -> std::optional<int> {
    try {
      return counters::MetricConfig(cupti_, session_.chip(), {metrics.begin(), metrics.end()},
                                    session_.availability())
          .passes();
    } catch (const counters::CuptiError&) {
      return std::nullopt;
    }
  };
  plan_totals();
  if (sets_.empty() && kernels_wanted_) plan_kernels();
}

void StepCounting::plan_totals() {
  add_sets(counters::plan_totals(session_.chip(), passes_, true), counters::RangeUnit::step);
}

void StepCounting::plan_kernels() {
  kernels_planned_ = true;
  add_sets(counters::plan_kernels(session_.chip(), passes_, absent_), counters::RangeUnit::kernel);
}

void StepCounting::add_sets(const counters::MetricPlan& plan, counters::RangeUnit unit) {
  for (const counters::MetricSet& set : plan.sets) {
    sets_.push_back({counters::MetricConfig(cupti_, session_.chip(), set.metrics,
                                            session_.availability()),
                     unit});
  }
  for (const std::string& metric : plan.missing) {
    file_.lines().lost("metrics that this chip does not have: " + metric, 1);
  }
}

void StepCounting::begin_step() {
  if (done()) return;
  Set& set = sets_[next_];
  ++set.attempts;
  armed_ = Clock::now();
  if (!first_armed_) first_armed_ = armed_;
  const bool whole = set.unit == counters::RangeUnit::step;
  session_.start(set.config, set.unit, whole ? 1 : sequence_.size());
}

void StepCounting::end_step(const std::vector<std::uint32_t>& launched) {
  if (!session_.armed()) return;
  const Set& set = sets_[next_];
  session_.end_pass();
  const bool alike = launched == sequence_;
  if (!alike && set.attempts < most_attempts) {
    session_.abandon();
    return;
  }
  const counters::RangeValues values = session_.finish();
  if (set.unit == counters::RangeUnit::step) {
    write_totals(set, values);
  } else {
    write_kernels(set, values, launched);
  }
}

void StepCounting::write_totals(const Set& set, const counters::RangeValues& values) {
  const bool whole = values.ranges == 1;
  if (whole) {
    std::vector<std::string> names;
    std::vector<double> figures;
    std::map<std::string, double> peaks;
    for (std::size_t i = 0; i < values.metrics; ++i) {
      const std::string& metric = set.config.metrics()[i];
      const double value = values.at(0, i);
      if (metric.ends_with(peak_suffix)) {
        if (!std::isnan(value)) {
          peaks[metric.substr(0, metric.size() - peak_suffix.size())] = value;
        }
        continue;
      }
      names.push_back(metric);
      figures.push_back(value);
      const auto tensor = record::tensor_figure_of(metric);
      if (tensor && value == 0.0) absent_.push_back(*tensor);
    }
    file_.lines().set(next_, false, names);
    file_.lines().totals(next_, figures);
    if (!peaks.empty()) file_.peaks(peaks);
  } else {
    file_.lines().set(next_, false, set.config.metrics());
  }
  end_set(static_cast<std::int64_t>(sequence_.size()), whole ? 0 : 1);
}

void StepCounting::write_kernels(const Set& set, const counters::RangeValues& values,
                                 const std::vector<std::uint32_t>& launched) {
  file_.lines().set(next_, true, set.config.metrics());
  // As many ranges as launches, or nobody can tell which is whose.
  const bool matched = values.ranges == launched.size();
  if (matched) {
    for (std::size_t i = 0; i < launched.size(); ++i) {
      file_.lines().values(next_, i, launched[i],
                   std::span(values.values).subspan(i * values.metrics, values.metrics));
    }
  } else {
    file_.lines().warning("the hardware counted " + std::to_string(values.ranges) + " kernels where " +
                      std::to_string(launched.size()) + " were launched: the set is left out",
                  "");
  }
  end_set(static_cast<std::int64_t>(launched.size()),
          matched ? 0 : static_cast<std::int64_t>(launched.size()));
}

void StepCounting::end_set(std::int64_t launches, std::int64_t dropped) {
  const Clock::time_point now = Clock::now();
  file_.lines().set_done(next_, ns_between(armed_, now), launches, dropped);
  ++next_;
  if (done() && kernels_wanted_ && !kernels_planned_) plan_kernels();
  if (done()) file_.lines().counting_wall(ns_between(*first_armed_, now));
  file_.lines().flush();
}

void StepCounting::abandon_step() {
  session_.abandon();
  if (done()) return;
  Set& set = sets_[next_];
  if (set.attempts < most_attempts) return;
  // Steps here are never alike: what this set would have told stays unknown.
  file_.lines().set(next_, set.unit == counters::RangeUnit::kernel, set.config.metrics());
  end_set(0, static_cast<std::int64_t>(sequence_.size()));
}

}  // namespace rooflab::inject
