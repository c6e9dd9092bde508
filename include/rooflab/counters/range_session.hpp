#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rooflab/counters/metric_config.hpp"

namespace rooflab::counters {

/// What one set of values is of.
enum class RangeUnit : std::uint8_t {
  step,    ///< everything between start and stop, kernels concurrent (user range)
  kernel,  ///< each kernel launch, one after the other (auto range)
};

/// Values of the ranges in the order in which they ran: `values[range * metrics + metric]`.
struct RangeValues {
  std::size_t ranges = 0;
  std::size_t metrics = 0;
  std::vector<double> values;

  [[nodiscard]] double at(std::size_t range, std::size_t metric) const {
    return values[range * metrics + metric];
  }
};

/// The hardware counters of one CUDA context, through CUPTI's Range Profiler with user replay: each
/// start and stop takes one pass; whoever calls runs the same work again for the next. The context
/// must be current. Every function throws CuptiError.
class RangeSession {
 public:
  /// `context`: a CUcontext. `device`: its CUDA ordinal.
  RangeSession(std::shared_ptr<const CuptiLibrary> cupti, void* context, int device);
  ~RangeSession();
  RangeSession(const RangeSession&) = delete;
  RangeSession& operator=(const RangeSession&) = delete;

  [[nodiscard]] const std::string& chip() const { return chip_; }
  [[nodiscard]] std::span<const std::uint8_t> availability() const { return availability_; }

  /// Arms the counters. `config` must outlive the matching stop. Ranges beyond `max_ranges` are
  /// lost without a word: compare RangeValues::ranges with the launches.
  void start(const MetricConfig& config, RangeUnit unit, std::size_t max_ranges);
  /// Ends a pass whose work the device has finished. True when the config's last pass is done.
  bool end_pass();
  /// Arms the next pass of the same config.
  void next_pass();
  /// Decodes and disarms.
  [[nodiscard]] RangeValues finish();
  /// Disarms and forgets what was counted, whatever state it is in; never throws.
  void abandon() noexcept;

  [[nodiscard]] bool armed() const { return config_ != nullptr; }

 private:
  void enable();
  void disable() noexcept;
  void begin_range();

  std::shared_ptr<const CuptiLibrary> cupti_;
  void* context_;
  std::string chip_;
  std::vector<std::uint8_t> availability_;
  void* object_ = nullptr;  ///< CUpti_RangeProfiler_Object
  const MetricConfig* config_ = nullptr;
  RangeUnit unit_ = RangeUnit::step;
  bool running_ = false;
  bool configured_ = false;  ///< the object has been given the buffers below
  // CUPTI keeps the addresses of both from the object's first config on.
  std::vector<std::uint8_t> config_image_;
  std::vector<std::uint8_t> counter_data_;
  std::size_t counter_data_size_ = 0;  ///< in use
};

/// The chip of a device, which needs a driver but no context.
[[nodiscard]] std::string chip_name(const CuptiLibrary& cupti, int device);

}  // namespace rooflab::counters
