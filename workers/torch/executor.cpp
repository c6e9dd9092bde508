#include "executor.hpp"

#include <set>

#include "base/format.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::torch_worker {
namespace {

using graph::Node;
using graph::NodeId;
using graph::ValueId;

bool is_executable(const graph::Op& op) { return graph::family_of(op) != graph::Family::unknown; }

Results run_op(const graph::Op& op, Operands in, Mode mode) {
  switch (graph::family_of(op)) {
    case graph::Family::matrix:
    case graph::Family::normalisation:
    case graph::Family::pooling:
      return run_matrix(op, in, mode);
    case graph::Family::elementwise:
      return run_pointwise(op, in, mode);
    case graph::Family::reduction:
    case graph::Family::movement:
      return run_movement(op, in, mode);
    case graph::Family::unknown:
      break;
  }
  throw Unsupported{graph::name_of(op)};
}

}  // namespace

at::ScalarType scalar_type(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return at::kDouble;
    case DType::f32:
      return at::kFloat;
    case DType::f16:
      return at::kHalf;
    case DType::bf16:
      return at::kBFloat16;
    case DType::i64:
      return at::kLong;
    case DType::i32:
      return at::kInt;
    case DType::i16:
      return at::kShort;
    case DType::i8:
      return at::kChar;
    case DType::u8:
      return at::kByte;
    case DType::boolean:
      return at::kBool;
    default:
      throw Unsupported{format("tensors of type {}", name_of(dtype))};
  }
}

// Explicit constants come after the tensors: no mask, no weights returned.
void Executor::run_module(const graph::AttentionModule& module, std::vector<at::Tensor>& slots,
                          OpObserver* observer) {
  const auto slot = [&slots](ValueId id) -> at::Tensor& {
    return slots[static_cast<std::size_t>(id)];
  };
  if (observer != nullptr) observer->begin(module.attention);
  const at::Tensor& x = slot(module.x);
  at::Tensor y = std::get<0>(at::_native_multi_head_attention(
      x, x, x, module.width, module.heads, slot(module.in_weight), slot(module.in_bias),
      slot(module.out_weight), slot(module.out_bias), {}, false, true, {}));
  if (observer != nullptr) observer->end(module.attention, {&y, 1});
  slot(module.y) = std::move(y);
}

Executor::Executor(const graph::Graph& graph, Mode mode, at::Device device)
    : graph_(graph),
      mode_{mode.training, mode.fast_paths, device},
      dropped_(graph::dropped_after(graph, mode.training)),
      returned_(graph.outputs),
      batches_seen_(graph.nodes.size()) {
  std::set<std::string> unknown;
  for (const Node& node : graph.nodes) {
    runs_.push_back(mode.training || !node.training_only);
    if (runs_.back() && !is_executable(node.op)) unknown.insert(graph::name_of(node.op));
  }
  if (!unknown.empty()) {
    const std::vector<std::string> names(unknown.begin(), unknown.end());
    throw Unsupported{format("ops without an execution: {}", join(names, ", "))};
  }
  if (mode.fast_paths) {
    for (graph::AttentionModule& module : graph::find_attention_modules(graph)) {
      for (const NodeId id : module.nodes) runs_[static_cast<std::size_t>(id)] = false;
      const NodeId first = module.nodes.front();
      modules_.emplace(first, std::move(module));
    }
  }
  if (!mode.training) return;
  for (const ValueId id : graph::side_results(graph)) returned_.push_back(id);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (std::holds_alternative<graph::BatchNorm>(graph.nodes[i].op)) {
      batches_seen_[i] = at::zeros({}, at::TensorOptions().dtype(at::kLong).device(device));
    }
  }
}

std::vector<at::Tensor> Executor::run(const std::vector<at::Tensor>& values, OpObserver* observer) {
  std::vector<at::Tensor> slots = values;
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
    if (const auto module = modules_.find(static_cast<NodeId>(i)); module != modules_.end()) {
      run_module(module->second, slots, observer);
    } else if (runs_[i]) {
      run_node(i, slots, observer);
    }
    for (const ValueId id : dropped_[i]) slots[static_cast<std::size_t>(id)].reset();
  }
  std::vector<at::Tensor> outputs;
  outputs.reserve(returned_.size());
  for (const ValueId id : returned_) outputs.push_back(slots[static_cast<std::size_t>(id)]);
  return outputs;
}

void Executor::run_node(std::size_t index, std::vector<at::Tensor>& slots, OpObserver* observer) {
  const Node& node = graph_.nodes[index];
  std::vector<at::Tensor> operands;
  operands.reserve(node.inputs.size());
  for (const ValueId id : node.inputs) operands.push_back(slots[static_cast<std::size_t>(id)]);
  if (observer != nullptr) observer->begin(static_cast<NodeId>(index));
  if (batches_seen_[index].defined()) batches_seen_[index].add_(1);
  std::vector<at::Tensor> results = run_op(node.op, operands, mode_);
  if (observer != nullptr) observer->end(static_cast<NodeId>(index), results);
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    slots[static_cast<std::size_t>(node.outputs[i])] = std::move(results[i]);
  }
}

}  // namespace rooflab::torch_worker
