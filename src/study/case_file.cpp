// The envelope around what a command wrote. It says which command, so that a study whose file has
// changed runs a case anew and never shows a result under a name that is no longer its own.

#include "case_file.hpp"

#include <utility>

#include "base/format.hpp"
#include "describe/field_table.hpp"
#include "describe/schema.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"
#include "rooflab/task/request_kind.hpp"
#include "system/path_status.hpp"

namespace rooflab::study {
namespace {

constexpr FigureKey result_key = "result";
constexpr FigureKey version_key = "schema_version";

}  // namespace

bool has_failed(const CaseOutcome& outcome) {
  return outcome.exit_code != 0 || !outcome.reason.empty();
}

std::span<const Field> fields_of(For<CaseOutcome>) {
  static constexpr auto fields =
      field_table(field<&CaseOutcome::id>("id").required(),
                  field<&CaseOutcome::command>("command_line").required(),
                  field<&CaseOutcome::input>(), field<&CaseOutcome::version>("rooflab_version"),
                  members<&CaseOutcome::exit_code, &CaseOutcome::reason>,
                  field<&CaseOutcome::seconds>("took_s").at_least(0.0),
                  field<&CaseOutcome::began>(), field<&CaseOutcome::result>("result").or_default());
  return fields;
}

FileKind file_kind_of(For<CaseOutcome>) {
  return {
      .name = "study_case", .title = "case of a study", .hint = "rooflab study run writes them"};
}

CaseOutcome case_outcome_from_json(const Json& json, const std::string& file) {
  // The command's result has its own version.
  const JsonFields fields(json, file);
  const bool has_result = fields.has(result_key.key());
  const bool has_version = has_result && fields.object(result_key.key()).has(version_key.key());
  Json envelope = json;
  Json result;
  if (has_result) result = std::exchange(envelope.at(result_key.key()), Json());
  CaseOutcome outcome = from_file_json<CaseOutcome>(envelope, file);
  if (has_version) check_result_version(result, file);
  outcome.result = std::move(result);
  return outcome;
}

std::filesystem::path outcome_file(const std::filesystem::path& folder,
                                   const PlannedCase& planned) {
  return folder / "cases" / format("{}.json", planned.id);
}

std::optional<CaseOutcome> read_outcome(const std::filesystem::path& folder,
                                        const PlannedCase& planned) {
  const std::filesystem::path path = outcome_file(folder, planned);
  if (!is_there(path)) return std::nullopt;
  const std::string file = path.string();
  try {
    CaseOutcome outcome = case_outcome_from_json(parse_json(read_file(file), file), file);
    if (outcome.command == command_of(planned) && outcome.input == planned.input) return outcome;
    return std::nullopt;
  } catch (const Error& error) {
    throw Error(error.kind(), error.what(), "delete this file to run the case again",
                error.location());
  }
}

}  // namespace rooflab::study
