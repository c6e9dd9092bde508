#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "assembly.hpp"
#include "attributes.hpp"
#include "model_view.hpp"

namespace rooflab::onnx {

/// Names visible to nodes: those of a graph, of a branch inside it, or of a function's body.
struct Scope {
  const Source& source;
  const Scope* outer = nullptr;  ///< scope around a branch; a function has none
  std::unordered_map<std::string_view, graph::ValueId> values;  ///< -1: absent optional
  std::unordered_map<std::string_view, const TypeView*> declared_types;
  const std::vector<OperatorSet>* operator_sets = nullptr;
  const FunctionView* function = nullptr;
  const Attributes* call_attributes = nullptr;
  const Origin* call = nullptr;
  int depth = 0;

  /// Gives a name its value. Throws Error (input) for one that has a value already.
  void define(std::string_view name, graph::ValueId id);
  /// The value of a name here or in a scope around; nullptr: not found.
  [[nodiscard]] const graph::ValueId* find(std::string_view name) const;
};

}  // namespace rooflab::onnx
