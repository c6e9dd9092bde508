// One probe, one process, one file of results that outlives both. The first line of the file is a
// fingerprint of the request: a later run takes it up only with the same request, since results
// name items by their number. How long a probe may take is not part of that, so that a file is
// completed by a run with a larger budget.
//
// A worker repeats unfinished items, so a later line about the same thing counts.

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

#include "rooflab/base/fields.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/fnv1a.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/base/temporary_folder.hpp"
#include "rooflab/engine/probe.hpp"
#include "rooflab/record/record_json.hpp"
#include "worker_process.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;

/// The first line of the results of a request.
std::string first_line_of(Json request) {
  request.erase("budget_s");
  const std::string text = request.dump();
  return format("{} {:016x}", request.at("kind").get<std::string>(), fnv1a(text));
}

/// Begins the file, or checks that it belongs to this request.
void open_results(const Json& request, const fs::path& results) {
  const std::string wanted = first_line_of(request);
  ProbeJournal journal(results);
  if (journal.lines().empty()) return journal.append({{"request", wanted}});
  const Json& first = journal.lines().front();
  const auto found = first.find("request");
  if (found != first.end() && *found == wanted) return;
  throw Error(ErrorKind::input,
              found == first.end() ? "these are not results of a probe"
                                   : "these are the results of a probe with another request",
              "remove the file, or name another one for this probe", {results.string(), 1, {}, {}});
}

/// Runs the worker on the request until it ends.
ChildResult run_probe(const Json& request, std::string_view verb, const fs::path& results,
                      const RunOptions& options) {
  open_results(request, results);
  const TemporaryFolder folder("probe");
  const fs::path file = folder.file("request.json");
  write_file_atomically(file, request.dump());
  return run_worker(options, verb, file, results);
}

/// Throws when a worker that was not stopped left nothing: no measurement, and it failed or did not
/// even say where it ran. A budget that is used up before the first item is not a failure.
void check_not_empty(bool measured, bool described, const ChildResult& child,
                     const RunOptions& options) {
  const bool failed = child.exit_status != 0 || child.timed_out || !described;
  if (measured || child.stopped || !failed) return;
  throw Error(
      ErrorKind::capability,
      format("the worker {} measured nothing: {}", options.worker.string(), end_of(child).message),
      "ask it what it can do here: " + options.worker.string() + " describe");
}

/// Replaces the element for which `same` holds, or adds one.
template <class Element, class Same>
void put(std::vector<Element>& elements, Element element, Same same) {
  const auto found = std::find_if(elements.begin(), elements.end(), same);
  if (found == elements.end()) {
    elements.push_back(std::move(element));
  } else {
    *found = std::move(element);
  }
}

/// Calls `read(fields, json, place)` for every line; a place is `results.jsonl:12`.
template <class Read>
void for_each_line(const fs::path& results, Read read) {
  const ProbeJournal journal(results);
  for (std::size_t i = 0; i < journal.lines().size(); ++i) {
    const std::string place = format("{}:{}", results.string(), i + 1);
    read(JsonFields(journal.lines()[i], place), place);
  }
}

OpProbeOutcome read_op_outcome(const fs::path& results) {
  OpProbeOutcome outcome;
  std::map<std::size_t, ProbeResult> by_item;
  for_each_line(results, [&](const JsonFields& fields, const std::string& place) {
    if (fields.has("environment")) {
      outcome.environment = from_json<record::Environment>(fields.object("environment"));
    } else if (fields.has("result")) {
      ProbeResult result = probe_result_from_json(fields.value("result"), place);
      by_item.insert_or_assign(result.item, std::move(result));
    }
    const auto keep = [&](std::string_view key, std::optional<double>& value) {
      if (fields.has(key)) value = fields.number(key);
    };
    keep("context_bytes", outcome.context_bytes);
    keep("blas_workspace_forward_bytes", outcome.blas_workspace_forward_bytes);
    keep("blas_workspace_training_bytes", outcome.blas_workspace_training_bytes);
    keep("event_s", outcome.event_s);
  });
  for (auto& [item, result] : by_item) outcome.results.push_back(std::move(result));
  return outcome;
}

DeviceProbeOutcome read_device_outcome(const fs::path& results) {
  using device::MeasuredFigure;
  using device::VectorAddition;
  DeviceProbeOutcome outcome;
  for_each_line(results, [&](const JsonFields& fields, const std::string& place) {
    if (fields.has("environment")) {
      for (auto& [key, value] : fields.text_map("environment")) outcome.environment[key] = value;
    } else if (fields.has("figure")) {
      const MeasuredFigure figure = measured_figure_from_json(fields.value("figure"), place);
      put(outcome.figures, figure,
          [&](const MeasuredFigure& other) { return other.name == figure.name; });
    } else if (fields.has("vector_addition")) {
      const VectorAddition row = vector_addition_from_json(fields.value("vector_addition"), place);
      put(outcome.vector_additions, row, [&](const VectorAddition& other) {
        return std::tie(other.launch, other.memory, other.elements) ==
               std::tie(row.launch, row.memory, row.elements);
      });
    } else if (fields.has("note")) {
      const std::string note = fields.text("note");
      put(outcome.notes, note, [&](const std::string& other) { return other == note; });
    }  // what else there is, such as part_done, is for the worker
  });
  return outcome;
}

}  // namespace

OpProbeOutcome run_op_probe(const OpProbeRequest& request, const fs::path& results,
                            const RunOptions& options) {
  const ChildResult child = run_probe(to_json(request), "probe", results, options);
  OpProbeOutcome outcome = read_op_outcome(results);
  const bool measured = !outcome.results.empty() || outcome.context_bytes || outcome.event_s;
  check_not_empty(measured, outcome.environment != record::Environment(), child, options);
  if (child.exit_status != 0 || child.stopped || child.timed_out) {
    outcome.message = end_of(child).message;
  }
  return outcome;
}

DeviceProbeOutcome run_device_probe(const DeviceProbeRequest& request, const fs::path& results,
                                    const RunOptions& options) {
  const ChildResult child = run_probe(to_json(request), "run", results, options);
  DeviceProbeOutcome outcome = read_device_outcome(results);
  const bool measured = !outcome.figures.empty() || !outcome.vector_additions.empty();
  check_not_empty(measured, !outcome.environment.empty(), child, options);
  const bool cut_short = child.exit_status != 0 || child.stopped || child.timed_out;
  if (cut_short) {
    outcome.notes.push_back("the probe ended before it was done: " + end_of(child).message);
  }
  return outcome;
}

}  // namespace rooflab::engine
