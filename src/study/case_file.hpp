#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "plan.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/json.hpp"

namespace rooflab::study {

/// What came of a case: a file in the folder of a study, written atomically when the case has
/// ended.
struct CaseOutcome {
  std::string id;
  std::string command;  ///< a result belongs to the case as it is planned while this is the same
  std::string input;    ///< so is PlannedCase::input
  std::string version;  ///< version of the program
  int exit_code = 0;
  std::string reason;  ///< why the result is missing or useless; empty: there is one
  double seconds = 0.0;
  std::string began;  ///< UTC
  Json result;        ///< what the command wrote with `-o`; null without
};

/// Whether `study run --again` runs it once more.
[[nodiscard]] bool has_failed(const CaseOutcome& outcome);

[[nodiscard]] std::span<const Field> fields_of(For<CaseOutcome>);
[[nodiscard]] FileKind file_kind_of(For<CaseOutcome>);
/// Throws Error (input) that names the key at fault.
[[nodiscard]] CaseOutcome case_outcome_from_json(const Json& json, const std::string& file);

/// Where a case's outcome lies: `FOLDER/cases/ID.json`.
[[nodiscard]] std::filesystem::path outcome_file(const std::filesystem::path& folder,
                                                 const PlannedCase& planned);
/// nullopt: not run yet, or as another command. Throws Error (input) for a file that cannot be
/// read.
[[nodiscard]] std::optional<CaseOutcome> read_outcome(const std::filesystem::path& folder,
                                                      const PlannedCase& planned);

}  // namespace rooflab::study
