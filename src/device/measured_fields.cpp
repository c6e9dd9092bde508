#include "base/field_table.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::device {

std::span<const Field> fields_of(For<MeasuredFigure>) {
  static constexpr Field fields[] = {
      field<&MeasuredFigure::name>("name"),   field<&MeasuredFigure::unit>("unit"),
      field<&MeasuredFigure::value>("value"), field<&MeasuredFigure::least>("least"),
      field<&MeasuredFigure::most>("most"),   field<&MeasuredFigure::repetitions>("repetitions"),
      field<&MeasuredFigure::at>("at"),
  };
  return fields;
}

std::span<const Field> fields_of(For<VectorAddition>) {
  static constexpr Field fields[] = {
      field<&VectorAddition::launch>("launch"),
      field<&VectorAddition::memory>("memory_kind"),
      field<&VectorAddition::elements>("elements"),
      field<&VectorAddition::kernel_s>("kernel_s"),
      field<&VectorAddition::to_device_s>("to_device_s"),
      field<&VectorAddition::to_host_s>("to_host_s"),
      field<&VectorAddition::total_s>("total_s"),
      field<&VectorAddition::correct>("correct"),
  };
  return fields;
}

std::span<const Field> fields_of(For<HostCost>) {
  static constexpr Field fields[] = {
      field<&HostCost::inference_s>("inference_s").or_default(),
      field<&HostCost::forward_s>("forward_s"),
      field<&HostCost::backward_s>("backward_s"),
  };
  return fields;
}

std::span<const Field> fields_of(For<HostCosts>) {
  static constexpr Field fields[] = {
      field<&HostCosts::issuer>("issuer"),
      field<&HostCosts::version>("version"),
      field<&HostCosts::cpu>("cpu"),
      field<&HostCosts::ops>("ops"),
      field<&HostCosts::optimizer_fixed_s>("optimizer_fixed_s"),
      field<&HostCosts::optimizer_per_tensor_s>("optimizer_per_tensor_s"),
      field<&HostCosts::loss_s>("loss_s"),
      field<&HostCosts::step_s>("step_s"),
      field<&HostCosts::jitter>("jitter").or_default(),
  };
  return fields;
}

}  // namespace rooflab::device
