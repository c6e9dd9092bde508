// Where to cut a network over S devices.
//
// A stage is a range of nodes in their order. Its time is
//
//     t = sum of its ops' predicted times, forward and backward + transfer
//     transfer = latency + bytes / bandwidth for the activations that it receives, and the same for
//                the gradients that later stages send back (training)
//
// of one micro-batch. The cuts are chosen by dynamic programming over the possible cuts c
// (positions in the order of nodes), devices in the order given:
//
//     best(s, c) = min over c' < c with [c', c) within the memory of device s of
//                  max(best(s - 1, c'), t_s(c', c))
//
// The slowest stage sets the pace of a pipeline, so its time is what is minimised; among equals the
// first found stays. Memory is that of the stage's own schedule: its inputs need gradients,
// gradients of its outputs arrive from outside, only the last stage has the loss. With M
// micro-batches all run forward before the first runs backward, so M - 1 more inputs and, when
// training, M - 1 more sets of saved activations are held. A longer range never needs less memory,
// hence for every c' the furthest c that fits is found by moving forward only; and not at all when
// the best cuts regardless of memory fit, as they mostly do.
//
// Pairs of cuts are compared, so the work grows with the square of their number. Where a network
// has more than `most_cuts`, it is divided into as many pieces of equal share (half by time, half
// by number of nodes), and of each only the cut that the fewest bytes cross is looked at: the
// longest stage is then at most two pieces longer than it could be. Where the best cuts do not fit,
// stages are lowered to ask for their memory, and the pieces are fewer the more nodes there are.
//
// Steps. Sequential: the whole batch through all stages and back, everything one after another.
// Pipelined (GPipe): forward of micro-batch m on stage s starts when stage s - 1 has done m and
// stage s has done m - 1; when all are forward, backward likewise from the last stage; then each
// device runs its optimizer. For S equal stages that is (M + S - 1) stage times, of which the share
// (S - 1) / (M + S - 1) is idle. Source: Huang et al., "GPipe", NeurIPS 2019, section 2.
//
// Not in it: transfers that overlap with computing, the sum of gradients over micro-batches,
// recomputation, a host that does not keep up with several devices.

#include <algorithm>
#include <limits>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/predict/predicted_scaling.hpp"
#include "stage_planner.hpp"

