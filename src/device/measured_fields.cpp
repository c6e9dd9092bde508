#include "base/field_table.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::device {

std::span<const Field> fields_of(For<MeasuredFigure>) {
  return members<&MeasuredFigure::name, &MeasuredFigure::unit, &MeasuredFigure::value,
                 &MeasuredFigure::least, &MeasuredFigure::most, &MeasuredFigure::repetitions,
                 &MeasuredFigure::at>;
}

std::span<const Field> fields_of(For<VectorAddition>) {
  static constexpr auto fields = field_table(
      field<&VectorAddition::launch>(), field<&VectorAddition::memory>("memory_kind"),
      members<&VectorAddition::elements, &VectorAddition::kernel_s, &VectorAddition::to_device_s,
              &VectorAddition::to_host_s, &VectorAddition::total_s, &VectorAddition::correct>);
  return fields;
}

std::span<const Field> fields_of(For<HostCost>) {
  static constexpr auto fields =
      field_table(field<&HostCost::inference_s>("inference_s").or_default(),
                  members<&HostCost::forward_s, &HostCost::backward_s>);
  return fields;
}

std::span<const Field> fields_of(For<HostCosts>) {
  static constexpr auto fields =
      field_table(members<&HostCosts::issuer, &HostCosts::version, &HostCosts::cpu, &HostCosts::ops,
                          &HostCosts::optimizer_fixed_s, &HostCosts::optimizer_per_tensor_s,
                          &HostCosts::loss_s, &HostCosts::step_s>,
                  field<&HostCosts::jitter>("jitter").or_default());
  return fields;
}

}  // namespace rooflab::device
