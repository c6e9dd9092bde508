#include "rooflab/base/field_table.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/predict/step_time.hpp"

namespace rooflab::predict {

std::span<const Field> fields_of(For<NetworkLimit>) {
  static constexpr Field fields[] = {
      field<&NetworkLimit::time>("limit_s"),
      field<&NetworkLimit::ideal_time>("ideal_s"),
      field<&NetworkLimit::known_bound>("bound"),
      field<&NetworkLimit::ridge_point>("ridge_point_flop_per_byte"),
      field<&NetworkLimit::main_path>("arithmetic_path"),
      field<&NetworkLimit::macs>("macs"),
      field<&NetworkLimit::flops>("flop"),
      field<&NetworkLimit::compulsory_bytes>("compulsory_bytes"),
  };
  return fields;
}

std::span<const Field> fields_of(For<StepTime>) {
  static constexpr Field fields[] = {
      field<&StepTime::time>("predicted_s"),      field<&StepTime::low>("predicted_low_s"),
      field<&StepTime::high>("predicted_high_s"), field<&StepTime::device>("predicted_device_s"),
      field<&StepTime::notes>("notes"),
  };
  return fields;
}

}  // namespace rooflab::predict
