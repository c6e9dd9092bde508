#include "layer_cases.hpp"

#include "base/format.hpp"
#include "case_selection.hpp"
#include "json_part.hpp"
#include "mode_figures.hpp"
#include "study_quantity.hpp"

namespace rooflab::study {
namespace {

const Json& layers_of(const Json& result) {
  const Json& own = list_of(result, "layers");
  return own.empty() ? list_of(first_of(result, "cases"), "layers") : own;
}

StudyCase layer_case(const StudyCase& of, const Json& layer) {
  StudyCase made;
  made.attributes = of.attributes;
  made.attributes["layer"] = string_of(layer, "node");
  made.attributes["op"] = string_of(layer, "op");
  made.id = format("{}: {}", of.id, made.attributes["layer"]);
  FigureList figures;
  for (const Quantity& quantity : quantities()) {
    // What ends in a unit alone is of another name in every result.
    const bool is_own_key = quantity.key.find('_') != std::string_view::npos ||
                            quantity.key == "flop" || !quantity.own_unit.empty();
    const bool is_first = find_quantity_of_key(quantity.key) == &quantity;
    if (is_own_key && is_first) figures.add(quantity.name, number_at(layer, quantity.key));
  }
  made.figures = figures.take();
  return made;
}

}  // namespace

std::vector<StudyCase> layer_cases(const StudyResults& results, const Attributes& where) {
  std::vector<StudyCase> layers;
  for (std::size_t i = 0; i < results.plan.size(); ++i) {
    const StudyCase& of = results.cases[i];
    if (!results.outcomes[i] || !has_all(of, where)) continue;
    for (const Json& layer : layers_of(results.outcomes[i]->result)) {
      layers.push_back(layer_case(of, layer));
    }
  }
  return layers;
}

}  // namespace rooflab::study
