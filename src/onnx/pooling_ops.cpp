// Windowed and global pooling. Source: ONNX operators MaxPool-12, AveragePool-19; PyTorch,
// AvgPool2d (which has no dilation).

#include <algorithm>

#include "op_table.hpp"
#include "rooflab/base/text.hpp"
#include "window.hpp"

namespace rooflab::onnx {
namespace {

using graph::PoolKind;

graph::Pool read_pool(const NodeImport& node, PoolKind kind) {
  const std::optional<std::vector<std::int64_t>> kernel = node.attributes.integers("kernel_shape");
  if (!kernel || kernel->empty()) node.fail("attribute 'kernel_shape' is missing");
  Window window = read_window(node, node.shape(0), *kernel);
  graph::Pool op;
  op.kind = kind;
  op.kernel = std::move(window.kernel);
  op.stride = std::move(window.stride);
  op.padding_begin = std::move(window.padding_begin);
  op.padding_end = std::move(window.padding_end);
  op.dilation = std::move(window.dilation);
  op.ceil_mode = node.attributes.integer("ceil_mode", 0) != 0;
  op.padding_counts = kind == PoolKind::max || node.attributes.integer("count_include_pad", 0) != 0;
  return op;
}

void import_max_pool(NodeImport& node) {
  node.set_result(0, node.emit(read_pool(node, PoolKind::max), {node.operand(0)}));
}

void import_average_pool(NodeImport& node) {
  graph::Pool op = read_pool(node, PoolKind::average);
  const auto spread = [](std::int64_t dilation) { return dilation != 1; };
  if (std::ranges::any_of(op.dilation, spread)) node.note_values("with dilation runs without it");
  node.set_result(0, node.emit(std::move(op), {node.operand(0)}));
}

void import_global(NodeImport& node, PoolKind kind) {
  const std::size_t rank = node.shape(0).rank();
  if (rank < 3) node.fail("global pooling needs spatial dimensions");
  const graph::AdaptivePool op{kind, std::vector<std::int64_t>(rank - 2, 1)};
  node.set_result(0, node.emit(op, {node.operand(0)}));
}

void import_global_average(NodeImport& node) { import_global(node, PoolKind::average); }
void import_global_max(NodeImport& node) { import_global(node, PoolKind::max); }

}  // namespace

void add_pooling_rules(RuleTable& table) {
  table["MaxPool"] = import_max_pool;
  table["AveragePool"] = import_average_pool;
  table["GlobalAveragePool"] = import_global_average;
  table["GlobalMaxPool"] = import_global_max;
}

}  // namespace rooflab::onnx
