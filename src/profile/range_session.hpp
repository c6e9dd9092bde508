#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "counted_unit.hpp"
#include "metric_config.hpp"

namespace rooflab::profile {

/// Values of the ranges in the order in which they ran: `values[range * metrics + metric]`.
struct RangeValues {
  std::size_t ranges = 0;
  std::size_t metrics = 0;
  std::vector<double> values;
  std::vector<std::string> names;  ///< names of the ranges for the unit `launch`, in their order

  [[nodiscard]] double at(std::size_t range, std::size_t metric) const {
    return values[range * metrics + metric];
  }
};

/// The hardware counters of one CUDA context, through CUPTI's Range Profiler with user replay: each
/// pass covers one run of the work, and the caller repeats the work for the next pass. The context
/// must be current. Every function throws CuptiError.
///
///     session.start(config, CountedUnit::step, 1);
///     while (run_step(), !session.end_pass()) session.next_pass();
///     const RangeValues values = session.finish();
class RangeSession {
 public:
  /// Opens a session. `context`: a CUcontext; `device`: its CUDA ordinal.
  RangeSession(std::shared_ptr<const CuptiLibrary> cupti, void* context, int device);
  ~RangeSession();
  RangeSession(const RangeSession&) = delete;
  RangeSession& operator=(const RangeSession&) = delete;

  [[nodiscard]] const std::string& chip() const { return chip_; }
  [[nodiscard]] std::span<const std::uint8_t> availability() const { return availability_; }

  /// Arms the counters in up to 0.2 s, plus about 0.7 ms for each of `max_ranges`. `config` must
  /// outlive the matching finish. Ranges beyond `max_ranges` are lost silently: compare
  /// RangeValues::ranges with the launches.
  void start(const MetricConfig& config, CountedUnit unit, std::size_t max_ranges);
  /// Ends a pass whose work the device has finished. True after the last pass of the config.
  bool end_pass();
  /// Arms the next pass in about 2 ms. The same work must follow.
  void next_pass();
  /// Begins a range with this name in a pass of the unit `launch`. Every pass must have the same
  /// ranges, in any order. Work outside of ranges runs as without counters.
  void begin_range(const std::string& name);
  void end_range();
  /// Decodes the values of all passes.
  [[nodiscard]] RangeValues finish();
  /// After finish(): forgets the values and begins the first pass again, in 20 ms.
  void renew();
  /// Disarms the counters in any state, in 10 to 60 ms. Never throws.
  void abandon() noexcept;

  [[nodiscard]] bool armed() const { return object_ != nullptr; }

 private:
  void begin_pass();
  void set_config();
  [[nodiscard]] std::string name_of_range(std::size_t range) const;

  std::shared_ptr<const CuptiLibrary> cupti_;
  void* context_;
  std::string chip_;
  std::vector<std::uint8_t> availability_;
  void* object_ = nullptr;  ///< CUpti_RangeProfiler_Object
  const MetricConfig* config_ = nullptr;
  CountedUnit unit_ = CountedUnit::step;
  bool in_pass_ = false;
  bool in_range_ = false;
  std::size_t max_ranges_ = 0;
  std::vector<std::uint8_t> counter_data_;  ///< CUPTI keeps its address while the object lives
};

/// The CUDA ordinal of a context's device.
[[nodiscard]] int device_of(const CuptiLibrary& cupti, void* context);

/// CUPTI's name of a device's chip; needs a driver, but no context.
[[nodiscard]] std::string chip_name(const CuptiLibrary& cupti, int device);

}  // namespace rooflab::profile
