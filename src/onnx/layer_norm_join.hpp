#pragma once

#include "assembly.hpp"
#include "constant_computer.hpp"

namespace rooflab::onnx {

/// Makes one LayerNorm of each that PyTorch's exporters write as nine ops before operator set 17:
///
///     d = x - mean(x); d / sqrt(mean(d^2) + epsilon) * weight + bias
///
/// The means are over the last axes and keep them; weight and bias are constants of those extents,
/// and either both, the weight alone, or neither is there.
void join_layer_norms(Assembly& assembly, ConstantComputer& constants);

}  // namespace rooflab::onnx
