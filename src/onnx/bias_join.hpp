#pragma once

#include "assembly.hpp"

namespace rooflab::onnx {

/// Joins a Linear without a bias and the Add of its bias to one Linear.
///
/// Exporters write a linear layer on an operand of rank 3 or more as MatMul and Add, because Gemm
/// takes only matrices; eager mode runs one product that adds the bias. The Add must be the
/// product's only reader and its other operand a constant of rank 1 with one element per output
/// feature.
void join_biases(Assembly& assembly);

}  // namespace rooflab::onnx
