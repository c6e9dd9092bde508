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
// ours     NCCL's kernels by their names, the k-th of a name on every rank; names that ranks have
//          differently often are left out and counted.
//
// Source: torch_tb_profiler, profiler/loader.py (_process_distributed_profiles), communication.py,
// run_generator.py (DistributedRunGenerator).
//
// When it is wrong: when the fastest rank waits too (for a slow link, a busy copy engine), or a
// collective is of a part of the ranks and its k-th is another group's. Host ranges of asynchronous
// collectives, which the plugin compares too, say nothing of the network.

#include "rooflab/trace/trace_job.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>

#include "rooflab/base/json.hpp"
#include "rooflab/base/text.hpp"
#include "trace_panes.hpp"
#include "type_sizes.hpp"

namespace rooflab::trace {
namespace {

using record::RangeKind;

/// The plugin's collectives of one rank, in the order of time.
struct Collectives {
  struct Op {
    std::uint32_t range = 0;
    std::size_t first = 0;  ///< number of its first range
    std::size_t count = 0;
    std::string step;  ///< empty: of none
  };
  std::vector<Op> ops;
  std::vector<TimeInterval> ranges;
  std::vector<TimeInterval> transfers;  ///< one for each range, once the ranks were compared
};

bool longer_first(TimeInterval a, TimeInterval b) {
  return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
}

/// The step each collective lies in. Steps are gone through once, as the plugin does: the first
/// collective behind the last step ends the search.
void assign_steps(Collectives& collectives, const Timeline& timeline, const StepWindows& steps) {
  std::size_t step = 0;
  for (Collectives::Op& op : collectives.ops) {
    const TimeInterval own = timeline.range(op.range);
    while (step < steps.steps.size() && own.start_ns >= steps.steps[step].window.end_ns) ++step;
    if (step == steps.steps.size()) return;
    const TimeInterval window = steps.steps[step].window;
    if (own.start_ns >= window.start_ns && own.end_ns <= window.end_ns) {
      op.step = steps.steps[step].name;
    }
  }
}

Collectives plugin_collectives(const Timeline& timeline, const StepWindows& steps) {
  const record::RangeTable& ranges = timeline.trace->ranges;
  std::unordered_map<std::int64_t, std::uint32_t> last_of_id;  // a later range replaces it
  bool nccl = false;
  bool gloo = false;
  std::vector<std::tuple<std::int64_t, TimeInterval>> intervals;  // External id, range
  for (const std::uint32_t i : timeline.by_start) {
    const RangeKind kind = ranges.kind[i];
    if (!timeline.traits_at(i).collective || ranges.external_id[i] == 0) continue;
    if (kind == RangeKind::runtime || kind == RangeKind::overhead) continue;
    (timeline.traits_at(i).nccl ? nccl : gloo) = true;
    last_of_id[ranges.external_id[i]] = i;
  }
  Collectives result;
  if (nccl && gloo) return result;
  intervals.reserve(last_of_id.size());
  for (const auto& [id, range] : last_of_id) intervals.emplace_back(id, timeline.range(range));
  for (const DeviceWork& work : timeline.work) {
    if (nccl && work.kind == WorkKind::kernel && last_of_id.contains(work.external_id)) {
      intervals.emplace_back(work.external_id, work.interval());
    }
  }
  std::ranges::sort(intervals, [](const auto& a, const auto& b) {
    if (std::get<0>(a) != std::get<0>(b)) return std::get<0>(a) < std::get<0>(b);
    return longer_first(std::get<1>(a), std::get<1>(b));
  });
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const auto& [id, interval] = intervals[i];
    if (i == 0 || id != std::get<0>(intervals[i - 1])) {
      result.ops.push_back({last_of_id[id], i, 0, {}});
    }
    ++result.ops.back().count;
    result.ranges.push_back(interval);
  }
  std::ranges::stable_sort(result.ops, [&](const auto& a, const auto& b) {
    return longer_first(timeline.range(a.range), timeline.range(b.range));
  });
  assign_steps(result, timeline, steps);
  return result;
}

/// Bytes of an op's tensors by its arguments; types that the plugin did not know count as 0.
double plugin_bytes(std::string_view arguments) {
  const std::vector<std::string> lines = split(arguments, '\n');
  if (lines.size() < 2) return 0.0;
  const Json shapes = Json::parse_if_valid(lines[0]).value_or(nullptr);
  const Json types = Json::parse_if_valid(lines[1]).value_or(nullptr);
  if (!shapes.is_array() || !types.is_array()) return 0.0;
  double bytes = 0.0;
  for (std::size_t i = 0; i < std::min(shapes.size(), types.size()); ++i) {
    if (!types[i].is_string() || !shapes[i].is_array()) continue;
    double product = plugin_element_bytes_of(types[i].text()).value_or(0.0);
    for (const Json& extent : shapes[i]) product *= extent.is_number() ? extent.get<double>() : 0.0;
    bytes += product;
  }
  return bytes;
}

/// Fills the transfers of all ranks. False, with the reason, where their collectives differ.
bool compare(std::vector<Collectives>& ranks, std::string& reason) {
  for (const Collectives& rank : ranks) {
    if (rank.ops.empty()) {
      reason = "a rank has no collective that the plugin knows";
      return false;
    }
    if (rank.ops.size() != ranks[0].ops.size()) {
      reason = "ranks have different numbers of collectives";
      return false;
    }
  }
  for (Collectives& rank : ranks) rank.transfers.resize(rank.ranges.size());
  for (std::size_t i = 0; i < ranks[0].ops.size(); ++i) {
    const std::size_t count = ranks[0].ops[i].count;
    for (const Collectives& rank : ranks) {
      if (rank.ops[i].count == count) continue;
      reason = "ranks have different numbers of kernels in a collective";
      return false;
    }
    for (std::size_t j = 0; j < count; ++j) {
      std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
      for (const Collectives& rank : ranks) {
        shortest = std::min(shortest, rank.ranges[rank.ops[i].first + j].duration_ns());
      }
      for (Collectives& rank : ranks) {
        const std::int64_t end = rank.ranges[rank.ops[i].first + j].end_ns;
        rank.transfers[rank.ops[i].first + j] = {end - shortest, end};
      }
    }
  }
  return true;
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
  for (const Collectives::Op& op : rank.ops) {
    Ranges& named = by_name[table.names[table.name[op.range]]];
    ++named.calls;
    named.bytes += plugin_bytes(table.arguments[table.argument[op.range]]);
    for (Ranges* ranges : {&by_step[op.step], &named}) {
      for (std::size_t i = op.first; i < op.first + op.count; ++i) {
        ranges->all.push_back(rank.ranges[i]);
        ranges->transfers.push_back(rank.transfers[i]);
      }
    }
  }
  Synchronization result;
  for (auto& [step, ranges] : by_step) {
    const std::int64_t transfer = total_ns(union_of(std::move(ranges.transfers)));
    result.transfer_ns += static_cast<double>(transfer);
    result.wait_ns += static_cast<double>(total_ns(union_of(std::move(ranges.all))) - transfer);
  }
  result.transfer_ns /= static_cast<double>(by_step.size());
  result.wait_ns /= static_cast<double>(by_step.size());
  for (auto& [name, ranges] : by_name) {
    result.ops.push_back({name, ranges.calls, ranges.bytes,
                          total_ns(union_of(std::move(ranges.all))),
                          total_ns(union_of(std::move(ranges.transfers)))});
  }
  return result;
}

/// Lengths of a rank's collective kernels by name, in the order of time.
using KernelLengths = std::map<std::string, std::vector<std::int64_t>>;

KernelLengths kernel_lengths(const Timeline& timeline) {
  KernelLengths lengths;
  for (const DeviceWork& work : timeline.work) {
    if (work.collective) lengths[timeline.kernels->name(work.row)].push_back(work.duration_ns());
  }
  return lengths;
}

void match_kernels(TraceJob& job, const std::vector<KernelLengths>& ranks) {
  std::set<std::string> names;
  for (const KernelLengths& rank : ranks) {
    for (const auto& [name, lengths] : rank) names.insert(name);
  }
  for (const std::string& name : names) {
    const bool everywhere = std::ranges::all_of(ranks, [&](const KernelLengths& rank) {
      const auto own = rank.find(name);
      const auto first = ranks[0].find(name);
      return own != rank.end() && first != ranks[0].end() &&
             own->second.size() == first->second.size();
    });
    if (!everywhere) {
      for (const KernelLengths& rank : ranks) {
        const auto own = rank.find(name);
        if (own != rank.end()) {
          job.unmatched_collectives += static_cast<std::int64_t>(own->second.size());
        }
      }
      continue;
    }
    for (std::size_t k = 0; k < ranks[0].at(name).size(); ++k) {
      std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
      for (const KernelLengths& rank : ranks) shortest = std::min(shortest, rank.at(name)[k]);
      for (std::size_t r = 0; r < ranks.size(); ++r) {
        const std::int64_t length = ranks[r].at(name)[k];
        ++job.ranks[r].matched_collectives;
        job.ranks[r].collective_ns += length;
        job.ranks[r].wait_ns += length - shortest;
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
  if (sum <= 0.0) return std::nullopt;
  return largest / (sum / static_cast<double>(ranks.size())) - 1.0;
}

}  // namespace

TraceJob analyze_job(std::span<const record::Record> records) {
  const std::vector<int> numbers = ranks_of(records);
  std::vector<std::size_t> order(records.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return numbers[i]; });
  TraceJob job;
  for (const std::size_t i : order) {
    RankRow row;
    row.rank = numbers[i];
    row.record = i;
    job.ranks.push_back(std::move(row));
  }

  std::vector<Collectives> collectives;
  std::vector<KernelLengths> lengths;
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
      return step_overlap(role_sets(timeline, rule), windows, rule).mean;
    };
    row.plugin_overlap = overlap_by(TraceRule::plugin, plugin_steps);
    row.overlap = overlap_by(TraceRule::ours, steps);
    const OperatorTree tree(timeline, TraceRule::ours);
    row.utilization = mean_utilization(device_use(timeline, tree, steps.span(), TraceRule::ours));
    collectives.push_back(plugin_collectives(timeline, plugin_steps));
    lengths.push_back(kernel_lengths(timeline));
  }
  if (job.ranks.empty()) return job;

  if (compare(collectives, job.no_plugin_synchronization)) {
    for (std::size_t i = 0; i < job.ranks.size(); ++i) {
      const record::Trace& trace = *records[job.ranks[i].record].trace;
      job.ranks[i].plugin_synchronization = synchronization_of(collectives[i], trace.ranges);
    }
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
