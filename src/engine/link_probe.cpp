#include <algorithm>
#include <system_error>

#include "base/format.hpp"
#include "describe/schema.hpp"
#include "rank_processes.hpp"
#include "ranks.hpp"
#include "rooflab/base/error.hpp"
#include "system/path_status.hpp"
#include "system/temporary_folder.hpp"
#include "worker_process.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;

/// Probes with one number of ranks; an empty message when it ended well.
LinkProbe probe_once(const LinkRequest& request, const RunOptions& options) {
  const TemporaryFolder folder("links");
  const fs::path file = folder.file("request.json");
  const fs::path result = folder.file("times.json");
  save_file(file, request);
  const auto ranks = static_cast<int>(request.devices.size());
  const std::vector<RankEnd> ends = run_rank_processes(ranks, "links", file, result, options);
  LinkProbe probe;
  const fs::path times = result_of_rank(result, 0);
  if (is_file(times)) probe = load_file<LinkProbe>(times);
  if (const RankEnd* const first = first_failure(ends)) {
    probe.message =
        format("over {} ranks, rank {}: {}", ranks, first->rank, end_of(first->child).message);
  } else if (std::ranges::any_of(ends, [](const RankEnd& end) { return end.child.stopped; })) {
    probe.message = "stopped by the user";
  }
  return probe;
}

}  // namespace

LinkProbe run_link_probe(const std::vector<std::string>& devices, const RunOptions& options) {
  if (devices.size() < 2) {
    throw Error(ErrorKind::usage, "a link joins two devices at least", "name two or more");
  }
  LinkProbe all;
  for (std::size_t ranks = 2; ranks <= devices.size() && all.message.empty(); ++ranks) {
    LinkRequest request;
    request.devices.assign(devices.begin(), devices.begin() + static_cast<std::ptrdiff_t>(ranks));
    LinkProbe probe = probe_once(request, options);
    all.times.insert(all.times.end(), probe.times.begin(), probe.times.end());
    all.figures.insert(all.figures.end(), probe.figures.begin(), probe.figures.end());
    add_notes(all.notes, probe.notes);
    if (!probe.backend.empty()) all.backend = probe.backend;
    all.message = probe.message;
  }
  return all;
}

}  // namespace rooflab::engine
