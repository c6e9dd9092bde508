#include "explanation.hpp"

#include "describe/field_table.hpp"
#include "explanation_rules.hpp"

namespace rooflab::study {

std::span<const Field> fields_of(For<Explanation>) {
  static constexpr auto fields = field_table(field<&Explanation::kind>("kind").required(),
                                             field<&Explanation::subject>("subject").required(),
                                             field<&Explanation::sentence>("text").required(),
                                             field<&Explanation::evidence>("reasons"));
  return fields;
}

std::string_view meaning_of(Explanation::Kind kind) {
  using Kind = Explanation::Kind;
  switch (kind) {
    case Kind::counting_rule:
      return "another window or unit of work was counted";
    case Kind::tensor_work:
      return "work of tensor cores is missing";
    case Kind::wrong_roof:
      return "the peak of another arithmetic was used";
    case Kind::set_up:
      return "start-up time or more steps are included";
    case Kind::allocated_memory:
      return "allocated memory was counted as traffic";
    case Kind::cannot_fit:
      return "the work does not fit the device";
    case Kind::slip:
      break;
  }
  return "the row contradicts itself, or a unit is wrong";
}

std::vector<Explanation> explanations_of(const Study& study, std::span<const StudyCase> cases,
                                         const device::Catalog& catalog) {
  const ComparedRows context = compared_rows(study, cases, catalog);
  std::vector<Explanation> explanations;
  for (const auto rule : {add_slips, add_counting_rules, add_tensor_work, add_wrong_roofs,
                          add_set_ups, add_allocated_memory, add_cannot_fit}) {
    rule(context, explanations);
  }
  return explanations;
}

}  // namespace rooflab::study
