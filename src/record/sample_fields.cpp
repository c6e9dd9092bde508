#include "rooflab/base/field_table.hpp"
#include "rooflab/record/sample.hpp"

namespace rooflab::record {

// A long recording has thousands of samples: figures that are not known are left out.
std::span<const Field> fields_of(For<Sample>) {
  static constexpr auto fields = field_table(
      field<&Sample::time_s>(), field<&Sample::core_utilization>("core_utilization_share").sparse(),
      field<&Sample::memory_utilization>("memory_utilization_share").sparse(),
      sparse_members<&Sample::memory_used_bytes, &Sample::power_w>,
      field<&Sample::energy_j>("energy_counter_j").sparse(),
      sparse_members<&Sample::sm_clock_hz, &Sample::memory_clock_hz, &Sample::temperature_c,
                     &Sample::throttle_reasons, &Sample::task_clock_s, &Sample::resident_bytes>);
  return fields;
}

std::span<const Field> fields_of(For<SampleSeries>) {
  return members<&SampleSeries::device, &SampleSeries::name, &SampleSeries::samples>;
}

}  // namespace rooflab::record
