#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "defined_network.hpp"
#include "rooflab/graph/graph_builder.hpp"

/// A network of recurrent layers, and the same by the equations of torch.nn.LSTM, GRU and RNN
/// (PyTorch documentation).
namespace rooflab::engine::recurrent {

using graph::GraphBuilder;
using graph::Recurrent;
using graph::RecurrentCell;
using graph::ValueId;

inline constexpr std::size_t steps = 3;
inline constexpr std::size_t samples = 2;
inline constexpr std::size_t features = 2;
inline constexpr std::size_t units = 2;

inline std::size_t layers_of(const Recurrent& op) {
  return static_cast<std::size_t>(op.layers * op.directions());
}

/// All results of the layers on input + w, side by side.
inline graph::Graph network_of(const Recurrent& op) {
  GraphBuilder b("recurrent");
  const auto extent = [](std::size_t number) { return static_cast<std::int64_t>(number); };
  const graph::Shape shape{extent(op.batch_first ? samples : steps),
                           extent(op.batch_first ? steps : samples), extent(features)};
  const ValueId x =
      b.binary(b.input("input", shape), b.parameter("w", shape), graph::BinaryFunction::add, "x");
  std::vector<ValueId> states;
  for (std::size_t i = 0; op.initial_state && i < op.states(); ++i) {
    states.push_back(
        b.parameter(i == 0 ? "h0" : "c0", {extent(layers_of(op)), extent(samples), extent(units)}));
  }
  std::vector<ValueId> parts;
  for (const ValueId result : b.recurrent(x, "layers", op, extent(units), states)) {
    parts.push_back(b.reshape(result, {1, -1}, "flat"));
  }
  return std::move(b).finish({b.concat(parts, 1, "all")});
}

/// Reads parameters one after the other.
class Parameters {
 public:
  explicit Parameters(const Numbers& all) : next_(all.data()) {}
  const double* take(std::size_t count) {
    next_ += count;
    return next_ - count;
  }

