// With samples x_i at t_i, the mean is  sum (x_i + x_i+1) / 2 * (t_i+1 - t_i)  over the sum of the
// intervals, both over neighbours that have the quantity: a gap counts in neither.
// Counters (energy, task clock) are differences of their last and first readings.

#include "rooflab/record/sample.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/format.hpp"
#include "describe/field_table.hpp"

namespace rooflab::record {

std::vector<SampleSeries> thinned(std::vector<SampleSeries> all, std::size_t most) {
  for (SampleSeries& series : all) {
    const std::size_t count = series.samples.size();
    if (count <= most) continue;
    std::vector<Sample> kept;
    kept.reserve(most);
    for (std::size_t i = 0; i < most; ++i) {
      kept.push_back(std::move(series.samples[i * (count - 1) / (most - 1)]));
    }
    series.samples = std::move(kept);
  }
  return all;
}

// A long recording has thousands of samples: figures that are not known are left out.
std::span<const Field> fields_of(For<Sample>) {
  static constexpr auto fields = field_table(
      field<&Sample::time_s>().says("At which the sample was taken, since its series began."),
      field<&Sample::core_utilization>("core_utilization_share").sparse(),
      field<&Sample::memory_utilization>("memory_utilization_share").sparse(),
      sparse_members<&Sample::memory_used_bytes, &Sample::power_w>,
      field<&Sample::energy_j>("energy_counter_j").sparse(),
      sparse_members<&Sample::sm_clock_hz, &Sample::memory_clock_hz, &Sample::temperature_c,
                     &Sample::throttle_reasons, &Sample::task_clock_s, &Sample::resident_bytes>);
  return fields;
}

std::span<const Field> fields_of(For<SampleSeries>) {
  return members<&SampleSeries::device, &SampleSeries::name, &SampleSeries::samples>;
}

namespace {

struct Trapezoids {
  double area = 0.0;
  double time_s = 0.0;
};

template <class Number>
Trapezoids trapezoids(const std::vector<Sample>& samples, std::optional<Number> Sample::*member) {
  Trapezoids result;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const Sample& left = samples[i - 1];
    const Sample& right = samples[i];
    if (!(left.*member) || !(right.*member)) continue;
    const double width = right.time_s - left.time_s;
    const double sum = static_cast<double>(*(left.*member)) + static_cast<double>(*(right.*member));
    result.area += sum / 2.0 * width;
    result.time_s += width;
  }
  return result;
}

template <class Number>
std::optional<SampledFigure> figure_of(const std::vector<Sample>& samples,
                                       std::optional<Number> Sample::*member) {
  std::vector<double> values;
  double sum = 0.0;
  for (const Sample& sample : samples) {
    if (!(sample.*member)) continue;
    values.push_back(static_cast<double>(*(sample.*member)));
    sum += values.back();
  }
  if (values.empty()) return std::nullopt;
  const auto [min, max] = std::ranges::minmax(values);
  const Trapezoids integral = trapezoids(samples, member);
  const double mean = integral.time_s > 0.0 ? integral.area / integral.time_s
                                            : sum / static_cast<double>(values.size());
  return SampledFigure{.mean = mean, .min = min, .max = max};
}

struct CounterDifference {
  double amount = 0.0;
  double span_s = 0.0;
};

/// nullopt with fewer than two readings or when the counter fell.
std::optional<CounterDifference> difference(const std::vector<Sample>& samples,
                                            std::optional<double> Sample::*counter) {
  const auto has = [counter](const Sample& sample) { return (sample.*counter).has_value(); };
  const auto first = std::ranges::find_if(samples, has);
  const auto last = std::find_if(samples.rbegin(), samples.rend(), has);
  if (first == samples.end() || &*first == &*last) return std::nullopt;
  const double amount = *(*last.*counter) - *(*first.*counter);
  if (amount < 0.0) return std::nullopt;
  return CounterDifference{.amount = amount, .span_s = last->time_s - first->time_s};
}

std::optional<std::vector<ThrottleShare>> throttle_of(const std::vector<Sample>& samples) {
  std::map<std::string, int> counts;
  int telling = 0;
  for (const Sample& sample : samples) {
    if (!sample.throttle_reasons) continue;
    ++telling;
    for (const std::string& reason : *sample.throttle_reasons) ++counts[reason];
  }
  if (telling == 0) return std::nullopt;
  std::vector<ThrottleShare> shares;
  shares.reserve(counts.size());
  for (const auto& [reason, count] : counts) {
    shares.push_back({reason, static_cast<double>(count) / telling});
  }
  std::ranges::stable_sort(shares, std::ranges::greater{}, &ThrottleShare::share);
  return shares;
}

using Figure = std::optional<SampledFigure> SampleSummary::*;

template <Figure figure>
std::optional<double> mean(const SampleSummary& summary) {
  return mean_of(summary.*figure);
}
template <Figure figure>
std::optional<double> highest(const SampleSummary& summary) {
  return max_of(summary.*figure);
}

}  // namespace

