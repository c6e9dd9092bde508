#pragma once

#include "assembly.hpp"
#include "constant_computer.hpp"

namespace rooflab::onnx {

/// Makes one op of each activation function that PyTorch's exporters write as several: GELU (before
/// operator set 20), SiLU (before 24), Hardswish (before 14), Mish (before 18).
void join_activations(Assembly& assembly, ConstantComputer& constants);

}  // namespace rooflab::onnx
