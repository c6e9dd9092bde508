#include <map>

#include "rooflab/base/text.hpp"
#include "rules.hpp"

namespace rooflab::recording {

Rule rule_of(std::string_view name) {
  static const std::map<std::string, Rule, std::less<>> rules = [] {
    std::map<std::string, Rule, std::less<>> all;
    for (const std::span<const NamedRule> family :
         {matrix_rules(), attention_rules(), recurrent_rules(), normalisation_rules(),
          elementwise_rules(), reduction_rules(), movement_rules(), indexing_rules(),
          creation_rules(), optimizer_rules(), collective_rules(), plain_rules()}) {
      for (const NamedRule& rule : family) {
        const std::size_t dimensions = rule.name.find('#');
        if (dimensions == std::string_view::npos) {
          all.emplace(rule.name, rule.rule);
          continue;
        }
        for (const char digit : {'1', '2', '3'}) {
          std::string with_digit(rule.name);
          with_digit[dimensions] = digit;
          all.emplace(std::move(with_digit), rule.rule);
        }
      }
    }
    return all;
  }();
  const auto known = rules.find(name);
  return known != rules.end() ? known->second : rules.at("");
}

void Lowerer::lower(const Op& op) {
  const OpView view(*this, op);
  const std::vector<STensor> results = view.all_out();
  if (results.empty() && view.all_in().empty()) return;  // the host's
  if (!writes_unsaid(view.name()) && is_view(view)) {
    lower_view(view);
    return;
  }
  try {
    if (rule_of(view.name())(view)) return;
  } catch (const Misfit&) {  // before it emitted anything
  }
  graph::Opaque unknown = opaque_of(*this, view.full_name(), results);
  unknown.domain = "aten";
  emit_node(view, std::move(unknown), values_of_tensors(*this, view.all_in()), view.all_in(),
            results, view.plain_pass());
}

}  // namespace rooflab::recording
