#include "rooflab/base/field_table.hpp"
#include "rooflab/record/environment.hpp"

namespace rooflab::record {

std::span<const Field> fields_of(For<DeviceIdentity>) {
  return members<&DeviceIdentity::kind, &DeviceIdentity::index, &DeviceIdentity::name,
                 &DeviceIdentity::uuid, &DeviceIdentity::memory,
                 &DeviceIdentity::compute_capability, &DeviceIdentity::multiprocessors,
                 &DeviceIdentity::driver>;
}

std::span<const Field> fields_of(For<ClockState>) {
  return members<&ClockState::sm_clock_hz, &ClockState::memory_clock_hz, &ClockState::temperature_c,
                 &ClockState::throttle_reasons>;
}

std::span<const Field> fields_of(For<Environment>) {
  static constexpr auto fields = field_table(
      field<&Environment::date>(), field<&Environment::command>("command_line"),
      members<&Environment::rooflab, &Environment::host, &Environment::cpu,
              &Environment::logical_cpus, &Environment::threads, &Environment::host_memory,
              &Environment::device, &Environment::libraries, &Environment::tf32_convolution,
              &Environment::tf32_matmul, &Environment::cudnn_benchmark, &Environment::clocks_before,
              &Environment::clocks_after>);
  return fields;
}

}  // namespace rooflab::record
