#pragma once

#include "assembly.hpp"

namespace rooflab::onnx {

/// Makes one op of the layers of a recurrent module, which PyTorch runs in one call and its
/// exporters write as one node each.
///
/// Between two of them lie views of the result that come to nothing and, in training, a dropout.
/// Both have the same scope in the file, the same units, directions and biases, and no states that
/// are given. The states that they leave are not read, or are put together by a concatenation.
void join_recurrent_layers(Assembly& assembly);

}  // namespace rooflab::onnx
