// What a stage is and which cuts are looked at: the head of partition_plan.cpp.

#include "stage_planner.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/predict/limit.hpp"

namespace rooflab::predict {
namespace {

using graph::Graph;
using graph::index_of;
using graph::NodeId;
using graph::ValueId;
using schedule::Schedule;

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

}  // namespace

StagePlanner::StagePlanner(const PartitionRequest& request,
                           const std::optional<std::vector<NodeId>>& cuts)
    : request_(request),
      trains_(request.lowering.phase == Phase::training),
      micro_(micro_network(request)),
      schedule_(schedule::lower(micro_, request.lowering)),
      times_(times_of(request, micro_, schedule_)),
      possible_cuts_(cuts ? *cuts : graph::possible_cuts(micro_)),
      positions_(borders_at(cuts ? *cuts : thinned(possible_cuts_, micro_, times_, most_cuts))),
      crossings_(micro_, schedule_, positions_) {}

Bytes StagePlanner::needs(const MemoryEstimate& memory) const {
  return may_run_ ? memory.least_total : memory.total;
}

void StagePlanner::thin_for_memory() {
  const std::size_t most =
      std::max({fewest_cuts, 8 * stages(), most_lowered_nodes / micro_.nodes.size()});
  const std::vector<NodeId> cuts(positions_.begin() + 1, positions_.end() - 1);
  positions_ = borders_at(thinned(cuts, micro_, times_, most));
}

Seconds StagePlanner::transfer(NodeId begin, NodeId end) {
  Seconds time = transfer_of(crossings_.received(begin, end));
  if (trains_) time += transfer_of(crossings_.returned(begin, end));
  return time;
}

double StagePlanner::time(std::size_t stage, NodeId begin, NodeId end) {
  const NodeTimes& times = times_[stage];
  return times.forward_of(begin, end) + times.backward_of(begin, end) +
         (end == this->end() ? times.loss : 0.0) + transfer(begin, end).value;
}

const std::optional<MemoryEstimate>& StagePlanner::memory(std::size_t device, NodeId begin,
                                                          NodeId end) {
  // Devices of one name are alike.
  const auto alike =
      std::ranges::find(request_.devices, request_.devices[device].name, &StageDevice::name);
  device = static_cast<std::size_t>(alike - request_.devices.begin());
  const auto [place, is_new] = memory_.try_emplace({device, begin, end});
  if (is_new) place->second = estimate(device, begin, end);
  return place->second;
}

PartitionPlan StagePlanner::plan(const std::vector<NodeId>& cuts) {
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

Graph StagePlanner::micro_network(const PartitionRequest& request) {
  const std::int64_t batch = request.graph.batch();
  if (request.micro_batches < 1 || batch % request.micro_batches != 0) {
    throw Error(
        ErrorKind::usage,
        format("{} micro-batches do not divide a batch of {}", request.micro_batches, batch),
        "every micro-batch takes the same number of images");
  }
  return graph::rebatch(request.graph, batch / request.micro_batches);
}

std::vector<NodeTimes> StagePlanner::times_of(const PartitionRequest& request, const Graph& network,
                                              const Schedule& schedule) {
  std::vector<NodeTimes> times;
  for (const StageDevice& device : request.devices) {
    times.push_back(node_times(network, schedule, device.op_times(schedule)));
  }
  return times;
}

std::vector<NodeId> StagePlanner::borders_at(const std::vector<NodeId>& cuts) const {
  std::vector<NodeId> borders = {0};
  borders.insert(borders.end(), cuts.begin(), cuts.end());
  borders.push_back(static_cast<NodeId>(micro_.nodes.size()));
  return borders;
}

Seconds StagePlanner::transfer_of(Bytes bytes) const {
  if (bytes == Bytes(0)) return {};
  return {request_.link.latency_s + bytes.as_double() / request_.link.bandwidth};
}

std::optional<MemoryEstimate> StagePlanner::estimate(std::size_t device, NodeId begin,
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

void StagePlanner::hold_micro_batches(MemoryEstimate& memory) const {
  const std::int64_t others = request_.micro_batches - 1;
  const Bytes more = (memory.saved_activations + memory.input) * others;
  memory.saved_activations += memory.saved_activations * others;
  memory.input += memory.input * others;
  for (Bytes* sum : {&memory.allocated_peak, &memory.reserved, &memory.total, &memory.most_total,
                     &memory.least_total}) {
    *sum += more;
  }
}

PlannedStage StagePlanner::stage(std::size_t s, NodeId begin, NodeId end) {
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

void StagePlanner::add_step_times(PartitionPlan& plan, const std::vector<NodeId>& borders) const {
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

double StagePlanner::sequential_time(const PartitionPlan& plan,
                                     const std::vector<NodeId>& borders) const {
  if (request_.micro_batches == 1) return plan.pipelined.value;
  const Schedule whole = schedule::lower(request_.graph, request_.lowering);
  Crossings crossings(request_.graph, whole, borders);
  double total = 0.0;
  double optimizer = 0.0;
  for (std::size_t s = 0; s + 1 < borders.size(); ++s) {
    const NodeTimes times = node_times(request_.graph, whole, request_.devices[s].op_times(whole));
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

}  // namespace rooflab::predict
