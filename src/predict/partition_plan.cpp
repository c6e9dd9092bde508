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
#include <map>
#include <string_view>
#include <unordered_set>

#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/predict/scaling.hpp"
#include "stage_times.hpp"

namespace rooflab::predict {
namespace {

using graph::Graph;
using graph::index_of;
using graph::NodeId;
using graph::ValueId;
using schedule::Schedule;

constexpr double forever = std::numeric_limits<double>::infinity();

constexpr std::size_t most_cuts = 4096;

/// Where the memory of stages decides: cuts times nodes, which are lowered for each.
constexpr std::size_t most_lowered_nodes = 2'000'000;
constexpr std::size_t fewest_cuts = 32;

/// The cuts that are looked at, at most `most`: of each piece the one that the fewest bytes cross.
std::vector<NodeId> thinned(const std::vector<NodeId>& cuts, const Graph& network,
                            const std::vector<NodeTimes>& times, std::size_t most) {
  if (cuts.size() <= most) return cuts;
  const auto count = static_cast<NodeId>(network.nodes.size());
  const auto time_before = [&](NodeId cut) {
    double sum = 0.0;
    for (const NodeTimes& of_device : times) {
      sum += of_device.forward_of(0, cut) + of_device.backward_of(0, cut);
    }
    return sum;
  };
  const double whole = time_before(count);
  const auto piece_of = [&](NodeId cut) {
    const double by_time = whole > 0.0 ? time_before(cut) / whole : 0.0;
    const double share = (by_time + static_cast<double>(cut) / count) / 2.0;
    return static_cast<std::size_t>(share * static_cast<double>(most));
  };
  const std::vector<Bytes> crossing = bytes_over_borders(network);
  std::vector<NodeId> chosen;
  std::size_t last_piece = most;
  for (const NodeId cut : cuts) {
    const std::size_t piece = piece_of(cut);
    if (piece != last_piece) {
      chosen.push_back(cut);
    } else if (crossing[index_of(cut)] < crossing[index_of(chosen.back())]) {
      chosen.back() = cut;
    }
    last_piece = piece;
  }
  return chosen;
}

/// All that a plan asks about ranges of nodes.
class Planner {
 public:
  /// `cuts`: those to choose from; nullopt: wherever the network can be cut.
  explicit Planner(const PartitionRequest& request,
                   const std::optional<std::vector<NodeId>>& cuts = std::nullopt)
      : request_(request),
        trains_(request.lowering.phase == Phase::training),
        micro_(micro_network(request)),
        schedule_(schedule::lower(micro_, request.lowering)),
        times_(times_of(request, micro_, schedule_)),
        possible_cuts_(cuts ? *cuts : graph::possible_cuts(micro_)),
        positions_(borders_at(cuts ? *cuts : thinned(possible_cuts_, micro_, times_, most_cuts))),
        crossings_(micro_, schedule_, positions_) {}

  [[nodiscard]] std::size_t stages() const { return request_.devices.size(); }
  [[nodiscard]] const std::vector<NodeId>& positions() const { return positions_; }
  [[nodiscard]] NodeId end() const { return positions_.back(); }
  [[nodiscard]] std::size_t possible_cuts() const { return possible_cuts_.size(); }

  /// What a stage needs of its device: all that is expected, or what it cannot do without.
  [[nodiscard]] Bytes needs(const MemoryEstimate& memory) const {
    return may_run_ ? memory.least_total : memory.total;
  }
  void take_what_may_run(bool may_run) { may_run_ = may_run; }

  /// Leaves fewer cuts to choose from, before the memory of many stages is asked for.
  void thin_for_memory() {
    const std::size_t most =
        std::max({fewest_cuts, 8 * stages(), most_lowered_nodes / micro_.nodes.size()});
    const std::vector<NodeId> cuts(positions_.begin() + 1, positions_.end() - 1);
    positions_ = borders_at(thinned(cuts, micro_, times_, most));
  }

  [[nodiscard]] Seconds transfer(NodeId begin, NodeId end) {
    Seconds time = transfer_of(crossings_.received(begin, end));
    if (trains_) time += transfer_of(crossings_.returned(begin, end));
    return time;
  }

  /// Time of a micro-batch.
  [[nodiscard]] double time(std::size_t stage, NodeId begin, NodeId end) {
    const NodeTimes& times = times_[stage];
    return times.forward_of(begin, end) + times.backward_of(begin, end) +
           (end == this->end() ? times.loss : 0.0) + transfer(begin, end).value;
  }

