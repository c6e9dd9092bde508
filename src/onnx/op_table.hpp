#pragma once

#include <string_view>
#include <unordered_map>

#include "node_import.hpp"

namespace rooflab::onnx {

/// Translates one node: reads operands and attributes, emits graph nodes, sets the results.
/// Throws Error (input) for a node that contradicts the operator's definition and NotExpressible
/// for a variant that has no graph op.
using Rule = void (*)(NodeImport&);
using RuleTable = std::unordered_map<std::string_view, Rule>;

/// The rule of an op, nullptr for an unknown one. Domains: the default one and `com.microsoft`
/// (what ONNX Runtime's optimiser writes).
[[nodiscard]] Rule find_rule(std::string_view domain, std::string_view op_type);

// One function a family, each in its own file <family>_ops.cpp.
void add_matrix_rules(RuleTable& table);
void add_attention_rules(RuleTable& table);
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
