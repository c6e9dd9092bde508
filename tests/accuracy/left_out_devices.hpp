#pragma once

#include <map>
#include <string>
#include <vector>

#include "rooflab/device/device.hpp"

namespace rooflab::accuracy {

/// Logarithms of predicted over measured times of a set of ops.
struct LeftOutErrors {
  std::vector<double> now;
  std::vector<double> before;        ///< errors of the rule of version 0.1
  std::vector<double> roofline;      ///< errors of the device's own datasheet
  std::vector<double> without_chip;  ///< with all devices of its chip left out
  double inside = 0.0;
  double width = 0.0;  ///< sum of the intervals' upper ends over their lower ends
  double inside_without_chip = 0.0;

  void add(const LeftOutErrors& other);
  [[nodiscard]] double coverage() const { return inside / static_cast<double>(now.size()); }
  [[nodiscard]] double coverage_without_chip() const {
    return inside_without_chip / static_cast<double>(without_chip.size());
  }
};

/// exp(median |log|) - 1: a time twice too long and one half as long as measured are both 1.
[[nodiscard]] double typical_error(std::vector<double> logs);
/// exp(mean |log|) - 1.
[[nodiscard]] double mean_error(std::vector<double> logs);
/// exp(mean log) - 1.
[[nodiscard]] double bias_of(const std::vector<double>& logs);

/// A calibrated device whose own calibration was not used.
struct LeftOutDevice {
  device::Device device;
  std::string nearest;  ///< id of the nearest device with a calibration
  std::map<std::string, LeftOutErrors> kinds;

  [[nodiscard]] LeftOutErrors all() const;
};

/// Every built-in calibration's rows predicted from all others: at most 200 rows of a kind, evenly
/// spaced, none shorter than 20 us, and only kinds that another device has.
[[nodiscard]] std::vector<LeftOutDevice> leave_each_device_out();

}  // namespace rooflab::accuracy
