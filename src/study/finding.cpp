#include "rooflab/study/finding.hpp"

#include <iterator>

#include "finding_rules.hpp"

namespace rooflab::study {

std::string_view name_of(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::counting_rule:
      return "counting_rule";
    case Finding::Kind::tensor_work:
      return "tensor_work";
    case Finding::Kind::wrong_roof:
      return "wrong_roof";
    case Finding::Kind::set_up:
      return "set_up";
    case Finding::Kind::allocated_memory:
      return "allocated_memory";
    case Finding::Kind::cannot_fit:
      return "cannot_fit";
    case Finding::Kind::slip:
      return "slip";
  }
  return "";
}

std::vector<Finding> findings_of(const Study& study, std::span<const StudyCase> cases,
                                 const device::Catalog& catalog) {
  const FindingContext context = finding_context(study, cases, catalog);
  std::vector<Finding> findings;
  for (const auto rule :
       {slip_findings, counting_rule_findings, tensor_work_findings, wrong_roof_findings,
        set_up_findings, allocated_memory_findings, cannot_fit_findings}) {
    std::vector<Finding> found = rule(context);
    findings.insert(findings.end(), std::make_move_iterator(found.begin()),
                    std::make_move_iterator(found.end()));
  }
  return findings;
}

}  // namespace rooflab::study
