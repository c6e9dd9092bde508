#include "lowering.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::schedule {

using graph::Node;
using graph::NodeId;
using graph::Shape;
using graph::TensorType;
using graph::Value;
using graph::ValueId;
using graph::ValueKind;

Lowering::Lowering(Schedule& schedule, const LoweringOptions& options)
    : schedule_(schedule), channels_last_(options.channels_last) {
  values_.assign(network().values.size(), no_tensor);
  gradients_.assign(network().values.size(), no_tensor);
  needs_gradient_.assign(network().values.size(), false);
  saved_.resize(network().nodes.size());
  create_value_tensors();
  if (records()) find_needed_gradients(options);
}

void Lowering::create_value_tensors() {
  for (std::size_t i = 0; i < network().values.size(); ++i) {
    const Value& candidate = network().values[i];
    if (candidate.kind == ValueKind::result) continue;
    Role role = Role::buffer;
    if (candidate.kind == ValueKind::input) role = Role::input;
    if (candidate.kind == ValueKind::parameter) role = Role::parameter;
    const bool image = candidate.type.shape.rank() == 4 && candidate.kind != ValueKind::buffer;
    values_[i] = new_tensor(candidate.type,
                            channels_last_ && image ? channels_last_strides(candidate.type.shape)
                                                    : contiguous_strides(candidate.type.shape),
                            role);
  }
}

void Lowering::find_needed_gradients(const LoweringOptions& options) {
  for (std::size_t i = 0; i < network().values.size(); ++i) {
    const Value& candidate = network().values[i];
    const bool asked_for = candidate.kind == ValueKind::input &&
                           std::ranges::find(options.inputs_with_gradients, candidate.name) !=
                               options.inputs_with_gradients.end();
    needs_gradient_[i] =
        (candidate.kind == ValueKind::parameter || asked_for) && is_floating(candidate.type.dtype);
  }
  for (const Node& candidate : network().nodes) {
    const bool needed =
        std::ranges::any_of(candidate.inputs, [this](ValueId id) { return needs_gradient(id); });
    for (const ValueId id : candidate.outputs) {
      needs_gradient_[static_cast<std::size_t>(id)] =
          needed && is_floating(network().type(id).dtype);
    }
  }
}

bool Lowering::runs(const Node& candidate) const { return records() || !candidate.training_only; }

TensorId Lowering::new_tensor(TensorType type, Strides strides, Role role) {
  const Bytes bytes(checked_multiply(type.shape.elements(), size_of(type.dtype)));
  schedule_.storages.push_back({bytes, role});
  schedule_.tensors.push_back(
      {std::move(type), std::move(strides), static_cast<StorageId>(schedule_.storages.size() - 1)});
  return static_cast<TensorId>(schedule_.tensors.size() - 1);
}

TensorId Lowering::new_contiguous(TensorType type, Role role) {
  Strides strides = contiguous_strides(type.shape);
  return new_tensor(std::move(type), std::move(strides), role);
}

TensorId Lowering::alias(TensorId base, TensorType type, Strides strides) {
  schedule_.tensors.push_back({std::move(type), std::move(strides), tensor(base).storage});
  return static_cast<TensorId>(schedule_.tensors.size() - 1);
}

ScheduledOp& Lowering::emit(Work work, NodeId id, std::vector<TensorId> reads,
                            std::vector<TensorId> writes) {
  schedule_.ops.push_back({work, pass_, id, std::move(reads), std::move(writes), {}});
  return schedule_.ops.back();
}

TensorId Lowering::contiguous(TensorId id, NodeId for_node) {
  if (is_contiguous(shape(id), tensor(id).strides)) return id;
  const TensorId copy = new_contiguous(tensor(id).type);
  emit(CopyWork{}, for_node, {id}, {copy});
  return copy;
}

TensorId Lowering::channels_last(TensorId id, NodeId for_node) {
  const Strides wanted = channels_last_strides(shape(id));
  bool same = true;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    same = same && (shape(id)[i] == 1 || tensor(id).strides[i] == wanted[i]);
  }
  if (same) return id;
  const TensorId copy = new_tensor(tensor(id).type, wanted);
  emit(CopyWork{}, for_node, {id}, {copy});
  return copy;
}

bool Lowering::convolves_channels_last(const Node& candidate) const {
  const auto lies_so = [this](TensorId id) {
    return is_channels_last(shape(id), tensor(id).strides);
  };
  const TensorId x = value(candidate.inputs[0]);
  return tensor(x).type.dtype != DType::f64 && (lies_so(x) || lies_so(value(candidate.inputs[1])));
}

Strides Lowering::heads_inside(const Shape& shape) {
  if (shape.rank() != 4) return contiguous_strides(shape);
  constexpr std::size_t order[] = {0, 2, 1, 3};
  return dense_strides(shape, order);
}

Strides Lowering::steps_outside(const Shape& shape, bool batch_first) {
  constexpr std::size_t order[] = {1, 0, 2};
  return batch_first ? dense_strides(shape, order) : contiguous_strides(shape);
}