 private:
  const double* next_;
};

inline double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

/// Weights of one layer and direction.
struct Weights {
  const double* ih;
  const double* hh;
  const double* ih_bias = nullptr;
  const double* hh_bias = nullptr;
};

inline double dot(const double* weights, const Numbers& x, const double* bias, std::size_t row) {
  double sum = bias == nullptr ? 0.0 : bias[row];
  for (std::size_t i = 0; i < x.size(); ++i) sum += weights[row * x.size() + i] * x[i];
  return sum;
}

/// One step of one sample: h and c become the next ones.
inline void step_cell(RecurrentCell cell, const Weights& w, const Numbers& x, Numbers& h,
                      Numbers& c) {
  const Numbers before = h;
  for (std::size_t j = 0; j < units; ++j) {
    const auto from_x = [&](std::size_t gate) { return dot(w.ih, x, w.ih_bias, gate * units + j); };
    const auto from_h = [&](std::size_t gate) {
      return dot(w.hh, before, w.hh_bias, gate * units + j);
    };
    const auto gate = [&](std::size_t which) { return from_x(which) + from_h(which); };
    switch (cell) {
      case RecurrentCell::lstm:
        c[j] = sigmoid(gate(1)) * c[j] + sigmoid(gate(0)) * std::tanh(gate(2));
        h[j] = sigmoid(gate(3)) * std::tanh(c[j]);
        break;
      case RecurrentCell::gru: {
        const double z = sigmoid(gate(1));
        const double n = std::tanh(from_x(2) + sigmoid(gate(0)) * from_h(2));
        h[j] = (1.0 - z) * n + z * before[j];
        break;
      }
      case RecurrentCell::rnn_tanh:
        h[j] = std::tanh(gate(0));
        break;
      case RecurrentCell::rnn_relu:
        h[j] = std::max(0.0, gate(0));
        break;
    }
  }
}

/// Sequence of a sample at a step: [step][sample].
using Sequence = std::vector<std::vector<Numbers>>;

inline Numbers results_of(const Recurrent& op, const Numbers& input, const Numbers& all) {
  Parameters parameters(all);
  const auto directions = static_cast<std::size_t>(op.directions());
  const auto gates = static_cast<std::size_t>(op.gates());
  const double* const w = parameters.take(input.size());
  Sequence x(steps, std::vector<Numbers>(samples, Numbers(features)));
  for (std::size_t t = 0; t < steps; ++t) {
    for (std::size_t n = 0; n < samples; ++n) {
      for (std::size_t i = 0; i < features; ++i) {
        const std::size_t row = op.batch_first ? n * steps + t : t * samples + n;
        x[t][n][i] = input[row * features + i] + w[row * features + i];
      }
    }
  }
  const std::size_t state = samples * units;
  Numbers h(layers_of(op) * state, 0.0);
  Numbers c = h;
  if (op.initial_state) {
    const double* const h0 = parameters.take(h.size());
    h.assign(h0, h0 + h.size());
    if (op.cell == RecurrentCell::lstm) {
      const double* const c0 = parameters.take(c.size());
      c.assign(c0, c0 + c.size());
    }
  }
  for (std::size_t layer = 0; layer < static_cast<std::size_t>(op.layers); ++layer) {
    const std::size_t width = layer == 0 ? features : directions * units;
    Sequence y(steps, std::vector<Numbers>(samples));
    for (std::size_t direction = 0; direction < directions; ++direction) {
      Weights weights{parameters.take(gates * units * width),
                      parameters.take(gates * units * units)};
      if (op.bias) {
        weights.ih_bias = parameters.take(gates * units);
        weights.hh_bias = parameters.take(gates * units);
      }
      for (std::size_t n = 0; n < samples; ++n) {
        const std::size_t at = (layer * directions + direction) * state + n * units;
        const auto begin = static_cast<std::ptrdiff_t>(at);
        Numbers own_h(h.begin() + begin, h.begin() + begin + units);
        Numbers own_c(c.begin() + begin, c.begin() + begin + units);
        for (std::size_t i = 0; i < steps; ++i) {
          const std::size_t t = direction == 0 ? i : steps - 1 - i;
          step_cell(op.cell, weights, x[t][n], own_h, own_c);
          y[t][n].insert(y[t][n].end(), own_h.begin(), own_h.end());
        }
        std::ranges::copy(own_h, h.begin() + begin);
        std::ranges::copy(own_c, c.begin() + begin);
      }
    }
    x = std::move(y);
  }
  Numbers results;
  const std::size_t outer = op.batch_first ? samples : steps;
  const std::size_t inner = op.batch_first ? steps : samples;
  for (std::size_t i = 0; i < outer; ++i) {
    for (std::size_t j = 0; j < inner; ++j) {
      const Numbers& row = op.batch_first ? x[j][i] : x[i][j];
      results.insert(results.end(), row.begin(), row.end());
    }
  }
  results.insert(results.end(), h.begin(), h.end());
  if (op.cell == RecurrentCell::lstm) results.insert(results.end(), c.begin(), c.end());
  return results;
}

/// Parameters in the order of the network's: by the formula, vectors a tenth.
inline Definition definition_of(const Recurrent& op) {
  const graph::Graph network = network_of(op);
  Numbers parameters;
  for (const graph::Value& value : network.values) {
    if (value.kind != graph::ValueKind::parameter) continue;
    const graph::Shape& shape = value.type.shape;
    const auto count = static_cast<std::size_t>(shape.elements());
    const double fan_in = static_cast<double>(shape.elements()) / static_cast<double>(shape[0]);
    const Numbers own =
        formula(value.name, count, shape.rank() == 1 ? 0.1 : std::sqrt(6.0 / fan_in));
    parameters.insert(parameters.end(), own.begin(), own.end());
  }
  const Numbers input = formula("input", steps * samples * features, 1.0);
  return {std::move(parameters),
          [op, input](const Numbers& all) { return results_of(op, input, all); }};
}

}  // namespace rooflab::engine::recurrent
