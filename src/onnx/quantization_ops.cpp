// Quantised networks: scales written out as the arithmetic they are, integer products as products.
//
// (x - zero) * scale and round(x / scale) + zero, saturated; a scale per channel is [C] along
// `axis`. The requantisation inside QLinearConv and QLinearMatMul is part of their product here, as
// it is in the kernels that run them. Source: ONNX operators QuantizeLinear-13,
// DequantizeLinear-13, QLinearConv-10, QLinearMatMul-10, ConvInteger-10, MatMulInteger-10.

#include "op_table.hpp"
#include "rooflab/base/text.hpp"
#include "window.hpp"

namespace rooflab::onnx {
namespace {

using graph::BinaryFunction;
using graph::ValueId;

/// What saturation keeps of a type; nothing for 8-bit floats.
std::optional<std::pair<double, double>> range_of(DType dtype) {
  switch (dtype) {
    case DType::u8:
      return std::pair(0.0, 255.0);
    case DType::i8:
      return std::pair(-128.0, 127.0);
    case DType::u16:
      return std::pair(0.0, 65535.0);
    case DType::i16:
      return std::pair(-32768.0, 32767.0);
    default:
      return std::nullopt;
  }
}

/// A per-channel operand with dimensions of 1 after the channels, so that it broadcasts.
ValueId along_axis(NodeImport& node, std::size_t operand) {
  const ValueId id = node.operand(operand);
  const graph::Shape& shape = node.shape_of(id);
  if (shape.rank() != 1 || node.shape(0).rank() == 0) return id;
  if (node.attributes.integer("block_size", 0) != 0) throw NotExpressible{"its scales are blocked"};
  const std::size_t rank = node.shape(0).rank();
  if (shape[0] == 1) return node.reshape(id, std::vector<std::int64_t>(rank, 1));
  const std::size_t axis = node.axis(node.attributes.integer("axis", 1), rank);
  std::vector<std::int64_t> target(rank - axis, 1);
  target[0] = shape[0];
  return node.reshape(id, std::move(target));
}

void import_dequantize(NodeImport& node) {
  const DType real = node.type(1).dtype;
  ValueId x = node.emit(graph::Cast{real}, {node.operand(0)});
  if (node.has(2)) {
    const ValueId zero = node.emit(graph::Cast{real}, {along_axis(node, 2)});
    x = node.emit(graph::Binary{BinaryFunction::sub}, {x, zero});
  }
  node.set_result(0, node.emit(graph::Binary{BinaryFunction::mul}, {x, along_axis(node, 1)}));
}

void import_quantize(NodeImport& node) {
  const DType real = node.type(1).dtype;
  ValueId x = node.emit(graph::Binary{BinaryFunction::div}, {node.operand(0), along_axis(node, 1)});
  x = node.emit(graph::Unary{graph::UnaryFunction::round}, {x});
  if (node.has(2)) {
    const ValueId zero = node.emit(graph::Cast{real}, {along_axis(node, 2)});
    x = node.emit(graph::Binary{BinaryFunction::add}, {x, zero});
  }
  const DType integer = node.has(2) ? node.type(2).dtype : DType::u8;
  graph::Unary saturation{graph::UnaryFunction::clip};
  if (const auto range = range_of(integer)) {
    saturation.alpha = range->first;
    saturation.beta = range->second;
  }
  x = node.emit(saturation, {x});
  node.set_result(0, node.emit(graph::Cast{integer}, {x}));
}

/// Scales and zero points are operands that the product does not read.
void note_unscaled(NodeImport& node) {
  node.note_values("runs without its scales and zero points");
}

void import_qlinear_conv(NodeImport& node) {
  note_unscaled(node);
  std::vector<ValueId> inputs = {node.operand(0), node.operand(3)};
  if (node.has(8)) inputs.push_back(node.operand(8));
  node.set_result(0, node.emit(read_conv(node, 3), std::move(inputs)));
}

void import_conv_integer(NodeImport& node) {
  if (node.has(2) || node.has(3)) note_unscaled(node);
  const ValueId product = node.emit(read_conv(node), {node.operand(0), node.operand(1)});
  node.set_result(0, node.emit(graph::Cast{DType::i32}, {product}));
}

void import_qlinear_matmul(NodeImport& node) {
  note_unscaled(node);
  node.set_result(0, node.emit(graph::MatMul{}, {node.operand(0), node.operand(3)}));
}

void import_matmul_integer(NodeImport& node) {
  if (node.has(2) || node.has(3)) note_unscaled(node);
  const ValueId product = node.emit(graph::MatMul{}, {node.operand(0), node.operand(1)});
  node.set_result(0, node.emit(graph::Cast{DType::i32}, {product}));
}

}  // namespace

void add_quantization_rules(RuleTable& table) {
  table["DequantizeLinear"] = import_dequantize;
  table["QuantizeLinear"] = import_quantize;
  table["QLinearConv"] = import_qlinear_conv;
  table["QLinearMatMul"] = import_qlinear_matmul;
  table["ConvInteger"] = import_conv_integer;
  table["MatMulInteger"] = import_matmul_integer;
}

}  // namespace rooflab::onnx
