#pragma once

#include "assembly.hpp"
#include "constant_computer.hpp"

namespace rooflab::onnx {

/// Takes away the biases that an exporter made itself and that are zero in all their elements.
///
/// PyTorch's exporters give a convolution without a bias one of zeros: the new one where it does
/// not optimise (an Expand of 0), the old one where it folds a batch norm whose shift is 0. Eager
/// adds no such bias. A zero bias of the network's own (`conv.bias` of a module that was never
/// trained) stays: eager adds it.
void drop_zero_biases(Assembly& assembly, ConstantComputer& constants);

/// Takes away the states of recurrent layers that are zero in all their elements: the module makes
/// such zeros itself at each call where it is given none, and exporters write them out.
void drop_zero_states(Assembly& assembly, ConstantComputer& constants);

/// Whether a stored value has the name of a module's tensor: `layer1.0.conv1.weight` or `weight`
/// for the leaf `weight`. Exporters give what they made names of their own: `onnx::Conv_193`.
[[nodiscard]] bool has_module_name(const Facts& facts, std::string_view leaf);

}  // namespace rooflab::onnx
