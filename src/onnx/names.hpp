#pragma once

#include <optional>
#include <string>

#include "assembly.hpp"

namespace rooflab::onnx {

/// Scope path of the module that a node of the file belongs to, as its exporter left it; empty: the
/// network itself, nullopt: the file does not say.
[[nodiscard]] std::optional<std::string> scope_from_origin(const Origin* origin);

/// Gives every node and value its final, unique name (names.cpp says how).
void assign_names(Assembly& assembly);

}  // namespace rooflab::onnx
