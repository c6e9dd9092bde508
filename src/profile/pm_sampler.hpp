#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cupti_library.hpp"
#include "metric_config.hpp"
#include "sample_source.hpp"
#include "sampling_plan.hpp"

namespace rooflab::profile {

/// Samples a whole device with all its processes through CUPTI's PM sampling.
class PmSampler final : public SampleSource {
 public:
  /// Prepares the hardware of the device with this CUDA ordinal. `samples`: largest number between
  /// two calls of take(); the hardware's buffer has room for more. Throws CuptiError.
  PmSampler(std::shared_ptr<const CuptiLibrary> cupti, int device, std::int64_t interval_ns,
            std::size_t samples);
  ~PmSampler() override;
  PmSampler(const PmSampler&) = delete;
  PmSampler& operator=(const PmSampler&) = delete;

  [[nodiscard]] int device() const override { return device_; }
  [[nodiscard]] const std::string& chip() const override { return chip_; }
  [[nodiscard]] const std::vector<std::string>& metrics() const override { return list_.metrics; }
  [[nodiscard]] const std::vector<std::string>& left_out() const override { return list_.left_out; }
  void start() override;
  void stop() override;
  [[nodiscard]] TakenSamples take() override;

 private:
  void enable(std::int64_t interval_ns);
  void make_image(std::size_t samples);
  void clear_image();
  void disable() noexcept;
  /// Adds the samples of the image that were not read yet.
  void read_image(std::vector<TimedSample>& samples);

  std::shared_ptr<const CuptiLibrary> cupti_;
  int device_;
  std::string chip_;
  std::vector<std::uint8_t> availability_;
  SamplingList list_;
  MetricConfig config_;
  void* object_ = nullptr;  ///< CUpti_PmSampling_Object
  bool started_ = false;
  std::vector<std::uint8_t> image_;  ///< counter data that samples are decoded into
  std::size_t most_samples_ = 0;     ///< capacity of the image
  std::size_t read_ = 0;             ///< samples of the image that were read
};

}  // namespace rooflab::profile
