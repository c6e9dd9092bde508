#include "rooflab/device/device.hpp"

#include "base/format.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::device {

std::optional<double> peak(const Device& device, ArithmeticPath path) {
  const auto found = device.peaks.find(path);
  return found == device.peaks.end() ? std::nullopt : std::optional(found->second.value);
}

std::optional<Bytes> memory_of(const Device& device) {
  if (!device.memory) return std::nullopt;
  constexpr double beyond = 9223372036854775808.0;  // 2^63
  const double bytes = device.memory->value;
  if (!(bytes < beyond)) {
    throw Error(ErrorKind::range,
                format("the memory of {} exceeds the 64-bit range: {}", device.name, bytes));
  }
  return Bytes(static_cast<std::int64_t>(bytes));
}

bool computes_bf16(const Device& device) {
  if (device.peaks.contains(ArithmeticPath::bf16_tensor_fp32)) return true;
  const std::optional<double> capability =
      device.compute_capability ? parse_number(device.compute_capability->value) : std::nullopt;
  if (capability) return *capability >= least_bf16_capability;
  return !device.sm_count;
}

Precision precision_on(const Device& device, Precision asked) {
  return autocast_on(computes_bf16(device), asked);
}

std::optional<double> ridge_point(const Device& device, ArithmeticPath path) {
  const std::optional<double> flops_per_s = peak(device, path);
  if (!flops_per_s || !device.bandwidth) return std::nullopt;
  return *flops_per_s / device.bandwidth->value;
}

}  // namespace rooflab::device
