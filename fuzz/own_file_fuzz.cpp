// Files that the program writes for itself and reads again (states of runs, results of workers,
// requests, outcomes of a study's cases), and what workers say, from arbitrary bytes: each reader
// ends in an Error or in a value that reads back equal from what it is written as.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.hpp"
#include "describe/json_fields.hpp"
#include "describe/schema.hpp"
#include "engine/ranks.hpp"
#include "engine/stages.hpp"
#include "engine/worker_build.hpp"
#include "engine/worker_probe.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/record/scale_run.hpp"
#include "rooflab/record/training_run.hpp"
#include "rooflab/task/request_kind.hpp"
#include "study/case_file.hpp"
#include "study/figures.hpp"
#include "study/study_origin.hpp"

namespace {

using namespace rooflab;

/// A file with a head that says its kind.
template <Filed T>
void read_file_of(const Json& json) {
  Json written;
  try {
    written = file_json(from_file_json<T>(json, "fuzz.json"));
  } catch (const Error&) {
    return;
  }
  // What was read can be written and read; an Error here is a crash.
  ROOFLAB_ASSERT(file_json(from_file_json<T>(written, "written.json")).dump() == written.dump());
}

/// A line or an answer without a head.
template <Described T>
void read_value_of(const Json& json) {
  Json written;
  try {
    written = to_json(from_json<T>(json, "fuzz.json"));
  } catch (const Error&) {
    return;
  }
  ROOFLAB_ASSERT(to_json(from_json<T>(written, "written.json")).dump() == written.dump());
}

template <class... T>
void read_files(const Json& json) {
  (read_file_of<T>(json), ...);
}

template <class... T>
void read_values(const Json& json) {
  (read_value_of<T>(json), ...);
}

/// Reads the figures that the page of a study takes from it, for every command that it can be of.
void show(const study::CaseOutcome& outcome) {
  study::PlannedCase planned;
  planned.id = outcome.id;
  for (const study::Mode mode : values_of<study::Mode>) {
    planned.mode = planned.asked = mode;
    (void)study::cases_of(study::Study(), {&planned, 1}, std::vector{std::optional(outcome)});
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Json json;
  try {
    json = parse_json({reinterpret_cast<const char*>(data), size}, "fuzz.json");
    show(study::case_outcome_from_json(json, "fuzz.json"));
  } catch (const Error&) {
    if (json.is_null()) return 0;
  }
  read_files<record::TrainingRun, record::ScaleRun, record::StageRun, engine::EvaluationResult,
             engine::Case, engine::TrainingRequest, engine::EvaluationRequest, engine::ScaleRequest,
             engine::StageRequest, engine::OpProbeRequest, engine::DeviceProbeRequest,
             engine::LinkRequest, engine::LinkProbe, study::StudyOrigin, task::RequestFile>(json);
  read_values<engine::Capabilities, engine::Progress, engine::OpProbeLine, engine::DeviceProbeLine,
              engine::WorkerBuild, device::HostCosts, record::RankResult>(json);
  return 0;
}
