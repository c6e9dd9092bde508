#include "finding.hpp"

#include "describe/field_table.hpp"
#include "finding_rules.hpp"

namespace rooflab::study {

std::span<const Field> fields_of(For<Finding>) {
  static constexpr auto fields = field_table(
      field<&Finding::kind>("kind").required(), field<&Finding::subject>("subject").required(),
      field<&Finding::sentence>("text").required(), field<&Finding::evidence>("reasons"));
  return fields;
}

std::string_view meaning_of(Finding::Kind kind) {
  using Kind = Finding::Kind;
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

std::vector<Finding> findings_of(const Study& study, std::span<const StudyCase> cases,
                                 const device::Catalog& catalog) {
  const FindingContext context = finding_context(study, cases, catalog);
  std::vector<Finding> findings;
  for (const auto rule : {add_slips, add_counting_rules, add_tensor_work, add_wrong_roofs,
                          add_set_ups, add_allocated_memory, add_cannot_fit}) {
    rule(context, findings);
  }
  return findings;
}

}  // namespace rooflab::study
