#pragma once

#include "assembly.hpp"

namespace rooflab::onnx {

/// Joins the layers of a recurrent module, which PyTorch runs in one call and its exporters write
/// as one node each, to one op.
///
/// Between two layers there are only views of the result without an effect and, in training, a
/// dropout. Both have equal scope in the file, units, directions and biases, and no given states.
/// Their final states are not read, or are joined by a concatenation.
void join_recurrent_layers(Assembly& assembly);

}  // namespace rooflab::onnx
