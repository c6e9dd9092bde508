#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cupti_library.hpp"
#include "metric_plan.hpp"

namespace rooflab::profile {

/// Mode of counting. The metrics of a chip, and which of them share a pass, depend on it.
enum class CounterUse : std::uint8_t {
  ranges,   ///< counts of work (RangeSession)
  samples,  ///< counts over time (PmSampler)
};

/// Metrics to count together on a chip: the configuration for the hardware, and the decoding of
/// their values. Needs CUPTI's host library, but no GPU and no driver (values need counter data of
/// a device).
class MetricConfig {
 public:
  /// `chip`: CUPTI's name (`GH100`); `availability`: the image of RangeSession::availability() or
  /// PmSampler's, empty without a device. Throws CuptiError: 1 (invalid parameter) when one of the
  /// names does not exist on the chip, 46 for an unknown chip, 15 when libnvperf_host.so is
  /// missing.
  MetricConfig(std::shared_ptr<const CuptiLibrary> cupti, const std::string& chip,
               std::vector<std::string> metrics, std::span<const std::uint8_t> availability = {},
               CounterUse use = CounterUse::ranges);
  ~MetricConfig();
  MetricConfig(MetricConfig&&) noexcept;
  MetricConfig& operator=(MetricConfig&&) noexcept;

  [[nodiscard]] const std::vector<std::string>& metrics() const;
  /// Number of times that the work must run to count all metrics.
  [[nodiscard]] int passes() const;
  [[nodiscard]] std::span<const std::uint8_t> image() const;
  /// Values of one range of decoded counter data, in the order of metrics(); NaN where the device
  /// could not count one.
  [[nodiscard]] std::vector<double> values(std::span<const std::uint8_t> counter_data,
                                           std::size_t range) const;
  [[nodiscard]] std::span<const char* const> names() const;  ///< names of the metrics as C strings

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Asks CUPTI whether metrics exist on a chip. Throws CuptiError for faults other than an unknown
/// name.
[[nodiscard]] MetricsExist metrics_exist(std::shared_ptr<const CuptiLibrary> cupti,
                                         std::string chip,
                                         std::span<const std::uint8_t> availability = {});

/// Asks CUPTI whether a sample of a chip can have the metrics: whether all exist and share one
/// pass.
[[nodiscard]] MetricsExist metrics_fit_a_sample(std::shared_ptr<const CuptiLibrary> cupti,
                                                std::string chip,
                                                std::span<const std::uint8_t> availability = {});

/// Chips that this CUPTI knows: `GV100`, `TU102`, ...
[[nodiscard]] std::vector<std::string> known_chips(const CuptiLibrary& cupti);

}  // namespace rooflab::profile
