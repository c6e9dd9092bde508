// Recurrent layers.
//
// ONNX has one operator for each layer, in one or both directions. Its weights lie side by side, a
// matrix for each direction: W [D, G H, in], R [D, G H, H] and B [D, 2 G H], of W then of R. Its
// gates have another order than PyTorch's, i o f c for i f g o and z r h for r z n, so that weights
// are taken apart and put together again; where they are stored in the file, that becomes
// separate parameters (graph_cleanup.hpp). The result of each step has the directions before
// the samples, Y [T, D, N, H], or with layout 1 all samples first, Y [N, T, D, H]. A single layer
// that runs backwards is one that runs forwards over the steps turned round.
//
// Operands: X, W, R, B, lengths of the sequences, h0 and, of an LSTM, c0 and the weights of
// peepholes. Source: ONNX operators LSTM-14, GRU-14, RNN-14.

#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "op_table.hpp"
#include "rooflab/base/quantity.hpp"

namespace rooflab::onnx {
namespace {

using graph::Recurrent;
using graph::RecurrentCell;
using graph::Shape;
using graph::TensorType;
using graph::ValueId;

/// One node while it is translated.
class Layer {
 public:
  Layer(NodeImport& node, RecurrentCell cell) : node_(node) {
    op_.cell = cell;
    const Shape& x = node.shape(0);
    const Shape& r = node.shape(2);
    if (x.rank() != 3) node.fail(format("a recurrent layer on {}", x.to_string()));
    if (r.rank() != 3) node.fail(format("recurrent weights of {}", r.to_string()));
    hidden_ = node.attributes.integer("hidden_size", r[2]);
    op_.batch_first = node.attributes.integer("layout", 0) != 0;
    const std::string_view direction = node.attributes.text("direction", "forward");
    op_.bidirectional = direction == "bidirectional";
    reverse_ = direction == "reverse";
    if (!op_.bidirectional && !reverse_ && direction != "forward") {
      node.fail(format("'{}' is not a direction", direction));
    }
    op_.bias = node.has(3);
    op_.initial_state = node.has(5) || node.has(6);
    steps_ = x[op_.batch_first ? 1 : 0];
    samples_ = x[op_.batch_first ? 0 : 1];
    require_weights(x[2]);
  }

  void import() {
    if (const std::string reason = inexpressible(); !reason.empty()) {
      return node_.keep_opaque(types(), reason);
    }
    note_differences();
    std::vector<ValueId> inputs = {turned(node_.operand(0))};
    for (std::size_t i = 0; op_.initial_state && i < op_.states(); ++i) {
      inputs.push_back(state(5 + i));
    }
    for (std::int64_t direction = 0; direction < op_.directions(); ++direction) {
      inputs.push_back(ordered(of_direction(1, direction)));
      inputs.push_back(ordered(of_direction(2, direction)));
      if (!op_.bias) continue;
      const std::int64_t gates = op_.gates() * hidden_;
      for (const ValueId bias :
           node_.emit_all(graph::Split{0, {gates, gates}}, {of_direction(3, direction)})) {
        inputs.push_back(ordered(bias));
      }
    }
    const std::vector<ValueId> results = node_.emit_all(op_, std::move(inputs));
    const std::int64_t directions = op_.directions();
    ValueId y = turned(results[0]);
    if (op_.batch_first) {
      y = node_.reshape(y, {samples_, steps_, directions, hidden_});
    } else if (directions == 1) {
      y = node_.reshape(y, {steps_, 1, samples_, hidden_});
    } else {
      y = node_.reshape(y, {steps_, samples_, directions, hidden_});
      y = node_.transpose(y, {0, 2, 1, 3});
    }
    node_.set_result(0, y);
    for (std::size_t i = 1; i < results.size(); ++i) {
      node_.set_result(i, samples_outside(results[i]));
    }
  }

 private:
  void require_weights(std::int64_t features) const {
    const std::int64_t directions = op_.directions();
    const std::int64_t gates = checked_multiply(op_.gates(), hidden_);
    const auto require = [this](std::size_t i, const Shape& shape) {
      if (node_.shape(i) == shape) return;
      node_.fail(
          format("operand {} is {}, not {}", i, node_.shape(i).to_string(), shape.to_string()));
    };
    require(1, {directions, gates, features});
    require(2, {directions, gates, hidden_});
    if (op_.bias) require(3, {directions, checked_multiply(2, gates)});
    for (std::size_t i = 5; i < 5 + op_.states(); ++i) {
      if (node_.has(i)) require(i, state_shape());
    }
  }

  /// The shape of a state in the file.
  [[nodiscard]] Shape state_shape() const {
    return op_.batch_first ? Shape{samples_, op_.directions(), hidden_}
                           : Shape{op_.directions(), samples_, hidden_};
  }

