#include "describe/field_table.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::device {

std::span<const Field> fields_of(For<MeasuredFigure>) {
  return members<&MeasuredFigure::name, &MeasuredFigure::unit, &MeasuredFigure::value,
                 &MeasuredFigure::least, &MeasuredFigure::most, &MeasuredFigure::repetitions,
                 &MeasuredFigure::at>;
}

std::span<const Field> fields_of(For<VectorAddition>) {
  static constexpr auto fields =
      field_table(field<&VectorAddition::launch>(), field<&VectorAddition::memory>("memory_kind"),
                  field<&VectorAddition::elements>(),
                  field<&VectorAddition::kernel_s>().says("The addition alone."),
                  members<&VectorAddition::to_device_s, &VectorAddition::to_host_s,
                          &VectorAddition::total_s, &VectorAddition::correct>);
  return fields;
}

}  // namespace rooflab::device
