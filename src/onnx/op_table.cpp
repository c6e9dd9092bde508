#include "op_table.hpp"

namespace rooflab::onnx {
namespace {

RuleTable default_domain() {
  RuleTable table;
  add_matrix_rules(table);
  add_attention_rules(table);
  add_recurrent_rules(table);
  add_convolution_rules(table);
  add_normalisation_rules(table);
  add_activation_rules(table);
  add_elementwise_rules(table);
  add_pooling_rules(table);
  add_reduction_rules(table);
  add_view_rules(table);
  add_copy_rules(table);
  add_indexing_rules(table);
  add_generator_rules(table);
  add_quantization_rules(table);
  add_uncosted_rules(table);
  return table;
}

RuleTable microsoft_domain() {
  RuleTable table;
  add_quantization_rules(table);
  add_microsoft_rules(table);
  return table;
}

}  // namespace

Rule find_rule(std::string_view domain, std::string_view op_type) {
  static const RuleTable standard = default_domain();
  static const RuleTable microsoft = microsoft_domain();
  if (!domain.empty() && domain != "com.microsoft") return nullptr;
  const RuleTable& table = domain.empty() ? standard : microsoft;
  const auto found = table.find(op_type);
  return found == table.end() ? nullptr : found->second;
}

}  // namespace rooflab::onnx