TensorId Lowering::steps_first(TensorId id, bool batch_first, NodeId for_node) {
  if (!batch_first) return contiguous(id, for_node);
  const Shape& from = shape(id);
  const Strides& strides = tensor(id).strides;
  TensorType type{tensor(id).type.dtype, {from[1], from[0], from[2]}};
  return contiguous(alias(id, std::move(type), {strides[1], strides[0], strides[2]}), for_node);
}

TensorId Lowering::reshaped(TensorId id, const Shape& to, NodeId for_node) {
  const TensorType type{tensor(id).type.dtype, to};
  if (std::optional<Strides> strides = view_strides(shape(id), tensor(id).strides, to)) {
    return alias(id, type, *std::move(strides));
  }
  const TensorId copy = new_contiguous(tensor(id).type);
  emit(CopyWork{}, for_node, {id}, {copy});
  return alias(copy, type, contiguous_strides(to));
}

TensorId Lowering::cast(TensorId id, DType dtype, NodeId for_node) {
  if (tensor(id).type.dtype == dtype) return id;
  const StridedOperand operand{&shape(id), &tensor(id).strides};
  Strides strides = elementwise_strides({&operand, 1}, shape(id));
  const TensorId result = new_tensor({dtype, shape(id)}, std::move(strides));
  emit(CastWork{}, for_node, {id}, {result});
  return result;
}

void Lowering::save(NodeId id, TensorId kept) {
  if (!records()) return;
  saved_[static_cast<std::size_t>(id)].push_back(kept);
  schedule_.saved.push_back(kept);
}

TensorId Lowering::new_gradient(ValueId id) {
  const Tensor& like = tensor(value(id));
  const StridedOperand operand{&like.type.shape, &like.strides};
  return new_gradient(id, elementwise_strides({&operand, 1}, like.type.shape));
}

TensorId Lowering::new_gradient(ValueId id, Strides strides) {
  const bool leaf = network().value(id).kind == ValueKind::parameter;
  return new_tensor(network().type(id), std::move(strides),
                    leaf ? Role::parameter_gradient : Role::gradient);
}

void Lowering::hold_gradient(ValueId id, TensorId gradient) {
  disown_gradient(id);
  gradient_owners_.resize(schedule_.storages.size(), 0);
  ++gradient_owners_[static_cast<std::size_t>(tensor(gradient).storage)];
  gradients_[static_cast<std::size_t>(id)] = gradient;
}

void Lowering::disown_gradient(ValueId id) {
  const TensorId held = gradient(id);
  if (held != no_tensor) --gradient_owners_[static_cast<std::size_t>(tensor(held).storage)];
}

bool Lowering::sole_owner(TensorId gradient) const {
  return gradient_owners_[static_cast<std::size_t>(tensor(gradient).storage)] == 1;
}

bool Lowering::has_owner(TensorId gradient) const {
  const auto storage = static_cast<std::size_t>(tensor(gradient).storage);
  return storage < gradient_owners_.size() && gradient_owners_[storage] > 0;
}

void Lowering::give_gradient(ValueId id, TensorId arriving, NodeId from) {
  if (!needs_gradient(id)) return;
  const TensorType& wanted = network().type(id);
  const bool leaf = network().value(id).kind == ValueKind::parameter;
  if (shape(arriving) != wanted.shape) {
    const TensorId reduced = new_contiguous({tensor(arriving).type.dtype, wanted.shape},
                                            leaf ? Role::parameter_gradient : Role::gradient);
    emit(BroadcastGradientWork{}, from, {arriving}, {reduced});
    arriving = reduced;
  }
  arriving = cast(arriving, wanted.dtype, from);
  if (leaf) arriving = as_parameter_gradient(id, arriving, from);
  const TensorId held = gradient(id);
  if (held == no_tensor) {
    hold_gradient(id, arriving);
    return;
  }
  // Autograd adds in place when nothing else uses the first gradient.
  const bool in_place = is_dense(shape(held), tensor(held).strides) && sole_owner(held);
  TensorId sum = held;
  if (!in_place) {
    const StridedOperand operands[] = {{&shape(held), &tensor(held).strides},
                                       {&shape(arriving), &tensor(arriving).strides}};
    sum = new_gradient(id, elementwise_strides(operands, wanted.shape));
  }
  emit(AccumulateWork{}, from, {held, arriving}, {sum});
  hold_gradient(id, sum);
}

// The optimizer wants gradients laid out as their parameters; one that arrives otherwise, or that
// another op still reads, is copied.
TensorId Lowering::as_parameter_gradient(ValueId id, TensorId arriving, NodeId from) {
  const Tensor& parameter = tensor(value(id));
  bool same = !has_owner(arriving);
  for (std::size_t i = 0; i < parameter.strides.size(); ++i) {
    same = same &&
           (parameter.type.shape[i] == 1 || parameter.strides[i] == tensor(arriving).strides[i]);
  }
  if (!same) {
    const TensorId copy = new_gradient(id, parameter.strides);
    emit(CopyWork{}, from, {arriving}, {copy});
    return copy;
  }
  schedule_.storages[static_cast<std::size_t>(tensor(arriving).storage)].role =
      Role::parameter_gradient;
  return arriving;
}

