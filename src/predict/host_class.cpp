#include "rooflab/graph/op_facts.hpp"
#include "rooflab/predict/op_model.hpp"

namespace rooflab::predict {

std::array<std::string_view, 3> host_classes_of(const graph::Node& node) {
  return std::visit(
      [&node]<class Struct>(const Struct&) -> std::array<std::string_view, 3> {
        return {node.issued_as, graph::facts<Struct>.issued_as, graph::facts<Struct>.issued_like};
      },
      node.op);
}

}  // namespace rooflab::predict
