#include "rooflab/record/modelled_step.hpp"

#include "describe/field_table.hpp"

namespace rooflab::record {

std::span<const Field> fields_of(For<ModelledOp>) {
  static constexpr auto fields = field_table(
      members<&ModelledOp::op, &ModelledOp::pass, &ModelledOp::module, &ModelledOp::module_class,
              &ModelledOp::calls, &ModelledOp::launches, &ModelledOp::time_s>,
      field<&ModelledOp::flops>("modelled_flop"), field<&ModelledOp::bytes>("modelled_bytes"),
      field<&ModelledOp::counted_flops>("counted_flop").sparse(),
      field<&ModelledOp::counted_bytes>("counted_bytes").sparse(),
      field<&ModelledOp::path>("arithmetic_path"));
  return fields;
}

std::span<const Field> fields_of(For<ModelledStep>) {
  static constexpr auto fields =
      field_table(members<&ModelledStep::launches, &ModelledStep::time_s>,
                  field<&ModelledStep::part_of_run>().sparse(), members<&ModelledStep::ops>);
  return fields;
}

}  // namespace rooflab::record
