#pragma once

#include <string_view>
#include <unordered_map>
#include <utility>

#include "node_import.hpp"

namespace rooflab::onnx {

/// Translates one node: reads operands and attributes, emits graph nodes, sets the results.
/// Throws Error (input) for a node that contradicts the operator's definition and NotExpressible
/// for a variant that has no graph op.
using Rule = void (*)(NodeImport&);
using RuleTable = std::unordered_map<std::string_view, Rule>;

/// Finds the rule of an op; nullptr for an unknown one. Domains: the default one and
/// `com.microsoft` (written by ONNX Runtime's optimiser).
[[nodiscard]] Rule find_rule(std::string_view domain, std::string_view op_type);

/// Adds the rules of functions whose rows of facts name an ONNX operator; `rule_of`: template of a
/// rule.
template <const auto& rows, class RuleOf>
void add_function_rules(RuleTable& table, const RuleOf& rule_of) {
  const auto add = [&]<std::size_t row>() {
    if constexpr (!rows[row].onnx.empty()) {
      table[rows[row].onnx] = rule_of.template operator()<rows[row].function>();
    }
  };
  const auto add_all = [&]<std::size_t... row>(std::index_sequence<row...>) {
    (add.template operator()<row>(), ...);
  };
  add_all(std::make_index_sequence<rows.size()>{});
}

// One function per family, each in a file <family>_ops.cpp.
void add_matrix_rules(RuleTable& table);
void add_attention_rules(RuleTable& table);
void add_recurrent_rules(RuleTable& table);
void add_convolution_rules(RuleTable& table);
void add_normalisation_rules(RuleTable& table);
void add_activation_rules(RuleTable& table);
void add_elementwise_rules(RuleTable& table);
void add_pooling_rules(RuleTable& table);
void add_reduction_rules(RuleTable& table);
void add_view_rules(RuleTable& table);
void add_copy_rules(RuleTable& table);
void add_indexing_rules(RuleTable& table);
void add_generator_rules(RuleTable& table);
void add_quantization_rules(RuleTable& table);
void add_uncosted_rules(RuleTable& table);
void add_microsoft_rules(RuleTable& table);

}  // namespace rooflab::onnx
