#include "rooflab/task/partition.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/assert.hpp"
#include "base/format.hpp"
#include "describe/parameter_list.hpp"
#include "engine/stages.hpp"
#include "notes/task_notes.hpp"
#include "rooflab/task/layer_choice.hpp"
#include "rooflab/task/session.hpp"
#include "run_list.hpp"
#include "setting_use.hpp"

namespace rooflab::task {
namespace {

using analyze::PartitionResult;

std::vector<TargetDevice> stage_devices(const PartitionRequest& request, const Session& session) {
  const std::string flag = flag_of<&TargetChoice::device>();
  std::vector<TargetDevice> devices = request.target.devices(session);
  if (devices.size() < 2) {
    throw Error(ErrorKind::usage, format("{} takes two or more, one per stage", flag),
                format("{} cuda:0,cuda:1, or h200,h200", flag));
  }
  for (const TargetDevice& device : devices) {
    if (!request.measure || device.here) continue;
    throw Error(ErrorKind::usage,
                format("{} needs devices that are here, '{}' is a name of the catalog",
                       flag_of<&PartitionRequest::measure>(), device.name),
                format("{} cuda:0,cuda:1", flag));
  }
  return devices;
}

device::Link link_between(const std::vector<TargetDevice>& devices, const LinkChoice& choice) {
  if (!choice.link.empty()) return device::link_from_name(choice.link);
  std::optional<device::Link> slowest;
  for (const TargetDevice& each : devices) {
    const std::optional<device::Link> own = device::link_of(each.device);
    if (!own) {
      throw Error(
          ErrorKind::usage,
          format("the link between the devices is not known: {} names none", each.name),
          format("for example {} pcie4 (rooflab devices --links)", flag_of<&LinkChoice::link>()));
    }
    if (!slowest || own->bandwidth < slowest->bandwidth) slowest = own;
  }
  ROOFLAB_ASSERT(slowest);
  return *slowest;
}

predict::PartitionRequest plan_request(const PartitionRequest& request,
                                       const std::vector<TargetDevice>& devices,
                                       const LoadedModel& loaded) {
  check_counted(*loaded.lowered(request.network.lowering()), loaded.name);
  predict::PartitionRequest plan;
  plan.graph = loaded.runnable();
  plan.lowering = request.network.lowering();
  plan.link = link_between(devices, request.link);
  plan.micro_batches = request.micro_batches;
  for (const TargetDevice& each : devices) {
    plan.devices.push_back(
        {.name = each.name,
         .memory = each.memory,
         .op_times = [&each](const schedule::Schedule& s) { return each.op_times(s); },
         .library = [&each](const schedule::Schedule& s) { return each.library(s); }});
  }
  return plan;
}

PartitionResult described(const std::vector<TargetDevice>& devices, const LoadedModel& loaded,
                          const predict::PartitionRequest& plan) {
  PartitionResult result;
  result.model = loaded.name;
  result.batch = loaded.graph.batch();
  result.phase = plan.lowering.phase;
  result.precision = loaded.precision(plan.lowering);
  result.link = format("{}, {} each way, {} per message", plan.link.name,
                       si(plan.link.bandwidth, "B/s"), si(plan.link.latency_s, "s"));
  result.notes = loaded.notes;
  if (plan.lowering.channels_last) result.notes.push_back({says.counted_channels_last});
  for (const TargetDevice& each : devices) {
    const bool again = std::ranges::find(result.devices, each.name) != result.devices.end();
    if (each.here && again) {
      result.notes.push_back({says.stages_share_device, {each.name}});
    }
    if (!each.predicts_time() && !again) {
      result.notes.push_back({says.plan_by_limit, {each.name}});
    }
    result.devices.push_back(each.name);
    result.memory.push_back(each.memory);
  }
  return result;
}

/// `layer2` and `conv.83` as they stand in the network; `conv=84` are 84 layers of a chain's piece.
std::string node_name(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return word;
  const std::optional<std::int64_t> count = parse_integer(word.substr(equals + 1));
  if (!count || *count < 1) parameter_of<&PartitionRequest::cut>().refuse("NAME or NAME=N", word);
  return format("{}.{}", trim(std::string_view(word).substr(0, equals)), *count - 1);
}

/// The nodes and the modules that they are in, for hints.
std::vector<std::string> names_in(const graph::Graph& network) {
  std::vector<std::string> names;
  for (const graph::Node& node : network.nodes) {
    for (std::size_t dot = node.name.find('.'); dot != std::string::npos;
         dot = node.name.find('.', dot + 1)) {
      std::string scope = node.name.substr(0, dot);
      if (std::ranges::find(names, scope) == names.end()) names.push_back(std::move(scope));
    }
    names.push_back(node.name);
  }
  return names;
}

/// The node behind the last one of a layer or module.
graph::NodeId cut_behind(const graph::Graph& network, const std::string& word) {
  const std::string name = node_name(word);
  graph::NodeId cut = 0;
  for (std::size_t i = 0; i < network.nodes.size(); ++i) {
    const std::string& node = network.nodes[i].name;
    if (node == name || node.starts_with(name + ".")) cut = static_cast<graph::NodeId>(i) + 1;
  }
  const std::string flag = flag_of<&PartitionRequest::cut>();
  const auto name_before = [&](graph::NodeId id) {
    return network.nodes[static_cast<std::size_t>(id) - 1].name;
  };
  if (cut == 0) {
    throw Error(ErrorKind::usage, format("{} '{}': the network has no such layer", flag, word),
                near_hint(name, names_in(network), "rooflab summary lists the layers",
                          "rooflab summary lists the layers"));
  }
  const std::vector<graph::NodeId> possible = graph::possible_cuts(network);
  if (std::ranges::find(possible, cut) != possible.end()) return cut;
  if (possible.empty()) {
    throw Error(ErrorKind::usage, format("{} '{}': the network cannot be cut", flag, word));
  }
  const graph::NodeId nearest =
      *std::ranges::min_element(possible, {}, [&](graph::NodeId id) { return std::abs(id - cut); });
  throw Error(ErrorKind::usage, format("{} '{}': the network cannot be cut there", flag, word),
              format("the nearest place is behind {}", name_before(nearest)));
}

/// The plan for the cut that was asked for. Throws Error (usage) for names that are not there, and
/// for another number of stages than devices.
std::optional<predict::PartitionPlan> own_plan(const PartitionRequest& request,
                                               const predict::PartitionRequest& plan) {
  if (request.cut.empty()) return std::nullopt;
  const std::string flag = flag_of<&PartitionRequest::cut>();
  if (request.cut.size() + 1 != plan.devices.size()) {
    throw Error(ErrorKind::usage,
                format("{} has {} for {}", flag, plural(request.cut.size(), "cut"),
                       plural(plan.devices.size(), "device")),
                "one cut between each two stages, and a stage for each device");
  }
  std::vector<graph::NodeId> cuts;
  for (const std::string& word : request.cut) cuts.push_back(cut_behind(plan.graph, word));
  std::ranges::sort(cuts);
  const auto again = std::ranges::adjacent_find(cuts);
  if (again != cuts.end()) {
    throw Error(ErrorKind::usage, format("{} names one place twice", flag),
                "each cut begins another stage");
  }
  return predict::plan_for_cuts(plan, cuts);
}

record::StageRun run_stages(const PartitionRequest& request, const LoadedModel& loaded,
                            const PartitionResult& planned, const Session& session) {
  engine::StageRequest stages;
  stages.request = request.network.case_of(loaded);
  stages.request.identity.device = join(planned.devices, ",");
  stages.request.identity.command = session.command;
  stages.request.settings.iterations = request.iterations;
  if (const auto& limit = request.target.memory_limit) {
    stages.request.settings.memory_limit_bytes = limit->bytes.value();
  }
  stages.cuts = planned.plan()->cuts;
  stages.devices = planned.devices;
  stages.micro_batches = planned.plan()->micro_batches;
  engine::RunOptions options = run_options(require_torch_worker(session.prefix), session);
  options.timeout_s = request.timeout.value_or(0.0);
  record::StageRun run = engine::run_stages(stages, options);
  session.show_progress("");
  return run;
}

}  // namespace

const Parameters& parameters_of(For<PartitionRequest>) {
  static const Parameters all = {
      part<&PartitionRequest::network>(of_networks_that_run(parameters_of(For<ChosenNetwork>{}))),
      part<&PartitionRequest::target>(
          parameters_of(For<TargetChoice>{}).with<&TargetChoice::device>([](Parameter& each) {
            each.help = "one per stage: devices of `rooflab devices`, or those here: cuda:0,cuda:1";
            each.example = "h200,h200 (rooflab devices), or cuda:0,cuda:1";
          })),
      part<&PartitionRequest::link>(parameters_of(For<LinkChoice>{})
                                        .without<&LinkChoice::all_reduce>()
                                        .with<&LinkChoice::link>([](Parameter& each) {
                                          each.default_text = "the slowest of the datasheets";
                                        })),
      parameter<&PartitionRequest::cut>(
          "NAME,...",
          "cut after these layers or modules (layer2, conv=84); the best cut is shown, too",
          {.default_text = "the best", .example = "layer2, or conv=84 in a chain"}),
      parameter<&PartitionRequest::micro_batches>(
          "M", "parts of the batch, which keep all stages busy", {.example = "4"}),
      parameter<&PartitionRequest::measure>("run the stages on the devices too (cuda:N)"),
      needing(
          {key_of<&PartitionRequest::measure>()},
          aside({parameter<&PartitionRequest::iterations>("N", "timed steps", {.example = "10"}),
                 parameter<&PartitionRequest::timeout>(
                     "S", "stop the run after S seconds",
                     {.default_text = "never", .example = "600"})})),
  };
  return all;
}

PartitionResult run(PartitionRequest request, Session& session) {
  // Everything that can be wrong is said before anything runs.
  request.network.check();
  request.target.check();
  request.link.check();
  const std::vector<TargetDevice> devices = stage_devices(request, session);
  SettingUse(request.network.settings).check(request.network.load({}));
  std::optional<Note> note;  // all stages take the type that every device computes
  for (const TargetDevice& each : devices) {
    if (!note) note = request.network.settle_precision(each.device);
  }
  const LoadedModel loaded = request.network.load({});
  const predict::PartitionRequest plan = plan_request(request, devices, loaded);

  // The plan, then the stages on the devices.
  PartitionResult result = described(devices, loaded, plan);
  if (note) result.notes.push_back(*note);
  result.command = session.command;
  result.own = own_plan(request, plan);
  result.outcome = predict::plan_partition(plan);
  if (result.outcome.considered_cuts < result.outcome.possible_cuts) {
    result.notes.push_back(
        {says.cuts_thinned, {result.outcome.considered_cuts, result.outcome.possible_cuts}});
  }
  if (request.measure && result.plan() != nullptr) {
    result.run = run_stages(request, loaded, result, session);
  }
  return result;
}

}  // namespace rooflab::task
