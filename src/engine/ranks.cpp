// A job of several ranks: one worker process each, which exchange tensors and agree through c10d
// alone. Rank 0's process writes the whole run. When the job falls apart, what each rank had timed
// is in its own file, and the run is put together here from those and from how the processes ended.

#include "ranks.hpp"

#include <algorithm>
#include <system_error>

#include "base/format.hpp"
#include "describe/json_fields.hpp"
#include "describe/schema.hpp"
#include "rank_processes.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/system/file.hpp"
#include "system/path_status.hpp"
#include "system/temporary_folder.hpp"
#include "worker_process.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;
using record::RankResult;
using record::ScaleRun;
using record::Status;

/// nullopt: no file, or not a whole one.
std::optional<ScaleRun> run_in(const fs::path& file) {
  return read_worker_file<ScaleRun>(file).value;
}

std::optional<RankResult> part_in(fs::path file) {
  file += ".part";
  if (!is_file(file)) return std::nullopt;
  const std::string text = read_file(file);
  try {
    return from_json<record::RankResult>(parse_json(text, file.string()), file.string());
  } catch (const Error&) {
    return std::nullopt;
  }
}

ScaleRun empty_run(const ScaleRequest& request, int ranks) {
  ScaleRun run;
  run.identity = request.request.identity;
  run.identity.device = request.devices.front();
  run.identity.graph = graph::to_text(request.request.graph);
  run.ranks_wanted = ranks;
  run.environment.command = run.identity.command;
  run.environment.device.kind = run.identity.device.substr(0, run.identity.device.find(':'));
  return run;
}

/// The rank's entry, made if it had told nothing.
RankResult& entry_of(ScaleRun& run, int rank) {
  const auto found = std::ranges::find(run.ranks, rank, &RankResult::rank);
  if (found != run.ranks.end()) return *found;
  RankResult result;
  result.rank = rank;
  return run.ranks.emplace_back(std::move(result));
}

/// What rank 0 did not or could not know.
void complete(ScaleRun& run, const std::vector<RankEnd>& ends, const fs::path& result) {
  for (int rank = 0; rank < run.ranks_wanted; ++rank) {
    std::optional<RankResult> part = part_in(result_of_rank(result, rank));
    if (!part) continue;
    RankResult& entry = entry_of(run, rank);
    if (part->steps_s.size() >= entry.steps_s.size()) entry = std::move(*part);
  }
  bool stopped = false;
  for (const RankEnd& end : ends) {
    stopped = stopped || (end.child.stopped && !end.ended_by_us);
    if (end.child.exit_status == 0 || end.ended_by_us) continue;
    entry_of(run, end.rank).message = end_of(end.child).message;
  }
  std::ranges::sort(run.ranks, {}, &RankResult::rank);
  if (run.environment.device.name.empty() && !run.ranks.empty()) {
    run.environment.device = run.ranks.front().device;
  }
  if (stopped) {
    run.status = Status::interrupted;
    run.message = "stopped by the user";
    return;
  }
  const RankEnd* const first = first_failure(ends);
  if (first == nullptr) return;
  const WorkerEnd end = end_of(first->child);
  const bool told = run.status != Status::ok && first->child.exit_status <= 128;
  if (told) {  // rank 0 knows better than an exit status, but not why another rank left it
    const auto other = std::ranges::find_if(ends, [](const RankEnd& each) {
      return each.rank != 0 && each.child.exit_status != 0 && !each.ended_by_us;
    });
    if (other == ends.end()) return;
    const std::string why = end_of(other->child).message;
    if (run.message.find(why) == std::string::npos) {
      run.message += format("; rank {}: {}", other->rank, why);
    }
    return;
  }
  run.status = end.status;
  run.message =
      run.ranks_wanted == 1 ? end.message : format("rank {}: {}", first->rank, end.message);
}

/// With the values that lie in no file.
fs::path write_request(const ScaleRequest& request, const TemporaryFolder& folder) {
  fs::path file = folder.file("request.json");
  save_file(file, request);
  return file;
}

}  // namespace

ScaleRun run_ranks(const ScaleRequest& request, const RunOptions& options) {
  const auto ranks = static_cast<int>(request.devices.size());
  const TemporaryFolder folder("scale");
  const fs::path result = folder.file("run.json");
  std::vector<RankEnd> ends;
  try {
    ends = run_rank_processes(ranks, "rank", write_request(request, folder), result, options);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::system) throw;
    ScaleRun run = empty_run(request, ranks);
    run.status = Status::failed;
    run.message = error.full_message();
    return run;
  }
  const std::optional<ScaleRun> whole = run_in(result_of_rank(result, 0));
  ScaleRun run = whole.value_or(empty_run(request, ranks));
  const bool well = whole && run.status == Status::ok && first_failure(ends) == nullptr;
  if (!well) complete(run, ends, result);
  if (!whole && run.status == Status::ok) {
    run.status = Status::failed;
    run.message = "rank 0 ended well but wrote no result";
  }
  return run;
}

std::optional<ScaleRun> run_one_rank(const ScaleRequest& request, const RankPlace& place,
                                     const RunOptions& options) {
  const TemporaryFolder folder("rank");
  const fs::path file = write_request(request, folder);
  const fs::path result = result_of_rank(folder.file("run.json"), place.rank);
  RunOptions own = options;
  own.environment = {{"RANK", std::to_string(place.rank)},
                     {"LOCAL_RANK", std::to_string(place.local_rank)},
                     {"WORLD_SIZE", std::to_string(place.size)},
                     {"MASTER_ADDR", place.master},
                     {"MASTER_PORT", std::to_string(place.port)}};
  if (place.rank > 0) own.on_progress = nullptr;
  const ChildResult child = run_worker(own, "rank", file, result);
  const bool failed = child.exit_status != 0 || child.timed_out || child.stopped;
  if (place.rank > 0 && !failed) return std::nullopt;

  const std::optional<ScaleRun> whole = run_in(result);
  ScaleRun run = whole.value_or(empty_run(request, place.size));
  if (!failed && whole) return run;
  if (std::optional<RankResult> part = part_in(result)) {
    entry_of(run, place.rank) = std::move(*part);
  }
  if (!whole || run.status == Status::ok) {
    const WorkerEnd end = end_of(child);
    run.status = end.status;
    run.message = format("rank {}: {}", place.rank, end.message);
  }
  return run;
}

}  // namespace rooflab::engine
