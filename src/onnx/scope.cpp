#include "scope.hpp"

#include "base/format.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::onnx {

void Scope::define(std::string_view name, graph::ValueId id) {
  if (name.empty() || values.emplace(name, id).second) return;
  throw Error(ErrorKind::input, format("value '{}' is defined twice", name), {}, source.at());
}

const graph::ValueId* Scope::find(std::string_view name) const {
  for (const Scope* place = this; place != nullptr; place = place->outer) {
    const auto found = place->values.find(name);
    if (found != place->values.end()) return &found->second;
  }
  return nullptr;
}

}  // namespace rooflab::onnx
