#include "rooflab/base/field_table.hpp"
#include "rooflab/record/environment.hpp"

namespace rooflab::record {

std::span<const Field> fields_of(For<DeviceIdentity>) {
  static constexpr Field fields[] = {
      field<&DeviceIdentity::kind>("kind"),
      field<&DeviceIdentity::index>("index"),
      field<&DeviceIdentity::name>("name"),
      field<&DeviceIdentity::uuid>("uuid"),
      field<&DeviceIdentity::memory>("memory_bytes"),
      field<&DeviceIdentity::compute_capability>("compute_capability"),
      field<&DeviceIdentity::multiprocessors>("multiprocessors"),
      field<&DeviceIdentity::driver>("driver"),
  };
  return fields;
}

std::span<const Field> fields_of(For<ClockState>) {
  static constexpr Field fields[] = {
      field<&ClockState::sm_clock_hz>("sm_clock_hz"),
      field<&ClockState::memory_clock_hz>("memory_clock_hz"),
      field<&ClockState::temperature_c>("temperature_c"),
      field<&ClockState::throttle_reasons>("throttle_reasons"),
  };
  return fields;
}

std::span<const Field> fields_of(For<Environment>) {
  static constexpr Field fields[] = {
      field<&Environment::date>("date"),
      field<&Environment::command>("command_line"),
      field<&Environment::rooflab>("rooflab"),
      field<&Environment::host>("host"),
      field<&Environment::cpu>("cpu"),
      field<&Environment::logical_cpus>("logical_cpus"),
      field<&Environment::threads>("threads"),
      field<&Environment::host_memory>("host_memory_bytes"),
      field<&Environment::device>("device"),
      field<&Environment::libraries>("libraries"),
      field<&Environment::tf32_convolution>("tf32_convolution"),
      field<&Environment::tf32_matmul>("tf32_matmul"),
      field<&Environment::cudnn_benchmark>("cudnn_benchmark"),
      field<&Environment::clocks_before>("clocks_before"),
      field<&Environment::clocks_after>("clocks_after"),
  };
  return fields;
}

}  // namespace rooflab::record
