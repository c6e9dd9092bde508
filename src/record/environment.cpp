#include "rooflab/record/environment.hpp"

#include "describe/field_table.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::record {

std::optional<double> capability_of(const DeviceIdentity& device) {
  return device.compute_capability ? parse_number(*device.compute_capability) : std::nullopt;
}

Precision precision_on(const DeviceIdentity& device, Precision asked) {
  return autocast_on(capability_of(device).value_or(least_bf16_capability) >= least_bf16_capability,
                     asked);
}

std::span<const Field> fields_of(For<DeviceIdentity>) {
  static constexpr auto fields =
      field_table(field<&DeviceIdentity::kind>().says("A processor is `cpu`, a GPU is `cuda`."),
                  members<&DeviceIdentity::index, &DeviceIdentity::name, &DeviceIdentity::uuid,
                          &DeviceIdentity::memory, &DeviceIdentity::compute_capability,
                          &DeviceIdentity::multiprocessors, &DeviceIdentity::driver>);
  return fields;
}

std::span<const Field> fields_of(For<ClockState>) {
  return members<&ClockState::sm_clock_hz, &ClockState::memory_clock_hz, &ClockState::temperature_c,
                 &ClockState::throttle_reasons>;
}

std::span<const Field> fields_of(For<Environment>) {
  static constexpr auto fields = field_table(
      field<&Environment::date>().or_default(),
      field<&Environment::command>("command_line").or_default(),
      field<&Environment::rooflab>().or_default(), field<&Environment::host>().or_default(),
      field<&Environment::cpu>().or_default(), field<&Environment::logical_cpus>().or_default(),
      members<&Environment::threads, &Environment::host_memory>,
      field<&Environment::device>("device_properties").or_default(),
      field<&Environment::libraries>().or_default(),
      members<&Environment::tf32_convolution, &Environment::tf32_matmul,
              &Environment::cudnn_benchmark, &Environment::clocks_before,
              &Environment::clocks_after>);
  return fields;
}

std::span<const Field> fields_of(For<LaunchScope>) {
  return members<&LaunchScope::node, &LaunchScope::op, &LaunchScope::pass>;
}

std::span<const Field> fields_of(For<CounterSet>) {
  static constexpr auto fields =
      field_table(members<&CounterSet::metrics, &CounterSet::per_kernel, &CounterSet::passes,
                          &CounterSet::arming_s, &CounterSet::wall_s>,
                  field<&CounterSet::launches>("counted_launches"), members<&CounterSet::dropped>);
  return fields;
}

std::span<const Field> fields_of(For<Counting>) {
  static constexpr auto fields =
      field_table(field<&Counting::chip>(), field<&Counting::window>().sparse(),
                  members<&Counting::launches_per_step, &Counting::steps_s, &Counting::arming_s,
                          &Counting::wall_s, &Counting::sets, &Counting::peaks>,
                  field<&Counting::scopes>().or_default());
  return fields;
}

std::span<const Field> fields_of(For<Loss>) {
  return members<&Loss::what, &Loss::count, &Loss::first>;
}

}  // namespace rooflab::record
