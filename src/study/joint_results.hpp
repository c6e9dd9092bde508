#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "case_file.hpp"
#include "plan.hpp"

/// Joins the results of one study from several machines into one plan.
namespace rooflab::study {

/// The plan of a study for one machine, and its results.
struct MachineResults {
  std::string machine;  ///< name for people; empty: not known
  std::filesystem::path folder;
  std::vector<PlannedCase> plan;
};

struct JointResults {
  std::vector<PlannedCase> plan;
  std::vector<std::optional<CaseOutcome>> outcomes;  ///< in the order of the plan
};

/// Takes each case from every machine that has run it as requested; otherwise from the first
/// machine that has a prediction in its place. Cases that do not depend on the machine appear once.
/// With several machines, a case that depends on them has the attribute `machine`, and the second
/// case of one id gets the id `ID-on-MACHINE`. Throws Error (input) for an outcome that cannot be
/// read.
[[nodiscard]] JointResults join_results(std::vector<MachineResults> machines);

/// Ids of cases in `plan` that are predicted or left out here, but were run as requested on one of
/// the other machines.
[[nodiscard]] std::set<std::string> cases_run_elsewhere(std::span<const PlannedCase> plan,
                                                        std::span<const MachineResults> others);

}  // namespace rooflab::study
