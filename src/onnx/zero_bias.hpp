#pragma once

#include "assembly.hpp"
#include "constant_computer.hpp"

namespace rooflab::onnx {

/// Removes biases that an exporter added and whose elements are all zero.
///
/// PyTorch's exporters add a bias of zeros to a convolution without one: the new exporter where it
/// does not optimise (an Expand of 0), the old one where it folds a batch norm whose shift is 0.
/// Eager mode has no such bias. A zero bias of the network itself (`conv.bias` of an untrained
/// module) is kept, because eager mode adds it.
void drop_zero_biases(Assembly& assembly, ConstantComputer& constants);

/// Removes states of recurrent layers whose elements are all zero: a module makes these zeros at
/// each call without given states, and exporters write them to the file.
void drop_zero_states(Assembly& assembly, ConstantComputer& constants);

/// Whether a stored value has the name of a module's tensor: `layer1.0.conv1.weight` or `weight`
/// for the leaf `weight`. Exporters give other names to values that they made: `onnx::Conv_193`.
[[nodiscard]] bool has_module_name(const Facts& facts, std::string_view leaf);

}  // namespace rooflab::onnx
