#include "describe/field_table.hpp"
#include "rooflab/device/device.hpp"

namespace rooflab::device {
namespace {

std::map<ArithmeticPath, double> ridge_points(const Device& device) {
  std::map<ArithmeticPath, double> ridges;
  for (const auto& [path, figure] : device.peaks) {
    if (const std::optional<double> ridge = ridge_point(device, path)) ridges[path] = *ridge;
  }
  return ridges;
}

}  // namespace

std::span<const Field> fields_of(For<Figure>) {
  return members<&Figure::value, &Figure::printed_value, &Figure::unit, &Figure::source,
                 &Figure::recalled, &Figure::note>;
}

std::span<const Field> fields_of(For<Fact>) {
  return members<&Fact::value, &Fact::source, &Fact::recalled, &Fact::note>;
}

std::span<const Field> fields_of(For<Device>) {
  static constexpr auto fields = field_table(
      members<&Device::id, &Device::name, &Device::aliases, &Device::vendor, &Device::architecture,
              &Device::chip, &Device::note, &Device::compute_capability, &Device::memory_type,
              &Device::pcie>,
      field<&Device::sm_count>("multiprocessors"), field<&Device::fp32_lanes_per_sm>(),
      field<&Device::boost_clock>("boost_clock_hz"), field<&Device::base_clock>("base_clock_hz"),
      field<&Device::sustained_clock>("sustained_clock_hz"), field<&Device::memory>("memory_bytes"),
      field<&Device::bandwidth>("bandwidth_bytes_per_s"), field<&Device::l2>("l2_size_bytes"),
      field<&Device::tdp>("tdp_w"), field<&Device::gpu_link>("gpu_link_bytes_per_s"),
      field<&Device::peaks>("peaks_flop_per_s"), field<&ridge_points>("ridge_points_flop_per_byte"),
      field<&Device::sustained>("sustained_flop_per_s"));
  return fields;
}

}  // namespace rooflab::device
