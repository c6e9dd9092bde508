// Normalisations. Source: ONNX operators BatchNormalization-15, LayerNormalization-17,
// RMSNormalization-23, GroupNormalization-21, InstanceNormalization-6, LRN-13,
// LpNormalization-22, MeanVarianceNormalization-13. The attribute's defaults are those of the
// operators. SimplifiedLayerNormalization: github.com/microsoft/onnxruntime, contrib_defs.cc.

#include "base/format.hpp"
#include "op_table.hpp"

namespace rooflab::onnx {
namespace {

using graph::ValueId;

void import_batch_norm(NodeImport& node) {
  if (node.attributes.integer("spatial", 1) == 0) {
    throw NotExpressible{"its statistics are kept for every position (spatial = 0)"};
  }
  graph::BatchNorm op;
  op.epsilon = node.attributes.number("epsilon", 1e-5);
  // ONNX weighs the old statistics, PyTorch and the graph the new ones.
  op.momentum = as_written(static_cast<float>(1.0 - node.attributes.number("momentum", 0.9)));
  if (node.attributes.integer("training_mode", 0) != 0) {
    node.note_values("in training mode runs with its running statistics");
  }
  node.set_result(0, node.emit(op, {node.operand(0), node.operand(1), node.operand(2),
                                    node.operand(3), node.operand(4)}));
}

void import_layer_norm(NodeImport& node) {
  const std::size_t rank = node.shape(0).rank();
  const std::size_t first = node.axis(node.attributes.integer("axis", -1), rank);
  graph::LayerNorm op;
  op.normalized_rank = static_cast<std::int64_t>(rank - first);
  op.epsilon = node.attributes.number("epsilon", 1e-5);
  node.set_result(0, node.emit(op, node.operands()));
}

/// The graph's op normalises the last dimension; more of them are merged for it and split after.
void import_rms_norm(NodeImport& node) {
  const graph::RmsNorm op{node.attributes.number("epsilon", 1e-5)};
  const graph::Shape shape = node.shape(0);
  const std::size_t first = node.axis(node.attributes.integer("axis", -1), shape.rank());
  if (first + 1 == shape.rank()) {
    std::vector<ValueId> inputs = node.operands();
    if (inputs.size() > 2) inputs.resize(2);
    return node.set_result(0, node.emit(op, std::move(inputs)));
  }
  std::vector<std::int64_t> merged(shape.dims().begin(),
                                   shape.dims().begin() + static_cast<std::ptrdiff_t>(first));
  std::int64_t inner = 1;
  for (std::size_t i = first; i < shape.rank(); ++i) inner *= shape[i];
  merged.push_back(inner);
  std::vector<ValueId> inputs = {node.reshape(node.operand(0), std::move(merged))};
  if (node.has(1)) inputs.push_back(node.reshape(node.operand(1), {inner}));
  const ValueId normalised = node.emit(op, std::move(inputs));
  node.set_result(0, node.reshape(normalised, shape.dims()));
}

void import_group_norm(NodeImport& node) {
  const std::int64_t groups = node.attributes.integer("num_groups", 0);
  if (groups <= 0) node.fail(format("group norm in {} groups", groups));
  // Before operator set 21 there is a scale and a shift a group, not a channel.
  const bool by_group =
      node.has(1) && node.shape(0).rank() > 1 && node.shape(1) != graph::Shape{node.shape(0)[1]};
  if (by_group) node.note_values("with a scale per group runs with one per channel");
  const graph::GroupNorm op{groups, node.attributes.number("epsilon", 1e-5)};
  node.set_result(0, node.emit(op, node.operands()));
}

void import_instance_norm(NodeImport& node) {
  const graph::Shape& shape = node.shape(0);
  if (shape.rank() < 2 || shape[1] <= 0) node.fail("instance norm needs a channel dimension");
  const graph::GroupNorm op{shape[1], node.attributes.number("epsilon", 1e-5)};
  node.set_result(0, node.emit(op, node.operands()));
}

void import_lrn(NodeImport& node) {
  const std::int64_t size = node.attributes.integer("size", 0);
  if (size <= 0) node.fail(format("local response norm across {} channels", size));
  const graph::LocalResponseNorm op{size, node.attributes.number("alpha", 1e-4),
                                    node.attributes.number("beta", 0.75),
                                    node.attributes.number("bias", 1.0)};
  // ONNX reaches further up, PyTorch further down.
  if (size % 2 == 0) node.note_values("across an even number of channels is off by one channel");
  node.set_result(0, node.emit(op, {node.operand(0)}));
}

/// x divided by its norm along an axis.
void import_lp_normalization(NodeImport& node) {
  const ValueId x = node.operand(0);
  const std::size_t axis = node.axis(node.attributes.integer("axis", -1), node.shape_of(x).rank());
  const auto function =
      node.attributes.integer("p", 2) == 1 ? graph::ReduceFunction::l1 : graph::ReduceFunction::l2;
  const ValueId norm =
      node.emit(graph::Reduce{function, {static_cast<std::int64_t>(axis)}, true}, {x});
  node.set_result(0, node.emit(graph::Binary{graph::BinaryFunction::div}, {x, norm}));
}

/// (x - mean) / deviation over axes; with the default axes of an image batch that is another kind
/// of norm, so it is written out, without the 1e-9 that ONNX adds to the deviation. Default axes:
/// 0, 2, 3.
void import_mean_variance(NodeImport& node) {
  using graph::BinaryFunction;
  const ValueId x = node.operand(0);
  std::vector<std::int64_t> axes;
  for (const std::int64_t axis :
       node.attributes.integers("axes").value_or(std::vector<std::int64_t>{0, 2, 3})) {
    axes.push_back(static_cast<std::int64_t>(node.axis(axis, node.shape_of(x).rank())));
  }
  const graph::Reduce mean{graph::ReduceFunction::mean, axes, true};
  const ValueId centred = node.emit(graph::Binary{BinaryFunction::sub}, {x, node.emit(mean, {x})});
  const ValueId square = node.emit(graph::Unary{graph::UnaryFunction::square}, {centred});
  const ValueId variance = node.emit(mean, {square});
  const ValueId deviation = node.emit(graph::Unary{graph::UnaryFunction::sqrt}, {variance});
  node.set_result(0, node.emit(graph::Binary{BinaryFunction::div}, {centred, deviation}));
}

}  // namespace

void add_normalisation_rules(RuleTable& table) {
  table["BatchNormalization"] = import_batch_norm;
  table["LayerNormalization"] = import_layer_norm;
  table["RMSNormalization"] = import_rms_norm;
  // Written by ONNX Runtime's optimiser into the default domain.
  table["SimplifiedLayerNormalization"] = import_rms_norm;
  table["GroupNormalization"] = import_group_norm;
  table["InstanceNormalization"] = import_instance_norm;
  table["LRN"] = import_lrn;
  table["LpNormalization"] = import_lp_normalization;
  table["MeanVarianceNormalization"] = import_mean_variance;
}

}  // namespace rooflab::onnx
