#pragma once

#include "assembly.hpp"
#include "constant_computer.hpp"

namespace rooflab::onnx {

/// Joins each layer norm that PyTorch's exporters write as nine ops before operator set 17 to one
/// LayerNorm:
///
///     d = x - mean(x); d / sqrt(mean(d^2) + epsilon) * weight + bias
///
/// The means are over the last axes and keep them; weight and bias are constants of those extents,
/// and there are both, only the weight, or neither.
void join_layer_norms(Assembly& assembly, ConstantComputer& constants);

}  // namespace rooflab::onnx
