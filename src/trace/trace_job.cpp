// Ranks side by side. A collective ends on all ranks at about the same time and begins on each when
// that rank gets there: the rank that came last waits least. Clocks of hosts differ, so lengths are
// compared and not times:
//
//   wait of rank r in collective i = length_r,i - min over ranks of length_i
//
// plugin   Collectives are ops and annotations of ten names (trace_breakdown.cpp), each with its
// own
//          range and (with NCCL) the kernels of its External id, in the order of time; the j-th
//          range of the i-th collective of every rank is compared, and what remains at its end is
//          the transfer. Per step, |union of ranges| is the communication, |union of transfers| the
//          transfer, the difference the synchronisation; means over the steps that have
//          collectives. Absent when ranks differ in number of collectives or of their ranges.
// ours     NCCL's kernels by their names, the k-th of a name on every rank (with several devices
//          the k-th on each); names that ranks have differently often are left out and counted.
//
// Source: torch_tb_profiler, profiler/loader.py (_process_distributed_profiles), communication.py,
// run_generator.py (DistributedRunGenerator).
//
// When it is wrong: when the fastest rank waits too (for a slow link, a busy copy engine), or a
// collective is of a part of the ranks and its k-th is another group's. Host ranges of asynchronous
// collectives, which the plugin compares too, say nothing of the network.

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>

#include "rooflab/base/statistics.hpp"
#include "rooflab/trace/trace_analysis.hpp"
#include "trace_op_work.hpp"
#include "trace_panes.hpp"

