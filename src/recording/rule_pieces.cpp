#include <algorithm>

#include "rooflab/base/error.hpp"
#include "rules.hpp"

namespace rooflab::recording {

std::vector<STensor> present(std::initializer_list<STensor> tensors) {
  std::vector<STensor> there;
  for (const STensor id : tensors) {
    if (id != no_tensor && std::ranges::find(there, id) == there.end()) there.push_back(id);
  }
  return there;
}

std::vector<graph::ValueId> values_of_tensors(Lowerer& lowerer,
                                              const std::vector<STensor>& tensors) {
  std::vector<graph::ValueId> values;
  for (const STensor id : tensors) values.push_back(lowerer.value(id));
  return values;
}

graph::ValueId weight_value(Lowerer& lowerer, STensor tensor) {
  const std::optional<graph::ValueId> parameter = lowerer.weight(tensor);
  if (parameter && lowerer.type_of(*parameter).shape == lowerer.shape(tensor)) return *parameter;
  return lowerer.value(tensor);
}

void emit_node(const OpView& view, graph::Op op, std::vector<graph::ValueId> inputs,
               std::vector<STensor> reads, std::vector<STensor> writes, Pass pass) {
  Lowerer& lowerer = view.lowerer();
  const graph::NodeId node =
      lowerer.node(view, std::move(op), std::move(inputs), values_of_tensors(lowerer, writes));
  lowerer.emit(schedule::NodeWork{}, node, pass, std::move(reads), std::move(writes));
}

graph::NodeId gradient_node(const OpView& view, graph::Op op, std::vector<graph::ValueId> inputs,
                            graph::ValueId result) {
  Lowerer& lowerer = view.lowerer();
  if (const auto known = lowerer.find_forward(view, op, lowerer.type_of(result).shape)) {
    return *known;
  }
  return lowerer.node(view, std::move(op), std::move(inputs), {result});
}

graph::Opaque opaque_of(Lowerer& lowerer, std::string_view name,
                        const std::vector<STensor>& results) {
  graph::Opaque op;
  op.type = name;
  for (const STensor id : results) {
    op.outputs.push_back(lowerer.shape(id));
    op.dtypes.push_back(lowerer.tensor(id).type.dtype);
  }
  return op;
}

schedule::ScheduledOp& emit_known(const OpView& view, std::string_view name, std::int64_t flops,
                                  std::string_view like, graph::OpClass op_class,
                                  std::vector<STensor> reads, std::vector<STensor> writes) {
  Lowerer& lowerer = view.lowerer();
  graph::Opaque op = opaque_of(lowerer, name, writes);
  op.flops = flops;
  op.like = like;
  op.op_class = op_class;
  const graph::NodeId node = lowerer.node(view, std::move(op), values_of_tensors(lowerer, reads),
                                          values_of_tensors(lowerer, writes));
  return lowerer.emit(schedule::NodeWork{}, node, view.plain_pass(), std::move(reads),
                      std::move(writes));
}

std::int64_t flops_of_each(double flops, std::int64_t elements) {
  const double all = flops * static_cast<double>(elements);
  if (all > 9.0e18) throw Error(ErrorKind::range, "the FLOPs of an op exceed 64 bits");
  return static_cast<std::int64_t>(all);
}

std::int64_t axis_of(std::int64_t axis, const graph::Shape& shape) {
  return axis < 0 ? axis + static_cast<std::int64_t>(shape.rank()) : axis;
}

}  // namespace rooflab::recording
