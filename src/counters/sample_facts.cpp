// A sample that begins before the one before it, or that has no time, is left out and counted. So
// is a window's first one where it is far too long: it would hold what was counted since the
// hardware was programmed, or nobody knows when. A value that is missing stays unknown.

#include "sample_facts.hpp"

#include <cmath>

namespace rooflab::counters {
namespace {

constexpr std::string_view bad_sample = "lines with something missing or of the wrong type";
constexpr double sample_seconds = 1e-9;
constexpr double longest_first = 10.0;  // in intervals

}  // namespace

void SampleFacts::take_metrics(const Json& json, const Lose& lose) {
  const auto metrics = json.find("metrics");
  const auto interval = json.find("interval_ns");
  const auto device = json.find("device");
  const auto whole = [&](auto each) { return each != json.end() && each->is_number_integer(); };
  if (metrics == json.end() || !metrics->is_array() || !whole(interval) ||
      interval->template get<std::int64_t>() <= 0) {
    return lose(bad_sample);
  }
  if (samples_) return lose("samples of a second device");
  record::HardwareSamples told;
  std::vector<std::optional<profile::SampledMetric>> meanings;
  for (const Json& metric : *metrics) {
    if (!metric.is_string()) return lose(bad_sample);
    told.metrics.push_back(metric.get<std::string>());
    meanings.push_back(profile::sampled_metric(told.metrics.back()));
    if (!meanings.back()) lose("metrics of samples that are not known");
  }
  told.interval_s = static_cast<double>(interval->get<std::int64_t>()) * sample_seconds;
  if (whole(device)) device_ = static_cast<int>(device->get<std::int64_t>());
  samples_ = std::move(told);
  meanings_ = std::move(meanings);
}

void SampleFacts::take_sample(ListItems items, const Lose& lose) {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  if (!items.integer(start_ns) || !items.integer(end_ns)) return lose(bad_sample);
  values_.clear();
  double value = 0.0;
  while (items.number(value)) values_.push_back(value);
  if (!items.ends() || values_.size() != meanings_.size()) return lose(bad_sample);
  if (!samples_) return lose("samples without metrics");

  const bool first = window_begins_;
  window_begins_ = false;
  if (start_ns <= 0 || end_ns <= start_ns) return lose("samples without a time");
  const double length_s = static_cast<double>(end_ns - start_ns) * sample_seconds;
  if (first && length_s > longest_first * samples_->interval_s) {
    return lose("first samples of a window that are far too long");
  }
  record::HardwareSamples& samples = *samples_;
  if (samples.size() == 0) {
    first_ns_ = start_ns;
  } else if (start_ns <= last_ns_) {
    return lose("samples that begin before the one before them");
  }
  last_ns_ = start_ns;
  samples.start_s.push_back(static_cast<double>(start_ns - first_ns_) * sample_seconds);
  samples.length_s.push_back(length_s);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (!meanings_[i]) continue;
    const bool known = std::isfinite(values_[i]) && values_[i] >= 0.0;
    if (!known) lose("values that samples lack");
    record::HardwareSamples::Column& column = samples.*meanings_[i]->column;
    // A metric that is named twice fills its column once.
    if (column.size() == samples.size()) continue;
    column.push_back(known ? std::optional(values_[i] * meanings_[i]->factor) : std::nullopt);
  }
}

void SampleFacts::take_window(std::int64_t ns) {
  window_begins_ = true;
  if (samples_) samples_->window_s += static_cast<double>(ns) * sample_seconds;
}

bool SampleFacts::take_gpm(std::span<const double> shares) {
  if (shares.size() != record::gpm_figures.size()) return false;
  if (!samples_) return true;
  record::GpmShares& gpm = samples_->gpm.emplace();
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (std::isfinite(shares[i])) gpm.*record::gpm_figures[i] = shares[i];
  }
  return true;
}

}  // namespace rooflab::counters
