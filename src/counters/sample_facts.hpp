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

/// Samples of a device over time in a profile, taken line by line.
class SampleFacts {
 public:
  /// Reports an unusable item.
  using Lose = std::function<void(std::string_view what)>;

  void take_metrics(const Json& json, const Lose& lose);  ///< `{"sampling":{..}}`
  void take_sample(ListItems items, const Lose& lose);    ///< `["s",..]`
  void take_window(std::int64_t ns);                      ///< takes the end of a window
  /// Takes GPM's figures of the window, in the order of record::gpm_figures; false: their number is
  /// wrong.
  [[nodiscard]] bool take_gpm(std::span<const double> shares);

  [[nodiscard]] int device() const { return device_; }
  /// The samples; nullopt: sampling was not requested.
  [[nodiscard]] const std::optional<record::HardwareSamples>& samples() const { return samples_; }

 private:
  std::optional<record::HardwareSamples> samples_;
  int device_ = 0;
  std::vector<std::optional<profile::SampledMetric>> meanings_;  ///< meaning of each metric
  std::vector<double> values_;
  std::int64_t first_ns_ = 0;
  std::int64_t last_ns_ = 0;   ///< begin of the last sample
  bool window_begins_ = true;  ///< the next sample is the first of its window
};

}  // namespace rooflab::counters
