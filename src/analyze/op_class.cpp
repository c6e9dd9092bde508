#include "rooflab/analyze/op_class.hpp"

#include "rooflab/graph/op_facts.hpp"

namespace rooflab::analyze {

OpClass op_class_of(const graph::Op& op) {
  return std::visit(
      []<class Struct>(const Struct& attributes) {
        return graph::facts<Struct>.op_class.of(attributes);
      },
      op);
}

OpClass op_class_of_row(std::string_view name) {
  if (name == "(loss)") return OpClass::loss;
  if (name == "(optimizer)") return OpClass::optimizer;
  return OpClass::other;
}

}  // namespace rooflab::analyze
