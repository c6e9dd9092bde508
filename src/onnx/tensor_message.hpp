#pragma once

#include <string_view>

#include "message_fields.hpp"

namespace rooflab::onnx {

[[nodiscard]] TensorView parse_tensor(std::string_view message, const Source& source);
/// SparseTensorProto as the dense tensor that it means, without data.
[[nodiscard]] TensorView parse_sparse_tensor(std::string_view message, const Source& source);

/// StringStringEntryProto.
struct Entry {
  std::string_view key;
  std::string_view value;
};

[[nodiscard]] Entry parse_entry(std::string_view message, const Source& source);

}  // namespace rooflab::onnx