SampleSummary summarize(const SampleSeries& series) {
  const std::vector<Sample>& samples = series.samples;
  SampleSummary summary;
  summary.device = series.device;
  summary.name = series.name;
  summary.samples = samples.size();
  if (samples.empty()) return summary;
  summary.duration_s = samples.back().time_s - samples.front().time_s;
  summary.core_utilization = figure_of(samples, &Sample::core_utilization);
  summary.memory_utilization = figure_of(samples, &Sample::memory_utilization);
  summary.memory_used_bytes = figure_of(samples, &Sample::memory_used_bytes);
  summary.power_w = figure_of(samples, &Sample::power_w);
  summary.sm_clock_hz = figure_of(samples, &Sample::sm_clock_hz);
  summary.memory_clock_hz = figure_of(samples, &Sample::memory_clock_hz);
  summary.temperature_c = figure_of(samples, &Sample::temperature_c);
  summary.resident_bytes = figure_of(samples, &Sample::resident_bytes);
  if (const auto energy = difference(samples, &Sample::energy_j)) {
    summary.energy_j = energy->amount;
    summary.energy_span_s = energy->span_s;
  }
  summary.throttle = throttle_of(samples);
  if (const auto task = difference(samples, &Sample::task_clock_s)) {
    summary.task_clock_s = task->amount;
    if (task->span_s > 0.0) summary.cores_busy = task->amount / task->span_s;
  }
  return summary;
}

std::optional<std::string> SampleSummary::throttled_by() const {
  if (!throttle) return std::nullopt;
  std::vector<std::string> parts;
  for (const ThrottleShare& each : *throttle) {
    parts.push_back(format("{} {:.0f} %", each.reason, each.share * 100.0));
  }
  return parts.empty() ? "none" : join(parts, ", ");
}

std::span<const Field> fields_of(For<SampleSummary>) {
  static constexpr auto fields =
      field_table(members<&SampleSummary::device, &SampleSummary::name, &SampleSummary::duration_s>,
                  field<&SampleSummary::samples>("sample_count"),
                  field<&mean<&SampleSummary::core_utilization>>("mean_core_utilization_share"),
                  field<&mean<&SampleSummary::memory_utilization>>("mean_memory_utilization_share"),
                  field<&mean<&SampleSummary::memory_used_bytes>>("mean_memory_used_bytes"),
                  field<&highest<&SampleSummary::memory_used_bytes>>("highest_memory_used_bytes"),
                  field<&mean<&SampleSummary::power_w>>("mean_power_w"),
                  field<&highest<&SampleSummary::power_w>>("highest_power_w"),
                  field<&SampleSummary::energy_j>("counted_energy_j"),
                  field<&mean<&SampleSummary::sm_clock_hz>>("mean_sm_clock_hz"),
                  field<&mean<&SampleSummary::temperature_c>>("mean_temperature_c"),
                  field<&highest<&SampleSummary::temperature_c>>("highest_temperature_c"),
                  members<&SampleSummary::throttled_by, &SampleSummary::task_clock_s,
                          &SampleSummary::cores_busy>,
                  field<&mean<&SampleSummary::resident_bytes>>("mean_resident_bytes"),
                  field<&highest<&SampleSummary::resident_bytes>>("highest_resident_bytes"));
  return fields;
}

}  // namespace rooflab::record
