#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "case_file.hpp"
#include "plan.hpp"

/// What several machines have run of one study, as one plan.
namespace rooflab::study {

/// What a machine makes of a study, and the folder of its results.
struct MachineResults {
  std::string machine;  ///< its name for people; empty: not known
  std::filesystem::path folder;
  std::vector<PlannedCase> plan;
};

struct JointResults {
  std::vector<PlannedCase> plan;
  std::vector<std::optional<CaseOutcome>> outcomes;  ///< in the order of the plan
};

/// Takes of each case what was asked for, from every machine that has run it; where none has, what
/// the first machine that has one ran in its place: a prediction. What does not depend on
/// the machine is there once. With several machines a case that depends on them has the attribute
/// `machine`, and the second of one id has the id `ID-on-MACHINE`. Throws Error (input) for an
/// outcome that cannot be read.
[[nodiscard]] JointResults join_results(std::vector<MachineResults> machines);

/// Ids of cases in `plan` that are predicted, or left out, in place of what one of the other
/// machines has run as the study asks for it.
[[nodiscard]] std::set<std::string> cases_run_elsewhere(std::span<const PlannedCase> plan,
                                                        std::span<const MachineResults> others);

}  // namespace rooflab::study
