// One probe, one process, one file of results that outlives both. The first line of the file is a
// fingerprint of the request: a later run takes it up only with the same request, since results
// name items by their number. How long a probe may take is not part of that, so that a file is
// completed by a run with a larger budget.
//
// A worker repeats unfinished items, so a later line about the same thing counts.

#include "worker_probe.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/fnv1a.hpp"
#include "base/format.hpp"
#include "describe/schema.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/describe/figure_key.hpp"
#include "system/temporary_folder.hpp"
#include "worker_process.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;

/// The first line of the results of a request.
template <Filed Request>
std::string first_line_of(const Request& request) {
  Json json = file_json(request);
  json.erase(FigureKey("budget_s").key());
  return format("{} {:016x}", file_kind_of(For<Request>{}).name, fnv1a(json.dump()));
}

/// Begins the file, or checks that it belongs to this request.
template <Described Line>
void open_results(const std::string& wanted, const fs::path& results) {
  ProbeJournal journal(results);
  if (journal.lines().empty()) return journal.append(Line{.request = wanted});
  const Line first = journal.lines_as<Line>().front();
  if (first.request == wanted) return;
  throw Error(ErrorKind::input,
              first.request ? "these are the results of a probe with another request"
                            : "these are not results of a probe",
              "remove the file, or name another one for this probe", {results.string(), 1, {}, {}});
}

/// Runs the worker on the request until it ends.
template <Described Line, Filed Request>
ChildResult run_probe(const Request& request, std::string_view verb, const fs::path& results,
                      const RunOptions& options) {
  open_results<Line>(first_line_of(request), results);
  const TemporaryFolder folder("probe");
  const fs::path file = folder.file("request.json");
  save_file(file, request);
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

/// Empty: the worker came to its end.
std::string why_cut_short(const ChildResult& child) {
  const bool cut_short = child.exit_status != 0 || child.stopped || child.timed_out;
  return cut_short ? end_of(child).message : "";
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

OpProbeOutcome read_op_outcome(const fs::path& results) {
  OpProbeOutcome outcome;
  std::map<std::size_t, ProbeResult> by_item;
  const auto keep = [](const std::optional<double>& said, std::optional<double>& value) {
    if (said) value = said;
  };
  for (OpProbeLine& line : ProbeJournal(results).lines_as<OpProbeLine>()) {
    if (line.environment) outcome.environment = std::move(*line.environment);
    if (line.result) by_item.insert_or_assign(line.result->item, std::move(*line.result));
    keep(line.context_bytes, outcome.context_bytes);
    keep(line.blas_workspace_forward_bytes, outcome.blas_workspace_forward_bytes);
    keep(line.blas_workspace_training_bytes, outcome.blas_workspace_training_bytes);
    keep(line.event_s, outcome.event_s);
    keep(line.graph_kernel_s, outcome.graph_kernel_s);
  }
  for (auto& [item, result] : by_item) outcome.results.push_back(std::move(result));
  return outcome;
}

DeviceProbeOutcome read_device_outcome(const fs::path& results) {
  using device::MeasuredFigure;
  using device::VectorAddition;
  DeviceProbeOutcome outcome;
  for (const DeviceProbeLine& line : ProbeJournal(results).lines_as<DeviceProbeLine>()) {
    if (line.environment) {
      for (const auto& [key, value] : *line.environment) outcome.environment[key] = value;
    }
    if (const auto& figure = line.figure) {
      put(outcome.figures, *figure,
          [&](const MeasuredFigure& other) { return other.name == figure->name; });
    }
    if (const auto& row = line.vector_addition) {
      put(outcome.vector_additions, *row, [&](const VectorAddition& other) {
        return std::tie(other.launch, other.memory, other.elements) ==
               std::tie(row->launch, row->memory, row->elements);
      });
    }
    if (line.note) {
      put(outcome.notes, *line.note, [&](const Note& other) { return other == *line.note; });
    }
  }
  return outcome;
}

}  // namespace

OpProbeOutcome run_op_probe(const OpProbeRequest& request, const fs::path& results,
                            const RunOptions& options) {
  const ChildResult child = run_probe<OpProbeLine>(request, "probe", results, options);
  OpProbeOutcome outcome = read_op_outcome(results);
  const bool measured = !outcome.results.empty() || outcome.context_bytes || outcome.event_s;
  check_not_empty(measured, outcome.environment != record::Environment(), child, options);
  outcome.message = why_cut_short(child);
  return outcome;
}

DeviceProbeOutcome run_device_probe(const DeviceProbeRequest& request, const fs::path& results,
                                    const RunOptions& options) {
  const ChildResult child = run_probe<DeviceProbeLine>(request, "run", results, options);
  DeviceProbeOutcome outcome = read_device_outcome(results);
  const bool measured = !outcome.figures.empty() || !outcome.vector_additions.empty();
  check_not_empty(measured, !outcome.environment.empty(), child, options);
  outcome.message = why_cut_short(child);
  return outcome;
}

}  // namespace rooflab::engine
