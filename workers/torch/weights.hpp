#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/engine/case.hpp"
#include "rooflab/graph/graph.hpp"
#include "tensors.hpp"

namespace rooflab::torch_worker {

struct ValueOptions {
  engine::WeightSource source = engine::WeightSource::random;
  std::map<std::string, engine::ValueSource> files;  ///< for WeightSource::file
  at::Device device = at::kCPU;
  bool channels_last = false;  ///< rank 4 parameters and inputs
};

/// Tensors by ValueId for everything that is not a result: parameters, buffers, constants and a
/// dummy input (standard normal; zeros for integers), in the graph's types. Constants have the data
/// of the graph, if any. Parameters require gradients in every phase, as in a module, because
/// autocast caches only casts of such tensors.
///
/// Random parameters follow PyTorch's modules: convolution and linear weights and biases uniform in
/// +-1/sqrt(fan in), recurrent layers' in +-1/sqrt(hidden units), norms 1 and 0, embeddings and the
/// rest normal. WeightSource::he draws the weights of convolutions from a normal distribution of
/// variance 2 / fan out, their biases are 0: He et al., "Delving deep into rectifiers", ICCV 2015,
/// as torchvision's networks do. Throws Error (input) when a file is too short or lacks a
/// parameter. Source: PyTorch, `reset_parameters` of torch.nn.Linear, Conv2d, BatchNorm2d,
/// Embedding, RNNBase.
[[nodiscard]] std::vector<at::Tensor> make_values(const graph::Graph& graph,
                                                  const ValueOptions& options);

/// The formula of WeightSource::formula (docs/formats/worker.md): element `index` of the value
/// `name`, uniform in [-1, 1) before its scale; equal in every language.
[[nodiscard]] double formula_uniform(std::string_view name, std::uint64_t index);

/// Moves the weights of each recurrent layer that cuDNN runs into one block of memory, as PyTorch's
/// modules do (flatten_parameters), because otherwise each call copies them. `values` by ValueId.
void flatten_recurrent_weights(const graph::Graph& graph, std::vector<at::Tensor>& values);

}  // namespace rooflab::torch_worker
