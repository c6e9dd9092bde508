#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "plan.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/json.hpp"

namespace rooflab::study {

/// Outcome of a case: a file in the folder of a study, written atomically when the case has ended.
struct CaseOutcome {
  std::string id;
  std::string command;  ///< must equal that of the planned case, else the result is not its
  std::string input;    ///< PlannedCase::input, must be equal too
  std::string version;  ///< version of the program
  int exit_code = 0;
  std::string reason;  ///< why the result is missing or unusable; empty: it is usable
  double seconds = 0.0;
  std::string began;  ///< UTC
  Json result;        ///< JSON that the command wrote with `-o`; null: none
};

/// Whether `study run --again` repeats the case.
[[nodiscard]] bool has_failed(const CaseOutcome& outcome);

[[nodiscard]] std::span<const Field> fields_of(For<CaseOutcome>);
[[nodiscard]] FileKind file_kind_of(For<CaseOutcome>);
/// Reads an outcome. Throws Error (input) that names the key at fault.
[[nodiscard]] CaseOutcome case_outcome_from_json(const Json& json, const std::string& file);

/// Path of a case's outcome: `FOLDER/cases/ID.json`.
[[nodiscard]] std::filesystem::path outcome_file(const std::filesystem::path& folder,
                                                 const PlannedCase& planned);
/// Reads the outcome of a case; nullopt: not run yet, or by another command. Throws Error (input)
/// for a file that cannot be read.
[[nodiscard]] std::optional<CaseOutcome> read_outcome(const std::filesystem::path& folder,
                                                      const PlannedCase& planned);

}  // namespace rooflab::study
