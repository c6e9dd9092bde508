#include "operand_pool.hpp"

#include <algorithm>

namespace rooflab::torch_worker {
namespace {

using graph::Value;
using graph::ValueKind;

/// Flags, one a ValueId: a vector that an op reads besides its data.
std::vector<bool> positive_values(const graph::Graph& graph) {
  std::vector<bool> positive(graph.values.size(), false);
  for (const graph::Node& node : graph.nodes) {
    for (std::size_t i = 1; i < node.inputs.size(); ++i) {
      if (graph.type(node.inputs[i]).shape.rank() > 1) continue;
      positive[static_cast<std::size_t>(node.inputs[i])] = true;
    }
  }
  return positive;
}

/// Extents that integers of a graph index, one a ValueId; 1 where an integer indexes nothing.
std::vector<std::int64_t> indexed_extents(const graph::Graph& graph) {
  std::vector<std::int64_t> extents(graph.values.size(), 1);
  for (const graph::Node& node : graph.nodes) {
    const auto indexes = [&](std::int64_t extent) {
      extents[static_cast<std::size_t>(node.inputs[1])] = extent;
    };
    const auto axis_of = [&](const auto& op) {
      const graph::Shape& data = graph.type(node.inputs[0]).shape;
      return data[static_cast<std::size_t>(op.axis)];
    };
    if (const auto* gather = std::get_if<graph::Gather>(&node.op)) indexes(axis_of(*gather));
    if (const auto* gather = std::get_if<graph::GatherElements>(&node.op)) {
      if (gather->form == graph::IndexForm::elements) indexes(axis_of(*gather));
    }
    if (const auto* scatter = std::get_if<graph::Scatter>(&node.op)) {
      if (scatter->form == graph::IndexForm::elements) indexes(axis_of(*scatter));
    }
  }
  return extents;
}

}  // namespace

void OperandPool::rewind() {
  for (auto& [key, buffer] : buffers_) buffer.used = 0;
}

at::Tensor OperandPool::take(at::ScalarType type, bool positive, std::int64_t elements) {
  // As the allocator of a GPU aligns: 512 bytes of the narrowest floats.
  constexpr std::int64_t alignment = 256;
  const std::int64_t least = positive ? smallest : least_;
  Buffer& buffer = buffers_[{type, positive}];
  const std::int64_t size = buffer.numbers.defined() ? buffer.numbers.numel() : 0;
  if (buffer.used + elements > size) {
    // Slices that were taken keep the old buffer alive until their graph is done.
    const std::int64_t wanted = std::max({least, 2 * size, buffer.used + elements});
    buffer = {};
    const at::TensorOptions options = at::TensorOptions().dtype(type).device(device_);
    buffer.numbers =
        positive ? at::rand({wanted}, options).add_(0.5) : at::randn({wanted}, options);
  }
  const std::int64_t begin = buffer.used;
  buffer.used += (elements + alignment - 1) / alignment * alignment;
  // An own version counter: an op that writes to one operand changes no other in autograd's eyes.
  return buffer.numbers.narrow(0, begin, elements).variable_data();
}

std::vector<at::Tensor> OperandPool::values(const graph::Graph& graph, OperandOptions options) {
  const std::vector<bool> positive = positive_values(graph);
  const std::vector<std::int64_t> indexed = indexed_extents(graph);
  std::vector<at::Tensor> values(graph.values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value& value = graph.values[i];
    if (value.kind == ValueKind::result) continue;
    const at::ScalarType type = scalar_type(value.type.dtype);
    const graph::Shape& shape = value.type.shape;
    if (!is_floating(value.type.dtype)) {
      values[i] =
          at::randint(indexed[i], extents(shape), at::TensorOptions().dtype(type).device(device_));
      continue;
    }
    const at::Tensor numbers = take(type, positive[i], shape.elements());
    const bool last = options.channels_last && shape.rank() == 4 && value.kind != ValueKind::buffer;
    values[i] = last ? numbers.view({shape[0], shape[2], shape[3], shape[1]}).permute({0, 3, 1, 2})
                     : numbers.view(extents(shape));
    if (options.gradients && value.kind == ValueKind::parameter) values[i].requires_grad_();
  }
  return values;
}

at::Tensor OperandPool::like(const at::Tensor& tensor) {
  if (!tensor.is_non_overlapping_and_dense()) return at::randn_like(tensor);
  return take(tensor.scalar_type(), false, tensor.numel())
      .as_strided(tensor.sizes(), tensor.strides());
}

}  // namespace rooflab::torch_worker
