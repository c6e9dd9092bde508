#pragma once

#include <optional>
#include <string>

#include "assembly.hpp"

namespace rooflab::onnx {

/// Scope path of the module of a node, as its exporter wrote it; empty: the network itself,
/// nullopt: not in the file.
[[nodiscard]] std::optional<std::string> scope_from_origin(const Origin* origin);

/// Gives every node and value its final, unique name (method: names.cpp).
void assign_names(Assembly& assembly);

}  // namespace rooflab::onnx
