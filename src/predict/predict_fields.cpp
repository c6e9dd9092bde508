#include "describe/field_table.hpp"
#include "pass_fields.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/predict/time_model.hpp"

namespace rooflab::predict {
namespace {

/// A host that is left out takes an unknown time, not none.
std::optional<Seconds> known_host(const StepTime& step) {
  return step.host.value > 0.0 ? std::optional(step.host) : std::nullopt;
}

}  // namespace

std::span<const Field> fields_of(For<PercentOfPeak>) {
  static constexpr Field fields[] = {
      field<&PercentOfPeak::compute>("compute_share"),
      field<&PercentOfPeak::memory>("bandwidth_share"),
  };
  return fields;
}

std::span<const Field> fields_of(For<Work>) {
  static constexpr auto fields =
      field_table(field<&Work::macs>(), field<&Work::causal_macs>("causal_macs").or_default(),
                  field<&Work::flops>("flop"), field<&Work::matrix_flops>("matrix_flop"),
                  field<&Work::vector_flops>("vector_flop"), field<&Work::compulsory_bytes>(),
                  field<&Work::intensity>("intensity_flop_per_byte"), pass_fields);
  return fields;
}

std::span<const Field> fields_of(For<NetworkLimit>) {
  static constexpr Field fields[] = {
      field<&NetworkLimit::time>("limit_s"),
      field<&NetworkLimit::ideal_time>("ideal_s"),
      field<&NetworkLimit::known_bound, &NetworkLimit::bound>("bound"),
      field<&NetworkLimit::ridge_point>("ridge_point_flop_per_byte"),
      field<&NetworkLimit::main_path>("arithmetic_path"),
      base_part<NetworkLimit, Work>(),
      field<&NetworkLimit::flops_by_path>("path_flop"),
      field<&NetworkLimit::ideal_bytes>("ideal_bytes"),
  };
  return fields;
}

std::span<const Field> fields_of(For<KindShare>) {
  static constexpr Field fields[] = {
      field<&KindShare::kind>("kind").says(
          "Operation, pass, type and layout (calibration.md); `limit` for what is a roofline's."),
      field<&KindShare::count>("ops"),
      field<&KindShare::time_s>("time_s"),
      field<&KindShare::share>("time_share"),
      field<&KindShare::deviation>("deviation_share"),
      field<&KindShare::source>("evidence"),
      field<&KindShare::device>("device"),
      field<&KindShare::origin>("origin"),
  };
  return fields;
}

std::span<const Field> fields_of(For<Communication>) {
  static constexpr Field fields[] = {
      field<&Communication::messages>("messages"),
      field<&Communication::devices>("exchanging_devices"),
      field<&Communication::bytes>("message_bytes"),
      field<&Communication::time>("communication_s"),
      field<&Communication::hidden>("hidden_s"),
      field<&Communication::hidden_share>("hidden_share"),
  };
  return fields;
}

std::span<const Field> fields_of(For<StepTime>) {
  static constexpr auto fields = field_table(
      field<&StepTime::time>("predicted_s"), field<&StepTime::low>("predicted_low_s"),
      field<&StepTime::high>("predicted_high_s"), field<&StepTime::device>("predicted_device_s"),
      field<&known_host, &StepTime::host>("predicted_host_s"),
      members<&StepTime::host_bound, &StepTime::kinds>, sparse_members<&StepTime::communication>,
      members<&StepTime::notes>);
  return fields;
}

}  // namespace rooflab::predict
