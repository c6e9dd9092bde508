#include "rooflab/study/finding.hpp"

#include <iterator>

#include "finding_rules.hpp"

namespace rooflab::study {

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
