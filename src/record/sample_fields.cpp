#include "rooflab/base/field_table.hpp"
#include "rooflab/record/sample.hpp"

namespace rooflab::record {

// A long recording has thousands of samples: figures that are not known are left out.
std::span<const Field> fields_of(For<Sample>) {
  static constexpr Field fields[] = {
      field<&Sample::time_s>("time_s"),
      field<&Sample::core_utilization>("core_utilization_share").sparse(),
      field<&Sample::memory_utilization>("memory_utilization_share").sparse(),
      field<&Sample::memory_used_bytes>("memory_used_bytes").sparse(),
      field<&Sample::power_w>("power_w").sparse(),
      field<&Sample::energy_j>("energy_counter_j").sparse(),
      field<&Sample::sm_clock_hz>("sm_clock_hz").sparse(),
      field<&Sample::memory_clock_hz>("memory_clock_hz").sparse(),
      field<&Sample::temperature_c>("temperature_c").sparse(),
      field<&Sample::throttle_reasons>("throttle_reasons").sparse(),
      field<&Sample::task_clock_s>("task_clock_s").sparse(),
      field<&Sample::resident_bytes>("resident_bytes").sparse(),
  };
  return fields;
}

std::span<const Field> fields_of(For<SampleSeries>) {
  static constexpr Field fields[] = {
      field<&SampleSeries::device>("device"),
      field<&SampleSeries::name>("name"),
      field<&SampleSeries::samples>("samples"),
  };
  return fields;
}

}  // namespace rooflab::record
