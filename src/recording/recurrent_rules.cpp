// Recurrent layers: cuDNN's and oneDNN's as one op, cells of a step as they are.
//
// A cell of a step adds what its two products gave: the arithmetic of cost/matrix_cost.cpp without
// the products. Modes: 0 ReLU, 1 tanh, 2 LSTM, 3 GRU. Source: PyTorch,
// aten/src/ATen/native/cudnn/RNN.cpp and native_functions.yaml.

#include <array>

#include "rules.hpp"

namespace rooflab::recording {
namespace {

using graph::Recurrent;
using graph::RecurrentCell;
using graph::ValueId;

RecurrentCell cell_of_mode(std::int64_t mode) {
  constexpr std::array cells = {RecurrentCell::rnn_relu, RecurrentCell::rnn_tanh,
                                RecurrentCell::lstm, RecurrentCell::gru};
  return mode >= 0 && mode < 4 ? cells[static_cast<std::size_t>(mode)] : RecurrentCell::lstm;
}

/// The layers of a call, whose weights are these tensors.
struct Layers {
  Recurrent op;
  STensor x;
  STensor h;
  STensor c;
  std::vector<STensor> weights;
  std::int64_t packed_steps = 0;  ///< sequences of several lengths lie packed, [tokens, width]
};

/// x; of packed sequences as many steps of their mean number of samples.
ValueId sequence_of(Lowerer& l, const Layers& layers) {
  if (layers.packed_steps == 0) return l.value(layers.x);
  const graph::Shape& packed = l.shape(layers.x);
  const std::int64_t samples = std::max<std::int64_t>(packed[0] / layers.packed_steps, 1);
  return l.described({l.tensor(layers.x).type.dtype, {layers.packed_steps, samples, packed[1]}});
}

std::vector<ValueId> inputs_of(Lowerer& l, const Layers& layers) {
  std::vector<ValueId> inputs = {sequence_of(l, layers), l.value(layers.h)};
  if (layers.op.states() == 2) {
    inputs.push_back(l.value(layers.c == no_tensor ? layers.h : layers.c));
  }
  for (const STensor weight : layers.weights) inputs.push_back(weight_value(l, weight));
  return inputs;
}

std::vector<STensor> operands_of(const Layers& layers) {
  std::vector<STensor> reads = present({layers.x, layers.h, layers.c});
  reads.insert(reads.end(), layers.weights.begin(), layers.weights.end());
  return reads;
}

std::optional<Layers> cudnn_layers(const OpView& view, std::size_t h_place) {
  Layers layers{.op = {},
                .x = view.in(0),
                .h = view.in(h_place),
                .c = view.in(h_place + 1),
                .weights = view.list(1)};
  Recurrent& op = layers.op;
  op.cell = cell_of_mode(view.integer("mode", 2));
  op.layers = view.integer("num_layers", 1);
  op.bidirectional = view.flag("bidirectional", false);
  op.batch_first = view.flag("batch_first", false);
  op.initial_state = true;
  op.dropout = view.number_or("dropout", 0.0);
  const auto count = static_cast<std::int64_t>(layers.weights.size());
  if (op.layers < 1 || op.layers > count) return std::nullopt;
  const std::int64_t each = count / (op.layers * op.directions());
  op.bias = each == 4;
  layers.packed_steps = static_cast<std::int64_t>(view.integers("batch_sizes").size());
  const std::size_t rank = layers.packed_steps > 0 ? 2 : 3;
  const bool known = (each == 2 || each == 4) && layers.x != no_tensor && layers.h != no_tensor &&
                     view.lowerer().shape(layers.x).rank() == rank;
  return known ? std::optional(std::move(layers)) : std::nullopt;
}

bool cudnn_forward(const OpView& view) {
  Lowerer& l = view.lowerer();
  const std::optional<Layers> layers = cudnn_layers(view, 3);
  if (!layers || view.out(0) == no_tensor) return false;
  emit_node(view, layers->op, inputs_of(l, *layers), operands_of(*layers), view.all_out(),
            view.plain_pass());
  return true;
}

bool cudnn_backward(const OpView& view) {
  Lowerer& l = view.lowerer();
  const std::optional<Layers> layers = cudnn_layers(view, 3);
  const STensor y = view.in(5);
  if (!layers || y == no_tensor) return false;
  const graph::NodeId node = gradient_node(view, layers->op, inputs_of(l, *layers), l.value(y));
  std::vector<STensor> reads = operands_of(*layers);
  for (const STensor id : present({y, view.in(6), view.in(7), view.in(8), view.in(10)})) {
    reads.push_back(id);
  }
  l.emit(schedule::NodeWork{}, node, Pass::data_gradient, std::move(reads),
         present({view.out(0), view.out(1), view.out(2)}));
  // The last result is the list of the weights' gradients.
  const std::size_t results = view.op().out.size();
  std::vector<STensor> gradients =
      results == 0 ? std::vector<STensor>{} : view.out_list(results - 1);
  if (!gradients.empty()) {
    l.emit(schedule::NodeWork{}, node, Pass::weight_gradient,
           present({layers->x, layers->h, y, view.in(10)}), std::move(gradients));
  }
  return true;
}

/// One layer and direction; x lies as [steps, samples, width].
Layers onednn_layer(const OpView& view) {
  Layers layers{.op = {}, .x = view.in(0), .h = view.in(5), .c = view.in(6), .weights = {}};
  layers.op.cell = cell_of_mode(view.integer("mode", 2));
  layers.op.initial_state = true;
  layers.op.bias = view.flag("has_biases", true);
  layers.weights = present({view.in(1), view.in(2), view.in(3), view.in(4)});
  if (!layers.op.bias && layers.weights.size() > 2) layers.weights.resize(2);
  return layers;
}

bool onednn_forward(const OpView& view) {
  Lowerer& l = view.lowerer();
  const Layers layers = onednn_layer(view);
  if (layers.x == no_tensor || layers.h == no_tensor || layers.weights.size() < 2) return false;
  emit_node(view, layers.op, inputs_of(l, layers), operands_of(layers), view.all_out(),
            view.plain_pass());
  return true;
}

bool onednn_backward(const OpView& view) {
  Lowerer& l = view.lowerer();
  const Layers layers = onednn_layer(view);
  const STensor y = view.in(7);
  if (layers.x == no_tensor || y == no_tensor || layers.weights.size() < 2) return false;
  const graph::NodeId node = gradient_node(view, layers.op, inputs_of(l, layers), l.value(y));
  // The kernel gives the gradients of data, weights and states at once: two passes of work.
  l.emit(schedule::NodeWork{}, node, Pass::data_gradient, view.all_in(),
         present({view.out(0), view.out(5), view.out(6)}));
  l.emit(schedule::NodeWork{}, node, Pass::weight_gradient, present({layers.x, layers.h, y}),
         present({view.out(1), view.out(2), view.out(3), view.out(4)}));
  return true;
}

/// FLOPs of a unit, of cost/matrix_cost.cpp.
constexpr std::int64_t lstm_unit = 22;
constexpr std::int64_t gru_unit = 17;
constexpr std::int64_t lstm_gradient = 24;
constexpr std::int64_t gru_gradient = 18;

bool cell(const OpView& view) {
  const STensor first = view.out(0);
  if (first == no_tensor) return false;
  const bool lstm = view.name().find("lstm") != std::string_view::npos;
  const bool backward = view.name().find("backward") != std::string_view::npos;
  // The first result of a backward is the gradient of all gates.
  std::int64_t units = view.lowerer().elements(first);
  if (backward) units /= lstm ? 4 : 3;
  const std::int64_t each =
      backward ? (lstm ? lstm_gradient : gru_gradient) : (lstm ? lstm_unit : gru_unit);
  emit_known(view, view.name(), flops_of_each(static_cast<double>(each), units), "copy",
             graph::OpClass::recurrent, view.all_in(), view.all_out());
  return true;
}

constexpr std::array recurrent_table = {
    NamedRule{"_cudnn_rnn", cudnn_forward},
    NamedRule{"_cudnn_rnn_backward", cudnn_backward},
    NamedRule{"mkldnn_rnn_layer", onednn_forward},
    NamedRule{"mkldnn_rnn_layer_backward", onednn_backward},
    NamedRule{"_thnn_fused_lstm_cell", cell},
    NamedRule{"_thnn_fused_lstm_cell_backward_impl", cell},
    NamedRule{"_thnn_fused_gru_cell", cell},
    NamedRule{"_thnn_fused_gru_cell_backward", cell},
};

}  // namespace

std::span<const NamedRule> recurrent_rules() { return recurrent_table; }

}  // namespace rooflab::recording
