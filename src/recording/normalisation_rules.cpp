// Norms, softmax and dropout.

#include <algorithm>
#include <array>

#include "rules.hpp"

namespace rooflab::recording {
namespace {

using graph::ValueId;

/// An affine norm: x, and weight and bias where they are there.
std::vector<ValueId> norm_inputs(Lowerer& l, STensor x, STensor weight, STensor bias) {
  std::vector<ValueId> inputs = {l.value(x)};
  if (weight == no_tensor && bias == no_tensor) return inputs;
  for (const STensor each : present({weight, bias})) inputs.push_back(weight_value(l, each));
  return inputs;
}

/// A norm's forward pass: x, weight and bias at these places.
bool norm_forward(const OpView& view, graph::Op op, STensor weight, STensor bias) {
  Lowerer& l = view.lowerer();
  const STensor x = view.in(0);
  if (x == no_tensor || view.out(0) == no_tensor) return false;
  emit_node(view, std::move(op), norm_inputs(l, x, weight, bias), present({x, weight, bias}),
            view.all_out(), view.plain_pass());
  return true;
}

/// All arguments but those at these places, which the kernel does not read.
std::vector<STensor> read_but(const OpView& view, std::initializer_list<std::size_t> unread) {
  std::vector<STensor> reads;
  for (std::size_t place = 0; place < view.arity(); ++place) {
    const STensor tensor = view.in(place);
    if (tensor != no_tensor && std::ranges::find(unread, place) == unread.end()) {
      reads.push_back(tensor);
    }
  }
  return reads;
}

/// All gradients of a norm at once.
bool norm_backward(const OpView& view, graph::Op op, STensor x, STensor dy, STensor weight,
                   std::initializer_list<std::size_t> unread = {}) {
  Lowerer& l = view.lowerer();
  if (x == no_tensor || dy == no_tensor || view.all_out().empty()) return false;
  const graph::NodeId node =
      gradient_node(view, std::move(op), norm_inputs(l, x, weight, weight), l.value(dy));
  l.emit(schedule::NodeWork{}, node, Pass::data_gradient, read_but(view, unread), view.all_out());
  return true;
}

graph::LayerNorm layer_norm_of(const OpView& view) {
  const auto rank = static_cast<std::int64_t>(view.integers("normalized_shape").size());
  return {.normalized_rank = std::max<std::int64_t>(rank, 1)};
}

bool layer_norm(const OpView& view) {
  return norm_forward(view, layer_norm_of(view), view.in(1), view.in(2));
}
bool layer_norm_backward(const OpView& view) {  // the bias is only asked whether it is there
  return norm_backward(view, layer_norm_of(view), view.in(1), view.in(0), view.in(4), {5});
}

bool rms_norm(const OpView& view) {
  return norm_forward(view, graph::RmsNorm{}, view.in(1), no_tensor);
}
bool rms_norm_backward(const OpView& view) {
  return norm_backward(view, graph::RmsNorm{}, view.in(1), view.in(0), view.in(3));
}

graph::GroupNorm group_norm_of(const OpView& view) {
  return {.groups = std::max<std::int64_t>(view.integer("group", 1), 1)};
}
bool group_norm(const OpView& view) {
  return norm_forward(view, group_norm_of(view), view.in(1), view.in(2));
}
bool group_norm_backward(const OpView& view) {
  return norm_backward(view, group_norm_of(view), view.in(1), view.in(0), view.in(4));
}

/// With stored statistics in a step that trains: scale and shift.
bool stored_batch_norm(const OpView& view, std::int64_t flops) {
  emit_known(view, view.name(), flops, "copy", graph::OpClass::normalisation, view.all_in(),
             view.all_out());
  return true;
}

/// x, weight, bias, running mean and variance; a missing one is described only.
std::vector<ValueId> batch_norm_inputs(Lowerer& l, STensor x, std::array<STensor, 4> channels) {
  std::vector<ValueId> inputs = {l.value(x)};
  for (const STensor each : channels) {
    inputs.push_back(each != no_tensor ? weight_value(l, each)
                                       : l.described({DType::f32, {l.shape(x)[1]}}));
  }
  return inputs;
}

bool batch_norm(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor x = view.in(0);
  const STensor y = view.out(0);
  if (x == no_tensor || y == no_tensor || l.shape(x).rank() < 2) return false;
  const bool training = view.flag("training", view.flag("train", true)) &&
                        view.name() != "_native_batch_norm_legit_no_training";
  if (!training && l.phase() != Phase::inference)
    return stored_batch_norm(view, flops_of_each(4.0, l.elements(x)));
  std::vector<STensor> writes = view.all_out();
  if (training) {  // the running statistics are updated
    for (const STensor each : present({view.in(3), view.in(4)})) writes.push_back(each);
  }
  const std::vector<STensor> reads = view.all_in();
  const graph::NodeId node = l.node(
      view, graph::BatchNorm{},
      batch_norm_inputs(l, x, {view.in(1), view.in(2), view.in(3), view.in(4)}), {l.value(y)});
  l.emit(schedule::NodeWork{}, node, view.plain_pass(), reads, std::move(writes));
  return true;
}

/// Places of dy, x and weight differ between the kernel families.
bool batch_norm_backward(const OpView& view) {
  Lowerer& l = view.lowerer();
  const bool cudnn = view.name() == "cudnn_batch_norm_backward";
  const STensor dy = view.in(cudnn ? 1 : 0);
  const STensor x = view.in(cudnn ? 0 : 1);
  if (dy == no_tensor || x == no_tensor || l.shape(x).rank() < 2) return false;
  const bool training = view.flag("train", view.flag("update", true));
  if (!training) return stored_batch_norm(view, flops_of_each(5.0, l.elements(x)));
  const graph::NodeId node = gradient_node(
      view, graph::BatchNorm{},
      batch_norm_inputs(l, x, {view.in(2), no_tensor, no_tensor, no_tensor}), l.value(dy));
  // The batch's own statistics are read, and not the running ones.
  l.emit(schedule::NodeWork{}, node, Pass::data_gradient, read_but(view, {3, 4}), view.all_out());
  return true;
}

graph::Softmax softmax_of(const OpView& view, const graph::Shape& shape) {
  return {.axis = axis_of(view.integer("dim", -1), shape),
          .log = view.name().find("log_softmax") != std::string_view::npos};
}

bool softmax(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor x = view.in(0);
  if (x == no_tensor || view.out(0) == no_tensor || l.shape(x).rank() == 0) return false;
  emit_node(view, softmax_of(view, l.shape(x)), {l.value(x)}, view.all_in(), {view.out(0)},
            view.plain_pass());
  return true;
}

bool softmax_backward(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor dy = view.in(0);
  const STensor y = view.in(1);
  if (dy == no_tensor || y == no_tensor || view.out(0) == no_tensor || l.shape(dy).rank() == 0) {
    return false;
  }
  const graph::NodeId node =
      gradient_node(view, softmax_of(view, l.shape(dy)), {l.value(y)}, l.value(dy));
  l.emit(schedule::NodeWork{}, node, Pass::data_gradient, {dy, y}, {view.out(0)});
  return true;
}

bool dropout(const OpView& view) {
  const STensor x = view.in(0);
  if (x == no_tensor || view.out(0) == no_tensor) return false;
  emit_node(view, graph::Dropout{.p = view.number_or("p", 0.5)}, {view.lowerer().value(x)}, {x},
            view.all_out(), view.plain_pass());
  return true;
}

bool dropout_backward(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor dy = view.in(0);
  if (dy == no_tensor || view.out(0) == no_tensor) return false;
  const graph::NodeId node = l.node(view, graph::Dropout{}, {l.value(dy)}, {l.value(view.out(0))});
  l.emit(schedule::NodeWork{}, node, Pass::data_gradient, view.all_in(), {view.out(0)});
  return true;
}

constexpr std::array normalisation_table = {
    NamedRule{"native_layer_norm", layer_norm},
    NamedRule{"native_layer_norm_backward", layer_norm_backward},
    NamedRule{"_fused_rms_norm", rms_norm},
    NamedRule{"rms_norm", rms_norm},
    NamedRule{"_fused_rms_norm_backward", rms_norm_backward},
    NamedRule{"native_group_norm", group_norm},
    NamedRule{"native_group_norm_backward", group_norm_backward},
    NamedRule{"native_batch_norm", batch_norm},
    NamedRule{"cudnn_batch_norm", batch_norm},
    NamedRule{"_native_batch_norm_legit", batch_norm},
    NamedRule{"_native_batch_norm_legit_functional", batch_norm},
    NamedRule{"_native_batch_norm_legit_no_training", batch_norm},
    NamedRule{"_batch_norm_with_update", batch_norm},
    NamedRule{"_batch_norm_no_update", batch_norm},
    NamedRule{"native_batch_norm_backward", batch_norm_backward},
    NamedRule{"cudnn_batch_norm_backward", batch_norm_backward},
    NamedRule{"batch_norm_backward", batch_norm_backward},
    NamedRule{"_softmax", softmax},
    NamedRule{"_log_softmax", softmax},
    NamedRule{"_safe_softmax", softmax},
    NamedRule{"_softmax_backward_data", softmax_backward},
    NamedRule{"_log_softmax_backward_data", softmax_backward},
    NamedRule{"native_dropout", dropout},
    NamedRule{"_fused_dropout", dropout},
    NamedRule{"native_dropout_backward", dropout_backward},
};

}  // namespace

std::span<const NamedRule> normalisation_rules() { return normalisation_table; }

}  // namespace rooflab::recording
