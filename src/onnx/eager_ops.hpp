#pragma once

#include "assembly.hpp"
#include "rooflab/onnx/onnx_reader.hpp"
#include "tensor_data.hpp"

namespace rooflab::onnx {

/// What exporters write with other ops than eager runs becomes eager's ops again, where the file
/// still shows them.
void restore_eager_ops(Assembly& assembly, TensorData& data, bool is_from_pytorch,
                       ImportResult& result);

}  // namespace rooflab::onnx