namespace rooflab::trace {
namespace {

/// A collective of a rank by the plugin's rule.
struct Collective {
  std::uint32_t range = 0;
  std::vector<TimeInterval> ranges;     ///< its own and its kernels', in the order of time
  std::vector<TimeInterval> transfers;  ///< one for each range, once the ranks were compared
  std::string step = {};                ///< empty: of none
};
/// Those of one rank, in the order of time.
using Collectives = std::vector<Collective>;

/// Order by start, the longer one first.
std::pair<std::int64_t, std::int64_t> place_of(TimeInterval interval) {
  return {interval.start_ns, -interval.end_ns};
}

/// The step each collective lies in. Steps are gone through once, as the plugin does: the first
/// collective behind the last step ends the search.
void assign_steps(Collectives& collectives, const Timeline& timeline, const StepWindows& steps) {
  auto step = steps.steps.begin();
  for (Collective& collective : collectives) {
    const TimeInterval own = timeline.range(collective.range);
    while (step != steps.steps.end() && own.start_ns >= step->window.end_ns) ++step;
    if (step == steps.steps.end()) return;
    if (own.start_ns >= step->window.start_ns && own.end_ns <= step->window.end_ns) {
      collective.step = step->name;
    }
  }
}

Collectives plugin_collectives(const Timeline& timeline, const StepWindows& steps) {
  std::map<std::int64_t, Collective> by_id;  // External id
  bool nccl = false;
  bool gloo = false;
  for (const std::uint32_t i : timeline.by_start) {
    const std::int64_t id = timeline.collective_id(i);
    if (id == 0) continue;
    (timeline.traits_at(i).nccl ? nccl : gloo) = true;
    by_id[id] = {i, {timeline.range(i)}, {}};  // a later range replaces it
  }
  Collectives result;
  if (nccl && gloo) return result;
  for (const DeviceWork& work : timeline.work) {
    const auto own = by_id.find(work.external_id);
    if (nccl && work.kind == WorkKind::kernel && own != by_id.end()) {
      own->second.ranges.push_back(work.interval());
    }
  }
  for (auto& [id, collective] : by_id) {
    std::ranges::sort(collective.ranges, {}, place_of);
    result.push_back(std::move(collective));
  }
  std::ranges::stable_sort(result, {}, [&](const Collective& collective) {
    return place_of(timeline.range(collective.range));
  });
  assign_steps(result, timeline, steps);
  return result;
}

/// Fills the transfers of all ranks. Where their collectives differ it cannot, and returns why.
std::string compare(std::vector<Collectives>& ranks) {
  for (const Collectives& rank : ranks) {
    if (rank.empty()) return "a rank has no collective that the plugin knows";
    if (rank.size() != ranks[0].size()) return "ranks have different numbers of collectives";
  }
  for (std::size_t i = 0; i < ranks[0].size(); ++i) {
    const std::size_t count = ranks[0][i].ranges.size();
    for (const Collectives& rank : ranks) {
      if (rank[i].ranges.size() == count) continue;
      return "ranks have different numbers of kernels in a collective";
    }
    for (std::size_t j = 0; j < count; ++j) {
      std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
      for (const Collectives& rank : ranks) {
        shortest = std::min(shortest, rank[i].ranges[j].duration_ns());
      }
      for (Collectives& rank : ranks) {
        const std::int64_t end = rank[i].ranges[j].end_ns;
        rank[i].transfers.push_back({end - shortest, end});
      }
    }
  }
  return "";
}

struct Ranges {
  std::int64_t calls = 0;
  double bytes = 0.0;
  std::vector<TimeInterval> all;
  std::vector<TimeInterval> transfers;
};

Synchronization synchronization_of(const Collectives& rank, const record::RangeTable& table) {
  std::map<std::string, Ranges> by_step;
  std::map<std::string, Ranges> by_name;
  for (const Collective& collective : rank) {
    Ranges& named = by_name[table.names[table.name[collective.range]]];
    ++named.calls;
    named.bytes += plugin_bytes(table.arguments[table.argument[collective.range]]);
    for (Ranges* ranges : {&by_step[collective.step], &named}) {
      std::ranges::copy(collective.ranges, std::back_inserter(ranges->all));
      std::ranges::copy(collective.transfers, std::back_inserter(ranges->transfers));
    }
  }
  Synchronization result;
  for (const auto& [step, ranges] : by_step) {
    const std::int64_t transfer = total_ns(union_of(ranges.transfers));
    result.transfer_ns += static_cast<double>(transfer);
    result.wait_ns += static_cast<double>(total_ns(union_of(ranges.all)) - transfer);
  }
  result.transfer_ns /= static_cast<double>(by_step.size());
  result.wait_ns /= static_cast<double>(by_step.size());
  for (const auto& [name, ranges] : by_name) {
    result.ops.push_back({name, ranges.calls, ranges.bytes, total_ns(union_of(ranges.all)),
                          total_ns(union_of(ranges.transfers))});
  }
  return result;
}

/// Lengths of collective kernels by name and by which of the rank's devices ran them, then by rank,
/// in the order of time.
using KernelLengths =
    std::map<std::pair<std::string, std::size_t>, std::vector<std::vector<std::int64_t>>>;

void match_kernels(TraceJob& job, const KernelLengths& lengths) {
  for (const auto& [name, ranks] : lengths) {
    const std::size_t launches = ranks.empty() ? 0 : ranks.front().size();
    const bool everywhere =
        std::ranges::all_of(ranks, [launches](const auto& own) { return own.size() == launches; });
    if (!everywhere) {
      for (const auto& own : ranks) {
        job.unmatched_collectives += static_cast<std::int64_t>(own.size());
      }
      continue;
    }
    for (std::size_t k = 0; k < ranks[0].size(); ++k) {
      std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
      for (const auto& own : ranks) shortest = std::min(shortest, own[k]);
      for (std::size_t r = 0; r < ranks.size(); ++r) {
        ++job.ranks[r].matched_collectives;
        job.ranks[r].collective_ns += ranks[r][k];
        job.ranks[r].wait_ns += ranks[r][k] - shortest;
      }
    }
  }
}

/// Number of each record's rank.
std::vector<int> ranks_of(std::span<const record::Record> records) {
  std::set<int> taken;
  std::vector<int> ranks(records.size(), -1);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto& trace = records[i].trace;
    if (trace && trace->rank && taken.insert(*trace->rank).second) ranks[i] = *trace->rank;
  }
  int next = 0;
  for (int& rank : ranks) {
    if (rank >= 0) continue;
    while (!taken.insert(next).second) ++next;
    rank = next;
  }
  return ranks;
}

std::optional<double> mean_utilization(const std::vector<DeviceUse>& devices) {
  double sum = 0.0;
  int count = 0;
  for (const DeviceUse& use : devices) {
    if (!use.utilization) continue;
    sum += *use.utilization;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

std::optional<double> imbalance_of(const std::vector<RankRow>& ranks) {
  double sum = 0.0;
  double largest = 0.0;
  for (const RankRow& rank : ranks) {
    const double computation = rank.overlap.computation_only_ns + rank.overlap.overlap_ns;
    sum += computation;
    largest = std::max(largest, computation);
  }
  const auto ratio = quotient(largest, sum / static_cast<double>(ranks.size()));
  return ratio ? std::optional(*ratio - 1.0) : std::nullopt;
}

}  // namespace

TraceJob analyze_job(std::span<const record::Record> records) {
  TraceJob job;
  for (const int rank : ranks_of(records)) {
    const std::size_t record = job.ranks.size();
    RankRow& row = job.ranks.emplace_back();
    row.rank = rank;
    row.record = record;
  }
  std::ranges::sort(job.ranks, {}, &RankRow::rank);

  std::vector<Collectives> collectives;
  KernelLengths lengths;
  for (RankRow& row : job.ranks) {
    const Timeline timeline(records[row.record]);
    const StepWindows plugin_steps = step_windows(timeline, TraceRule::plugin);
    const StepWindows steps = step_windows(timeline, TraceRule::ours);
    row.steps = steps.steps.size();
    for (const StepWindow& step : steps.steps) {
      row.step_ns +=
          static_cast<double>(step.window.duration_ns()) / static_cast<double>(steps.steps.size());
    }
    const auto overlap_by = [&](TraceRule rule, const StepWindows& windows) {
      return step_overlap(role_sets(timeline, windows, rule), windows, rule).mean;
    };
    row.plugin_overlap = overlap_by(TraceRule::plugin, plugin_steps);
    row.overlap = overlap_by(TraceRule::ours, steps);
    const OperatorTree tree(timeline, TraceRule::ours);
    row.utilization = mean_utilization(device_use(timeline, tree, steps.span(), TraceRule::ours));
    std::map<std::int32_t, std::size_t> places;  // of the rank's devices, in their order
    for (const DeviceWork& work : timeline.work) places[work.device];
    for (std::size_t next = 0; auto& [device, place] : places) place = next++;
    for (const DeviceWork& work : timeline.work) {
      if (!work.collective) continue;
      auto& of_ranks = lengths[{timeline.kernels->name(work.row), places[work.device]}];
      of_ranks.resize(job.ranks.size());
      of_ranks[collectives.size()].push_back(work.duration_ns());
    }
    collectives.push_back(plugin_collectives(timeline, plugin_steps));
  }
  if (job.ranks.empty()) return job;

  job.no_plugin_synchronization = compare(collectives);
  for (std::size_t i = 0; job.no_plugin_synchronization.empty() && i < job.ranks.size(); ++i) {
    const record::Trace& trace = *records[job.ranks[i].record].trace;
    job.ranks[i].plugin_synchronization = synchronization_of(collectives[i], trace.ranges);
  }
  match_kernels(job, lengths);
  job.load_imbalance = imbalance_of(job.ranks);
  return job;
}

std::optional<TraceJob> job_of(std::span<const record::Record> records) {
  const bool ranks = records.size() > 1 && std::ranges::all_of(records, [](const auto& record) {
                       return record.trace.has_value();
                     });
  return ranks ? std::optional(analyze_job(records)) : std::nullopt;
}

}  // namespace rooflab::trace
