#include "rooflab/graph/op_facts.hpp"
#include "rooflab/predict/op_model.hpp"

namespace rooflab::predict {

std::string_view host_class_of(const graph::Op& op) {
  return std::visit(
      []<class Struct>(const Struct&) -> std::string_view {
        return graph::facts<Struct>.issued_as;
      },
      op);
}

}  // namespace rooflab::predict
