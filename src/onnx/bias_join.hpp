#pragma once

#include "assembly.hpp"

namespace rooflab::onnx {

/// Makes one Linear of a Linear without a bias and the Add of its bias.
///
/// Exporters write a linear layer on an operand of rank 3 and more as MatMul and Add, because Gemm
/// takes matrices only; eager runs one product that adds the bias. The Add must be the product's
/// only reader and its other operand a constant of rank 1 with an element for each output feature.
void join_biases(Assembly& assembly);

}  // namespace rooflab::onnx
