#include "rooflab/device/device.hpp"

namespace rooflab::device {

std::optional<double> peak(const Device& device, ArithmeticPath path) {
  const auto found = device.peaks.find(path);
  return found == device.peaks.end() ? std::nullopt : std::optional(found->second.value);
}

std::optional<double> ridge_point(const Device& device, ArithmeticPath path) {
  const std::optional<double> flops_per_s = peak(device, path);
  if (!flops_per_s || !device.bandwidth) return std::nullopt;
  return *flops_per_s / device.bandwidth->value;
}

}  // namespace rooflab::device