  [[nodiscard]] bool is_stage(NodeId begin, NodeId end) { return crossings_.is_needed(begin, end); }

  /// nullopt: the range is not a stage by itself.
  [[nodiscard]] const std::optional<MemoryEstimate>& memory(std::size_t device, NodeId begin,
                                                            NodeId end) {
    // Devices of one name are alike.
    const auto alike =
        std::ranges::find(request_.devices, request_.devices[device].name, &StageDevice::name);
    device = static_cast<std::size_t>(alike - request_.devices.begin());
    const auto [place, is_new] = memory_.try_emplace({device, begin, end});
    if (is_new) place->second = estimate(device, begin, end);
    return place->second;
  }

  [[nodiscard]] PartitionPlan plan(const std::vector<NodeId>& cuts) {
    PartitionPlan plan;
    plan.cuts = cuts;
    plan.micro_batches = request_.micro_batches;
    plan.micro_batch = micro_.batch();
    const std::vector<NodeId> borders = borders_at(cuts);
    for (std::size_t s = 0; s + 1 < borders.size(); ++s) {
      plan.stages.push_back(stage(s, borders[s], borders[s + 1]));
    }
    add_step_times(plan, borders);
    return plan;
  }

 private:
  static Graph micro_network(const PartitionRequest& request) {
    const std::int64_t batch = request.graph.batch();
    if (request.micro_batches < 1 || batch % request.micro_batches != 0) {
      throw Error(
          ErrorKind::usage,
          format("{} micro-batches do not divide a batch of {}", request.micro_batches, batch),
          "every micro-batch takes the same number of images");
    }
    return graph::rebatch(request.graph, batch / request.micro_batches);
  }

  static std::vector<NodeTimes> times_of(const PartitionRequest& request, const Graph& network,
                                         const Schedule& schedule) {
    std::vector<NodeTimes> times;
    for (const StageDevice& device : request.devices) {
      times.push_back(node_times(network, schedule, device.op_times(schedule)));
    }
    return times;
  }

  [[nodiscard]] std::vector<NodeId> borders_at(const std::vector<NodeId>& cuts) const {
    std::vector<NodeId> borders = {0};
    borders.insert(borders.end(), cuts.begin(), cuts.end());
    borders.push_back(static_cast<NodeId>(micro_.nodes.size()));
    return borders;
  }

  [[nodiscard]] Seconds transfer_of(Bytes bytes) const {
    if (bytes == Bytes(0)) return {};
    return {request_.link.latency_s + bytes.as_double() / request_.link.bandwidth};
  }

  [[nodiscard]] std::optional<MemoryEstimate> estimate(std::size_t device, NodeId begin,
                                                       NodeId end) const {
    Graph part;
    try {
      part = graph::stage_of(micro_, begin, end);
    } catch (const Error& error) {
      if (!error.is_of_input()) throw;
      return std::nullopt;
    }
    schedule::LoweringOptions options = request_.lowering;
    options.takes_gradients = trains_ && end != this->end();
    std::unordered_set<std::string_view> given;
    for (const ValueId id : micro_.inputs) given.insert(micro_.value(id).name);
    for (const ValueId id : part.inputs) {
      const std::string& name = part.value(id).name;
      if (!given.contains(name)) options.inputs_with_gradients.push_back(name);
    }
    const Schedule schedule = schedule::lower(part, options);
    const StageDevice& target = request_.devices[device];
    const LibraryMemory library = target.library ? target.library(schedule) : LibraryMemory();
    MemoryEstimate memory = estimate_memory(schedule, GradientReset::after_loss, &library);
    hold_micro_batches(memory);
    return memory;
  }

  /// What the other micro-batches hold while one runs.
  void hold_micro_batches(MemoryEstimate& memory) const {
    const std::int64_t others = request_.micro_batches - 1;
    const Bytes more = (memory.saved_activations + memory.input) * others;
    memory.saved_activations += memory.saved_activations * others;
    memory.input += memory.input * others;
    for (Bytes* sum : {&memory.allocated_peak, &memory.reserved, &memory.total, &memory.most_total,
                       &memory.least_total}) {
      *sum += more;
    }
  }

