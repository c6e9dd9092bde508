#include "rooflab/graph/op.hpp"

#include "base/format.hpp"
#include "rooflab/graph/op_facts.hpp"

namespace rooflab::graph {
namespace {

template <class Function, class Rows>
std::optional<Function> find_function(const Rows& rows, std::string_view name) {
  for (const auto& row : rows) {
    if (row.name == name) return row.function;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(UnaryFunction function) { return facts_of(function).name; }
std::string_view name_of(BinaryFunction function) { return facts_of(function).name; }
std::string_view name_of(ReduceFunction function) { return facts_of(function).name; }

std::optional<UnaryFunction> unary_function_from_name(std::string_view name) {
  return find_function<UnaryFunction>(function_rows::unary, name);
}
std::optional<BinaryFunction> binary_function_from_name(std::string_view name) {
  return find_function<BinaryFunction>(function_rows::binary, name);
}
std::optional<ReduceFunction> reduce_function_from_name(std::string_view name) {
  return find_function<ReduceFunction>(function_rows::reduce, name);
}

bool is_comparison(BinaryFunction function) {
  return function >= BinaryFunction::equal && function <= BinaryFunction::logical_xor;
}

std::string name_of(const Op& op) {
  return std::visit(
      []<class Struct>(const Struct& attributes) {
        constexpr const OpFacts<Struct>& row = facts<Struct>;
        std::string_view stem = row.word;
        if (row.name != nullptr) stem = row.name(attributes);
        if (row.dimensions == nullptr) return std::string(stem);
        return format("{}{}d", stem, (attributes.*row.dimensions).size());
      },
      op);
}

bool is_view(const Op& op) {
  return std::visit([]<class Struct>(const Struct&) { return facts<Struct>.is_view; }, op);
}

bool may_share_memory(const Op& op) {
  return std::visit(
      []<class Struct>(const Struct&) {
        return facts<Struct>.is_view || facts<Struct>.vanishes_in_evaluation;
      },
      op);
}

bool writes_in_place(const Op& op) {
  return std::visit(
      []<class Struct>(const Struct& attributes) {
        constexpr bool Struct::*in_place = facts<Struct>.in_place;
        if constexpr (in_place == nullptr) {
          return false;
        } else {
          return attributes.*in_place;
        }
      },
      op);
}

void work_out_of_place(Op& op) {
  std::visit(
      []<class Struct>(Struct& attributes) {
        constexpr bool Struct::*in_place = facts<Struct>.in_place;
        if constexpr (in_place != nullptr) attributes.*in_place = false;
      },
      op);
}

Family family_of(const Op& op) {
  return std::visit([]<class Struct>(const Struct&) -> Family { return facts<Struct>.family; }, op);
}

}  // namespace rooflab::graph
