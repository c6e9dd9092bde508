// When a measurement is suspect.
//
//   times vary       the 5th and the 95th percentile of the steps are more than 10 % of the median
//                    apart: the median may be meaningless then; a single outlier does not count
//   not settled      the warm-up ran out of time before times were stable
//   few steps        below six the interval of the median does not reach 95 % (statistics.hpp)
//   throttled        a reason other than idleness or clocks that the user set, before or after the
//                    steps or in a sample (NVML's "clocks event reasons")
//   clocks moved     the SM clock differs by more than 5 % before and after the steps
//   host-bound       the host needs 90 % of a step to issue it: the device is not what was measured
//   broken data      images that could not be read make batches smaller or slower

#include "suspicion.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "record_notes.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab::record {
namespace {

constexpr double most_spread = 0.10;
constexpr double most_clock_movement = 0.05;
constexpr std::size_t least_steps = 6;

bool is_harmless(const std::string& reason) {
  return reason == "idle" || reason == "gpu_idle" || reason == "none" ||
         reason == "application_clocks" || reason == "display_clocks" || reason == "sync_boost";
}

void add_throttling(std::vector<Note>& found, const Record& record) {
  std::map<std::string, int> samples;  // that name a reason
  const auto add = [&samples](const std::optional<std::vector<std::string>>& reasons, int count) {
    for (const std::string& reason : reasons.value_or(std::vector<std::string>())) {
      if (!is_harmless(reason)) samples[reason] += count;
    }
  };
  const Environment& environment = record.environment;
  for (const auto* clocks : {&environment.clocks_before, &environment.clocks_after}) {
    if (*clocks) add((*clocks)->throttle_reasons, 0);
  }
  std::size_t told = 0;
  for (const SampleSeries& series : record.samples) {
    for (const Sample& sample : series.samples) {
      if (sample.throttle_reasons) ++told;
      add(sample.throttle_reasons, 1);
    }
  }
  for (const auto& [reason, count] : samples) {
    const bool in_samples = count > 0;
    found.push_back({says.clocks_held_down,
                     {in_samples ? NoteValue(count) : NoteValue(),
                      in_samples ? NoteValue(told) : NoteValue(), reason}});
  }
}

void add_clock_movement(std::vector<Note>& found, const Environment& environment) {
  if (!environment.clocks_before || !environment.clocks_after) return;
  const std::optional<double> before = environment.clocks_before->sm_clock_hz;
  const std::optional<double> after = environment.clocks_after->sm_clock_hz;
  if (!before || !after || *before <= 0.0) return;
  const double movement = *after / *before - 1.0;
  if (std::abs(movement) <= most_clock_movement) return;
  found.push_back({says.clock_moved, {*before, *after, movement}});
}

}  // namespace

bool is_host_bound(const Record& record) {
  if (!record.timing || !record.timing->issue_s) return false;
  if (record.environment.device.kind == "cpu") return false;
  const std::optional<double> step_s = record.timing->median_s();
  return step_s && *record.timing->issue_s >= host_bound_share * *step_s;
}

std::vector<Note> suspicions_of(const Record& record) {
  std::vector<Note> found;
  if (record.timing && !record.timing->steps_s.empty()) {
    const Statistics steps = statistics_of(record.timing->steps_s);
    const double spread = (steps.p95 - quantile(record.timing->steps_s, 0.05)) / steps.median;
    if (spread > most_spread) found.push_back({says.steps_spread, {spread}});
    if (!record.timing->stable) {
      found.push_back({says.times_unsettled, {record.timing->warmup_steps}});
    }
    if (steps.count < least_steps) found.push_back({says.few_steps, {steps.count}});
    if (is_host_bound(record)) {
      found.push_back({says.host_bound, {*record.timing->issue_s, steps.median}});
    }
  }
  add_throttling(found, record);
  add_clock_movement(found, record.environment);
  if (!record.broken_data.empty()) {
    found.push_back(
        {says.data_unreadable, {record.broken_data.size(), record.broken_data.front()}});
  }
  return found;
}

}  // namespace rooflab::record