  [[nodiscard]] PlannedStage stage(std::size_t s, NodeId begin, NodeId end) {
    const NodeTimes& times = times_[s];
    PlannedStage stage;
    stage.device = request_.devices[s].name;
    stage.begin = begin;
    stage.end = end;
    stage.first = micro_.nodes[index_of(begin)].name;
    stage.last = micro_.nodes[index_of(end) - 1].name;
    stage.forward = {times.forward_of(begin, end)};
    stage.backward = {times.backward_of(begin, end)};
    if (end == this->end()) stage.forward += {times.loss};
    stage.received = crossings_.received(begin, end);
    if (trains_) stage.returned = crossings_.returned(begin, end);
    stage.transfer = transfer(begin, end);
    const Graph part = graph::stage_of(micro_, begin, end);
    const std::int64_t all = micro_.parameter_elements();
    if (all > 0) {
      stage.optimizer = {times.optimizer * static_cast<double>(part.parameter_elements()) /
                         static_cast<double>(all)};
    }
    stage.memory = memory(s, begin, end).value();
    // A network whose ops are not counted is not cut.
    stage.fit = fit(stage.memory, request_.devices[s].memory).value_or(Fit());
    return stage;
  }

  void add_step_times(PartitionPlan& plan, const std::vector<NodeId>& borders) const {
    const auto count = static_cast<double>(plan.stages.size());
    std::vector<double> forward;
    std::vector<double> backward;
    double optimizer = 0.0;
    double busy = 0.0;
    for (const PlannedStage& stage : plan.stages) {
      forward.push_back(stage.forward.value + transfer_of(stage.received).value);
      backward.push_back(stage.backward.value + transfer_of(stage.returned).value);
      optimizer = std::max(optimizer, stage.optimizer.value);
      busy += stage.time().value * plan.micro_batches + stage.optimizer.value;
    }
    plan.pipelined = {pipeline_time(forward, backward, plan.micro_batches) + optimizer};
    plan.bubble = (count - 1.0) / (plan.micro_batches + count - 1.0);
    plan.idle = plan.pipelined.value > 0.0 ? 1.0 - busy / (count * plan.pipelined.value) : 0.0;
    plan.sequential = {sequential_time(plan, borders)};
  }

  /// The whole batch at once: predicted separately, because its ops are larger.
  [[nodiscard]] double sequential_time(const PartitionPlan& plan,
                                       const std::vector<NodeId>& borders) const {
    if (request_.micro_batches == 1) return plan.pipelined.value;
    const Schedule whole = schedule::lower(request_.graph, request_.lowering);
    Crossings crossings(request_.graph, whole, borders);
    double total = 0.0;
    double optimizer = 0.0;
    for (std::size_t s = 0; s + 1 < borders.size(); ++s) {
      const NodeTimes times =
          node_times(request_.graph, whole, request_.devices[s].op_times(whole));
      const NodeId begin = borders[s];
      const NodeId end = borders[s + 1];
      total += times.forward_of(begin, end) + times.backward_of(begin, end);
      if (end == this->end()) total += times.loss;
      total += transfer_of(crossings.received(begin, end)).value;
      if (trains_) total += transfer_of(crossings.returned(begin, end)).value;
      optimizer = std::max(optimizer, plan.stages[s].optimizer.value);
    }
    return total + optimizer;
  }

  const PartitionRequest& request_;
  bool trains_;
  Graph micro_;
  Schedule schedule_;
  std::vector<NodeTimes> times_;  ///< one for each device
  std::vector<NodeId> possible_cuts_;
  std::vector<NodeId> positions_;  ///< borders of stages: 0, the cuts to choose from, all nodes
  Crossings crossings_;
  bool may_run_ = false;
  std::map<std::tuple<std::size_t, NodeId, NodeId>, std::optional<MemoryEstimate>> memory_;
};

/// The furthest position, as an index, up to which a stage from position `from` fits; `from` itself
/// where none does. It grows with `from`, so that it is looked for from the last answer on.
std::size_t furthest(Planner& planner, std::size_t device, std::size_t from, std::size_t known,
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
std::size_t first_of_last_stage(Planner& planner, std::size_t device, Bytes memory) {
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
std::optional<std::vector<NodeId>> best_cuts(Planner& planner,
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
std::optional<std::vector<NodeId>> best_fitting_cuts(Planner& planner,
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
bool covers(Planner& planner, Bytes memory) {
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
std::optional<Bytes> least_memory(Planner& planner) {
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
  Planner planner(request);
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
  return Planner(request, cuts).plan(cuts);
}

}  // namespace rooflab::predict
