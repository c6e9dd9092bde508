// What recurrent layers are made of, for devices on which none were measured.
//
// A layer multiplies the inputs of all steps by its input weights at once, since they are known;
// then, step by step, the hidden state by the recurrent weights of all gates, [N, H] x [H, G H],
// and one elementwise kernel makes the gates and the new state. The gradients of the data go back
// over the steps in the same way; those of the weights are two products of all steps. So, for L
// layers, D directions, T steps, N samples, a layer's inputs of width in:
//
//     L D      linear, N T rows, in -> G H
//     L D T    linear, N rows, H -> G H             gradients of weights: L D of N T rows
//     L D T    elementwise, N G H elements          gradients of weights: none
//
// This is how cuDNN's standard algorithm runs them, which PyTorch calls. Source: Appleyard,
// Kocisky, Blunsom, "Optimizing performance of recurrent neural networks on GPUs", 2016,
// sections 3.1 to 3.3: gates in one product, inputs of several steps in one, elementwise operations
// fused.
//
// The sum is too long where kernels of different layers and directions run at the same
// time (section 3.3: step t of layer l waits for step t - 1 and layer l - 1 only), and where one
// kernel runs all steps with its weights in registers: PyTorch asks cuDNN for that in fp16, for
// some sizes (RNN.cpp, use_persist_common_heuristics; Diamos et al., "Persistent RNNs", ICML 2016).

#include "rooflab/predict/op_model.hpp"

namespace rooflab::predict {
namespace {

/// The type of elementwise ops that go with products of a type.
std::string data_type(std::string_view product_type) {
  if (product_type == "fp16") return "f16";
  if (product_type == "fp64") return "f64";
  return product_type == "bf16" ? "bf16" : "f32";
}

}  // namespace

std::vector<OpPart> parts_of_recurrent(const OpShape& shape) {
  const std::vector<double>& s = shape.sizes;
  const double samples = s[0];
  const double steps = s[1];
  const double hidden = s[3];
  const double layers = s[4];
  const double directions = s[5];
  const double gates = gates_of(shape.op) * hidden;
  const auto linear = [&](double rows, double in) {
    return OpShape{"linear", shape.pass, shape.type, "", {rows, in, gates}};
  };
  const bool at_once = shape.pass == "weight_gradient";
  std::vector<OpPart> parts = {{linear(samples * steps, s[2]), directions}};
  if (layers > 1.0) {
    parts.push_back({linear(samples * steps, directions * hidden), (layers - 1.0) * directions});
  }
  const double each = layers * directions * (at_once ? 1.0 : steps);
  parts.push_back({linear(at_once ? samples * steps : samples, hidden), each});
  if (!at_once) {
    const bool forward = shape.pass == "forward";
    parts.push_back(
        {{"tanh", forward ? "forward" : "backward", data_type(shape.type), "", {samples * gates}},
         each});
  }
  return parts;
}

}  // namespace rooflab::predict