  /// Types of the results, as ONNX has them.
  [[nodiscard]] std::vector<TensorType> types() const {
    const DType dtype = node_.type(0).dtype;
    const std::int64_t directions = op_.directions();
    const Shape all = op_.batch_first ? Shape{samples_, steps_, directions, hidden_}
                                      : Shape{steps_, directions, samples_, hidden_};
    std::vector<TensorType> types = {{dtype, all}, {dtype, state_shape()}, {dtype, state_shape()}};
    types.resize(std::min(types.size(), node_.result_count()));
    return types;
  }

  /// Why the graph's op cannot be this layer, also not with other values; else empty.
  [[nodiscard]] std::string inexpressible() {
    if (node_.has(7)) return "it has peepholes";
    if (node_.attributes.integer("input_forget", 0) != 0) return "it couples two of its gates";
    const auto activations = node_.attributes.texts("activations");
    if (!activations || activations->empty()) return {};
    std::vector<std::string_view> usual = {"Tanh"};
    if (op_.cell == RecurrentCell::lstm) usual = {"Sigmoid", "Tanh", "Tanh"};
    if (op_.cell == RecurrentCell::gru) usual = {"Sigmoid", "Tanh"};
    const auto all_are = [&](const std::vector<std::string_view>& wanted) {
      for (std::size_t i = 0; i < activations->size(); ++i) {
        if ((*activations)[i] != wanted[i % wanted.size()]) return false;
      }
      return true;
    };
    if (all_are(usual)) return {};
    if (op_.cell == RecurrentCell::rnn_tanh && all_are({"Relu"})) {
      op_.cell = RecurrentCell::rnn_relu;
      return {};
    }
    return "it has other activations";
  }

  void note_differences() {
    if (node_.has(4) && !are_whole_lengths()) {
      node_.note_values("runs without the lengths of its sequences");
    }
    if (node_.attributes.has("clip")) node_.note_values("runs without its clip");
    if (op_.cell == RecurrentCell::gru && node_.attributes.integer("linear_before_reset", 0) == 0) {
      node_.note_values("with linear_before_reset = 0 resets after its product");
    }
  }

  [[nodiscard]] bool are_whole_lengths() const {
    const ConstantTensor* const lengths = node_.data(4);
    if (lengths == nullptr) return false;
    const std::vector<std::int64_t> all = lengths->as_integers();
    return std::ranges::all_of(all, [this](std::int64_t length) { return length == steps_; });
  }

  /// The steps of a sequence turned round, where the layer runs backwards.
  ValueId turned(ValueId x) {
    if (!reverse_) return x;
    const std::int64_t axis = op_.batch_first ? 1 : 0;
    return node_.emit(graph::Slice{{axis}, {steps_ - 1}, {-1}, {-1}}, {x});
  }

  /// [D, N, H] to [N, D, H] and back, where the file has the samples first.
  ValueId samples_outside(ValueId state) {
    return op_.batch_first ? node_.transpose(state, {1, 0, 2}) : state;
  }

  ValueId state(std::size_t i) {
    if (node_.has(i)) return samples_outside(node_.operand(i));
    const TensorType type{node_.type(0).dtype, {op_.directions(), samples_, hidden_}};
    return node_.constant_of_type(type, [type] { return ConstantTensor::filled(type, 0); });
  }

  /// The part of weights that belongs to a direction.
  ValueId of_direction(std::size_t operand, std::int64_t direction) {
    const Shape shape = node_.shape(operand);
    ValueId part = node_.operand(operand);
    if (op_.bidirectional) {
      part = node_.emit_all(graph::Split{0, {1, 1}}, {part})[static_cast<std::size_t>(direction)];
    }
    return node_.reshape(part, {shape.dims().begin() + 1, shape.dims().end()});
  }

  /// Weights with their gates in PyTorch's order.
  ValueId ordered(ValueId weights) {
    const auto count = static_cast<std::size_t>(op_.gates());
    if (count == 1) return weights;
    const std::vector<ValueId> gates =
        node_.emit_all(graph::Split{0, std::vector<std::int64_t>(count, hidden_)}, {weights});
    if (count == 3) return node_.emit(graph::Concat{0}, {gates[1], gates[0], gates[2]});
    return node_.emit(graph::Concat{0}, {gates[0], gates[2], gates[3], gates[1]});
  }

  NodeImport& node_;
  Recurrent op_;
  bool reverse_ = false;
  std::int64_t hidden_ = 0;
  std::int64_t steps_ = 0;
  std::int64_t samples_ = 0;
};

template <RecurrentCell cell>
void import_recurrent(NodeImport& node) {
  Layer(node, cell).import();
}

}  // namespace

void add_recurrent_rules(RuleTable& table) {
  table["LSTM"] = import_recurrent<RecurrentCell::lstm>;
  table["GRU"] = import_recurrent<RecurrentCell::gru>;
  table["RNN"] = import_recurrent<RecurrentCell::rnn_tanh>;
}

}  // namespace rooflab::onnx
