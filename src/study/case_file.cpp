// The envelope around what a command wrote. It says which command, so that a study whose file has
// changed runs a case anew and never shows a result under a name that is no longer its own.

#include "rooflab/study/case_file.hpp"

#include <array>
#include <utility>

#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/base/schema.hpp"
#include "rooflab/task/request_kind.hpp"
#include "scaling_of_schema_1.hpp"

namespace rooflab::study {
namespace {

constexpr int case_schema_version = 1;
constexpr const char* case_kind = "study_case";

}  // namespace

Json to_json(const CaseOutcome& outcome) {
  Json json;
  json["schema_version"] = case_schema_version;
  json["kind"] = case_kind;
  json["id"] = outcome.id;
  json["command"] = outcome.command;
  json["input"] = outcome.input;
  json["version"] = outcome.version;
  json["exit_code"] = outcome.exit_code;
  json["reason"] = outcome.reason;
  json["seconds"] = outcome.seconds;
  json["began"] = outcome.began;
  json["result"] = outcome.result;
  return json;
}

CaseOutcome case_outcome_from_json(const Json& json, const std::string& file) {
  const JsonFields fields(json, file);
  fields.require_kind(case_kind, case_schema_version, "case of a study");
  CaseOutcome outcome;
  outcome.id = fields.text("id");
  outcome.command = task::with_new_flags(fields.text("command"));
  outcome.input = fields.text("input");
  outcome.version = fields.text("version");
  outcome.exit_code = fields.small_integer("exit_code");
  outcome.reason = fields.text("reason");
  outcome.seconds = fields.number("seconds");
  if (outcome.seconds < 0.0) fields.fail("seconds", "must not be negative");
  outcome.began = fields.text("began");
  if (fields.has("result")) {
    (void)fields.object("result");  // an error then names it
    outcome.result = scaling_of_schema_1(fields.value("result"));
    const bool has_version = fields.object("result").has("schema_version");
    auto newer = has_version ? renewed_result(outcome.result, file) : std::nullopt;
    if (newer) outcome.result = std::move(*newer);
  }
  return outcome;
}

std::filesystem::path outcome_file(const std::filesystem::path& folder,
                                   const PlannedCase& planned) {
  return folder / "cases" / format("{}.json", planned.id);
}

std::optional<CaseOutcome> read_outcome(const std::filesystem::path& folder,
                                        const PlannedCase& planned) {
  const std::string file = outcome_file(folder, planned).string();
  try {
    CaseOutcome outcome = case_outcome_from_json(parse_json(read_file(file), file), file);
    if (outcome.command == command_of(planned) && outcome.input == planned.input) return outcome;
  } catch (const Error&) {  // run again, it is written anew
  }
  return std::nullopt;
}

}  // namespace rooflab::study
