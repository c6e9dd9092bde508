#include "base/field_table.hpp"
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
  static constexpr Field fields[] = {
      field<&Figure::value>("value"),       field<&Figure::printed_value>("printed_value"),
      field<&Figure::unit>("unit"),         field<&Figure::source>("source"),
      field<&Figure::recalled>("recalled"), field<&Figure::note>("note"),
  };
  return fields;
}

std::span<const Field> fields_of(For<Fact>) {
  static constexpr Field fields[] = {
      field<&Fact::value>("value"),
      field<&Fact::source>("source"),
      field<&Fact::recalled>("recalled"),
      field<&Fact::note>("note"),
  };
  return fields;
}

std::span<const Field> fields_of(For<Device>) {
  static constexpr Field fields[] = {
      field<&Device::id>("id"),
      field<&Device::name>("name"),
      field<&Device::aliases>("aliases"),
      field<&Device::vendor>("vendor"),
      field<&Device::architecture>("architecture"),
      field<&Device::chip>("chip"),
      field<&Device::note>("note"),
      field<&Device::compute_capability>("compute_capability"),
      field<&Device::memory_type>("memory_type"),
      field<&Device::pcie>("pcie"),
      field<&Device::sm_count>("multiprocessors"),
      field<&Device::fp32_lanes_per_sm>("fp32_lanes_per_sm"),
      field<&Device::boost_clock>("boost_clock_hz"),
      field<&Device::base_clock>("base_clock_hz"),
      field<&Device::sustained_clock>("sustained_clock_hz"),
      field<&Device::memory>("memory_bytes"),
      field<&Device::bandwidth>("bandwidth_bytes_per_s"),
      field<&Device::l2>("l2_size_bytes"),
      field<&Device::tdp>("tdp_w"),
      field<&Device::gpu_link>("gpu_link_bytes_per_s"),
      field<&Device::peaks>("peak_flop_per_s"),
      field<&ridge_points>("ridge_point_flop_per_byte"),
      field<&Device::sustained>("sustained_flop_per_s"),
  };
  return fields;
}

}  // namespace rooflab::device
