#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rooflab::profile {

/// Values counted between two moments of the device's clock.
struct TimedSample {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::vector<double> values;  ///< one per metric; NaN: none
};

struct TakenSamples {
  std::vector<TimedSample> samples;
  bool overflowed = false;  ///< the hardware's buffer was full: samples are missing after these
};

/// Hardware that counts a device's work in samples of equal length. Functions may throw CuptiError.
class SampleSource {
 public:
  virtual ~SampleSource() = default;

  [[nodiscard]] virtual int device() const = 0;               ///< CUDA ordinal
  [[nodiscard]] virtual const std::string& chip() const = 0;  ///< CUPTI's name
  [[nodiscard]] virtual const std::vector<std::string>& metrics() const = 0;
  /// Figures without room among the metrics.
  [[nodiscard]] virtual const std::vector<std::string>& left_out() const = 0;

  virtual void start() = 0;
  virtual void stop() = 0;
  /// Takes the samples since the last call; after stop() the remaining ones.
  [[nodiscard]] virtual TakenSamples take() = 0;
};

}  // namespace rooflab::profile
