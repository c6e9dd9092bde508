#pragma once

#include "assembly.hpp"
#include "constant_computer.hpp"

namespace rooflab::onnx {

/// Joins the ops of activation functions that PyTorch's exporters write as several ops: GELU
/// (before operator set 20), SiLU (before 24), Hardswish (before 14), Mish (before 18).
void join_activations(Assembly& assembly, ConstantComputer& constants);

}  // namespace rooflab::onnx