void Lowering::lower_forward_pass() {
  for (std::size_t i = 0; i < network().nodes.size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    if (!runs(node(id))) continue;
    lower_forward(*this, id);
    for (const ValueId held : node(id).holds) schedule_.ops.back().holds.push_back(value(held));
  }
  for (const ValueId id : network().outputs) schedule_.outputs.push_back(value(id));
  if (!records()) return;
  for (const ValueId id : graph::side_results(network())) schedule_.outputs.push_back(value(id));
}

void Lowering::lower_backward_pass() {
  if (arriving_.empty()) return;
  set_pass(Pass::data_gradient);
  for (const auto& [id, gradient] : arriving_) give_gradient(id, gradient, -1);
  for (std::size_t i = network().nodes.size(); i-- > 0;) {
    const auto id = static_cast<NodeId>(i);
    const bool reached = std::ranges::any_of(
        node(id).outputs, [this](ValueId output) { return gradient(output) != no_tensor; });
    if (!reached) {
      // The caller holds what a side path returned, and with it all that was saved on the path.
      if (node(id).training_only) {
        unreleased_.insert(unreleased_.end(), saved(id).begin(), saved(id).end());
      }
      continue;
    }
    // The rule takes the arriving gradients over: they no longer count as held by the outputs.
    for (const ValueId output : node(id).outputs) disown_gradient(output);
    const std::size_t first_op = schedule_.ops.size();
    set_pass(Pass::data_gradient);
    lower_backward(*this, id);
    // The node's saved tensors live until its last backward op has run.
    if (schedule_.ops.size() > first_op) {
      schedule_.ops.back().holds.insert(schedule_.ops.back().holds.end(), saved(id).begin(),
                                        saved(id).end());
    }
    for (const ValueId output : node(id).outputs) {
      gradients_[static_cast<std::size_t>(output)] = no_tensor;
    }
  }
}

// Cross-entropy over the last dimension: log-softmax, then the negative log-likelihood of the
// labels, averaged over rows. Autocast runs both in fp32. Source: PyTorch, CrossEntropyLoss.
void Lowering::lower_loss() {
  const ValueId output = network().outputs.front();
  TensorId logits = value(output);
  if (!is_floating(tensor(logits).type.dtype)) return;
  set_pass(Pass::loss);
  if (shape(logits).rank() == 0) {  // it is a loss itself, or nobody knows its shape
    arriving_ = {{output, begin_backward(logits)}};
    return;
  }
  if (autocast_type(schedule_.precision)) logits = cast(logits, DType::f32, -1);
  const std::int64_t classes = shape(logits).from_end(1);
  const std::int64_t rows = classes == 0 ? 0 : shape(logits).elements() / classes;
  const DType dtype = tensor(logits).type.dtype;
  const TensorId flat = reshaped(logits, {rows, classes}, -1);
  const TensorId labels = new_contiguous({DType::i64, {rows}}, Role::input);
  const TensorId log_probabilities = new_contiguous({dtype, {rows, classes}});
  emit(LogSoftmaxWork{}, -1, {flat}, {log_probabilities});
  const TensorId loss = new_contiguous({dtype, {}});
  emit(NegativeLogLikelihoodWork{}, -1, {log_probabilities, labels}, {loss});
  const TensorId loss_gradient = begin_backward(loss);
  const TensorId likelihood_gradient = new_contiguous({dtype, {rows, classes}}, Role::gradient);
  emit(FillWork{}, -1, {}, {likelihood_gradient});
  emit(NegativeLogLikelihoodWork{}, -1, {loss_gradient, labels}, {likelihood_gradient});
  const TensorId logits_gradient = new_contiguous({dtype, {rows, classes}}, Role::gradient);
  emit(LogSoftmaxWork{}, -1, {likelihood_gradient, log_probabilities}, {logits_gradient});
  arriving_ = {
      {output, alias(logits_gradient, {dtype, shape(logits)}, contiguous_strides(shape(logits)))}};
}

TensorId Lowering::begin_backward(TensorId loss) {
  const bool scales = scales_loss(schedule_.precision);
  if (scales) scale_loss(loss);
  const TensorId one = new_contiguous({tensor(loss).type.dtype, {}}, Role::gradient);
  emit(FillWork{}, -1, {}, {one});
  return scales ? scale_gradient_of_loss(one) : one;
}

void Lowering::take_gradients() {
  for (const ValueId id : network().outputs) {
    if (!needs_gradient(id)) continue;
    arriving_.emplace_back(id, new_gradient(id));
  }
}

}  // namespace rooflab::schedule
