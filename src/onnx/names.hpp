#pragma once

#include "assembly.hpp"

namespace rooflab::onnx {

/// Gives every node and value its final, unique name (names.cpp says how).
void assign_names(Assembly& assembly);

}  // namespace rooflab::onnx