namespace rooflab::predict {
namespace {

using graph::NodeId;

constexpr double forever = std::numeric_limits<double>::infinity();

/// The furthest position, as an index, up to which a stage from position `from` fits; `from` itself
/// where none does. It grows with `from`, so that it is looked for from the last answer on.
std::size_t furthest(StagePlanner& planner, std::size_t device, std::size_t from, std::size_t known,
                     Bytes memory) {
  const std::vector<NodeId>& at = planner.positions();
  const auto first = static_cast<std::int64_t>(from) + 1;
  const auto last = static_cast<std::int64_t>(at.size()) - 1;
  const LargestCount found = largest_count(
      {first, last},
      [&](std::int64_t to) {
        const auto& needed = planner.memory(device, at[from], at[static_cast<std::size_t>(to)]);
        // What is not a stage by itself (nothing of it is needed outside) is not an obstacle.
        return !needed || planner.needs(*needed) <= memory;
      },
      SearchStart{static_cast<std::int64_t>(known), 1});
  return static_cast<std::size_t>(found.count.value_or(first - 1));
}

/// The first position from which the last stage fits; the number of positions where none is.
std::size_t first_of_last_stage(StagePlanner& planner, std::size_t device, Bytes memory) {
  const std::vector<NodeId>& at = planner.positions();
  const auto end = static_cast<std::int64_t>(at.size()) - 1;
  const LargestCount found = largest_count({1, end}, [&](std::int64_t length) {
    const auto& needed =
        planner.memory(device, at[static_cast<std::size_t>(end - length)], planner.end());
    return needed && planner.needs(*needed) <= memory;
  });
  return found.count ? static_cast<std::size_t>(end - *found.count) : at.size();
}

/// Dynamic programming over the positions; nullopt: nothing fits. Without `limits` whatever the
/// memory.
std::optional<std::vector<NodeId>> best_cuts(StagePlanner& planner,
                                             const std::vector<Bytes>* limits = nullptr) {
  const std::vector<NodeId>& at = planner.positions();
  const std::size_t stages = planner.stages();
  const std::size_t end = at.size() - 1;
  std::vector<std::vector<double>> best(stages + 1, std::vector<double>(at.size(), forever));
  std::vector<std::vector<std::size_t>> from(stages + 1, std::vector<std::size_t>(at.size(), 0));
  best[0][0] = 0.0;
  const auto put = [&](std::size_t s, std::size_t a, std::size_t b) {
    const double longest = std::max(best[s - 1][a], planner.time(s - 1, at[a], at[b]));
    if (longest >= best[s][b] || !planner.is_stage(at[a], at[b])) return;
    best[s][b] = longest;
    from[s][b] = a;
  };
  for (std::size_t s = 1; s < stages; ++s) {
    std::size_t known = 0;
    for (std::size_t a = s - 1; a < end; ++a) {
      if (best[s - 1][a] == forever) continue;
      known = limits == nullptr ? end : furthest(planner, s - 1, a, known, (*limits)[s - 1]);
      for (std::size_t b = a + 1; b <= std::min(known, end - 1); ++b) put(s, a, b);
    }
  }
  const std::size_t first =
      limits == nullptr ? 0 : first_of_last_stage(planner, stages - 1, limits->back());
  for (std::size_t a = first; a < end; ++a) {
    if (best[stages - 1][a] < forever) put(stages, a, end);
  }
  if (best[stages][end] == forever) return std::nullopt;
  std::vector<NodeId> cuts;
  for (std::size_t s = stages, b = end; s > 1; --s) {
    b = from[s][b];
    cuts.push_back(at[b]);
  }
  std::ranges::reverse(cuts);
  return cuts;
}

/// Memory is asked about as little as can be: the best cuts of all usually fit.
std::optional<std::vector<NodeId>> best_fitting_cuts(StagePlanner& planner,
                                                     const PartitionRequest& request) {
  std::vector<Bytes> limits;
  for (const StageDevice& each : request.devices) limits.push_back(each.memory);
  auto cuts = best_cuts(planner);
  if (!cuts) return std::nullopt;
  bool all_fit = true;
  for (std::size_t s = 0; s < limits.size() && all_fit; ++s) {
    const NodeId begin = s == 0 ? 0 : (*cuts)[s - 1];
    const NodeId end = s < cuts->size() ? (*cuts)[s] : planner.end();
    const std::optional<MemoryEstimate>& needed = planner.memory(s, begin, end);
    all_fit = needed && planner.needs(*needed) <= limits[s];
  }
  if (all_fit) return cuts;
  planner.thin_for_memory();
  return best_cuts(planner, &limits);
}

/// Whether stages of at most so much memory, each as long as it can be, cover the network.
bool covers(StagePlanner& planner, Bytes memory) {
  std::size_t at = 0;
  for (std::size_t s = 0; s < planner.stages(); ++s) {
    const std::size_t end = furthest(planner, s, at, at, memory);
    if (end == at) return false;
    at = end;
    if (at + 1 == planner.positions().size()) return true;
  }
  return false;
}

/// To about a percent.
std::optional<Bytes> least_memory(StagePlanner& planner) {
  const std::optional<MemoryEstimate>& whole = planner.memory(0, 0, planner.end());
  if (!whole) return std::nullopt;
  std::int64_t enough = planner.needs(*whole).value();
  std::int64_t too_little = 0;
  if (!covers(planner, Bytes(enough))) return std::nullopt;
  while (enough - too_little > enough / 100 + 1) {
    const std::int64_t middle = too_little + (enough - too_little) / 2;
    (covers(planner, Bytes(middle)) ? enough : too_little) = middle;
  }
  return Bytes(enough);
}

}  // namespace

double pipeline_time(const std::vector<double>& forward_s, const std::vector<double>& backward_s,
                     int micro_batches) {
  const std::size_t stages = forward_s.size();
  std::vector<double> free_at(stages, 0.0);  // when a stage has done what it had
  for (int m = 0; m < micro_batches; ++m) {
    double arrived = 0.0;
    for (std::size_t s = 0; s < stages; ++s) {
      arrived = free_at[s] = std::max(arrived, free_at[s]) + forward_s[s];
    }
  }
  for (int m = 0; m < micro_batches; ++m) {
    // The last stage's loss of a micro-batch is there when all are forward.
    double arrived = 0.0;
    for (std::size_t s = stages; s-- > 0;) {
      arrived = free_at[s] = std::max(arrived, free_at[s]) + backward_s[s];
    }
  }
  return stages == 0 ? 0.0 : *std::ranges::max_element(free_at);
}

PartitionOutcome plan_partition(const PartitionRequest& request) {
  StagePlanner planner(request);
  const std::size_t possible = planner.possible_cuts();
  if (possible + 1 < planner.stages()) {
    throw Error(ErrorKind::usage,
                format("'{}' can be cut at {} place{}: that is too few for {} devices",
                       request.graph.name, possible, possible == 1 ? "" : "s", planner.stages()),
                "parameters, running statistics and side paths stay in one stage");
  }
  PartitionOutcome outcome{.possible_cuts = possible};
  auto cuts = best_fitting_cuts(planner, request);
  if (!cuts) {
    planner.take_what_may_run(true);
    cuts = best_fitting_cuts(planner, request);
    planner.take_what_may_run(false);
  }
  if (cuts) {
    outcome.plan = planner.plan(*cuts);
  } else {
    outcome.least_memory = least_memory(planner);
  }
  outcome.considered_cuts = planner.positions().size() - 2;
  return outcome;
}

PartitionPlan plan_for_cuts(const PartitionRequest& request, const std::vector<NodeId>& cuts) {
  graph::check_cuts(request.graph, cuts);
  return StagePlanner(request, cuts).plan(cuts);
}

}  // namespace rooflab::predict
