#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "profile/sampling_plan.hpp"
#include "profile_line.hpp"
#include "rooflab/base/json.hpp"
#include "rooflab/record/hardware_samples.hpp"

namespace rooflab::counters {

/// What a profile says of a device over time, line by line.
class SampleFacts {
 public:
  /// `lose` is told what cannot be used.
  using Lose = std::function<void(std::string_view what)>;

  void take_metrics(const Json& json, const Lose& lose);  ///< `{"sampling":{..}}`
  void take_sample(ListItems items, const Lose& lose);    ///< `["s",..]`
  void take_window(std::int64_t ns);                      ///< a window closed
  /// What GPM told of it, by record::gpm_figures; false: not as many.
  [[nodiscard]] bool take_gpm(std::span<const double> shares);

  [[nodiscard]] int device() const { return device_; }
  /// nullopt: nothing was to be sampled.
  [[nodiscard]] const std::optional<record::HardwareSamples>& samples() const { return samples_; }

 private:
  std::optional<record::HardwareSamples> samples_;
  int device_ = 0;
  std::vector<std::optional<profile::SampledMetric>> meanings_;  ///< what each metric tells
  std::vector<double> values_;
  std::int64_t first_ns_ = 0;
  std::int64_t last_ns_ = 0;   ///< begin of the last sample
  bool window_begins_ = true;  ///< the next sample is the first of its window
};

}  // namespace rooflab::counters
