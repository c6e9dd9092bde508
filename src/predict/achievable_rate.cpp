// What a device keeps up of its datasheet.
//
// Peaks are printed at the boost clock, which a long product holds only where the board has the
// power for it: a T4 keeps half of it. sustained_ratio() of the device room says how much.
//
// The share of the bandwidth is the best that published elementwise ops over large tensors reach
// (NeuSight's add, multiply, ReLU and tanh in FP32): V100 PCIe 0.91, A100 PCIe 0.87 (40 GB) and
// 0.88 (80 GB); P100 PCIe 0.75, P4 0.75, T4 0.75, whose memory or whose error correction costs
// more. An H200 reaches 0.89 in our own copies. So devices before Volta, and Turing, take 0.75 and
// later ones 0.88.

#include "achievable_rate.hpp"

#include <algorithm>
#include <optional>

#include "product_type.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::predict {
namespace {

constexpr double early_memory_share = 0.75;
constexpr double late_memory_share = 0.88;

}  // namespace

RoofTimes datasheet_times(const OpShape& shape, const device::Device& device) {
  const OpWork work = work_of(shape);
  RoofTimes times;
  const auto path = path_of_type(shape.type, device);
  if (path && work.matrix_flops > 0.0) times.matrix_s = work.matrix_flops / *peak(device, *path);
  if (device.bandwidth) times.memory_s = work.bytes / device.bandwidth->value;
  return times;
}

double memory_share(const device::Device& device) {
  const std::optional<double> capability =
      device.compute_capability ? parse_number(device.compute_capability->value) : std::nullopt;
  const bool early = capability && (*capability < 7.0 || *capability == 7.5);
  return early ? early_memory_share : late_memory_share;
}

double least_memory_time(const OpShape& shape, const device::Device& device) {
  if (!device.bandwidth || !device.l2) return 0.0;
  return std::max(0.0, least_bytes(shape) - device.l2->value) / device.bandwidth->value;
}

RoofTimes achievable_times(const OpShape& shape, const device::Device& device) {
  RoofTimes times = datasheet_times(shape, device);
  if (const auto path = path_of_type(shape.type, device); path && times.matrix_s > 0.0) {
    if (const auto kept = device::sustained_ratio(device, *path)) times.matrix_s /= kept->value;
  }
  times.memory_s /= memory_share(device);
  return times;
}

}  // namespace rooflab::predict
