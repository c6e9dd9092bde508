#include "rooflab/task/partition.hpp"

#include <algorithm>

#include "base/parameter_list.hpp"
#include "engine/stages.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/task/session.hpp"
#include "run_list.hpp"

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

const device::Link& link_between(const std::vector<TargetDevice>& devices,
                                 const LinkChoice& choice) {
  if (!choice.link.empty()) return device::link_from_name(choice.link);
  const device::Link* slowest = nullptr;
  for (const TargetDevice& each : devices) {
    const device::Link* const own = device::link_of(each.device);
    if (own == nullptr) {
      throw Error(
          ErrorKind::usage,
          format("the link between the devices is not known: {} names none", each.name),
          format("for example {} pcie4 (rooflab devices --links)", flag_of<&LinkChoice::link>()));
    }
    if (slowest == nullptr || own->bandwidth < slowest->bandwidth) slowest = own;
  }
  return *slowest;
}

predict::PartitionRequest plan_request(const PartitionRequest& request,
                                       const std::vector<TargetDevice>& devices,
                                       const LoadedModel& loaded) {
  predict::PartitionRequest plan;
  plan.graph = loaded.graph;
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
  result.precision = plan.lowering.precision;
  result.link = format("{}, {} each way, {} per message", plan.link.name,
                       si(plan.link.bandwidth, "B/s"), si(plan.link.latency_s, "s"));
  result.notes = loaded.notes;
  for (const TargetDevice& each : devices) {
    const bool again = std::ranges::find(result.devices, each.name) != result.devices.end();
    if (each.here && again) {
      result.notes.push_back({"stages_share_device", {each.name}});
    }
    if (!each.predicts_time() && !again) {
      result.notes.push_back({"plan_by_limit", {each.name}});
    }
    result.devices.push_back(each.name);
    result.memory.push_back(each.memory);
  }
  return result;
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
  stages.cuts = planned.outcome.plan->cuts;
  stages.devices = planned.devices;
  stages.micro_batches = planned.outcome.plan->micro_batches;
  engine::RunOptions options = run_options(require_torch_worker(), session);
  options.timeout_s = request.timeout.value_or(0.0);
  record::StageRun run = engine::run_stages(stages, options);
  session.show_progress("");
  return run;
}

}  // namespace

const Parameters& parameters_of(For<PartitionRequest>) {
  static const Parameters all = {
      part<&PartitionRequest::network>(),
      part<&PartitionRequest::target>(
          parameters_of(For<TargetChoice>{}).with<&TargetChoice::device>([](Parameter& each) {
            each.help = "one per stage: devices of `rooflab devices`, or those here: cuda:0,cuda:1";
            each.example = "h200,h200 (rooflab devices), or cuda:0,cuda:1";
            each.former = {"devices"};
          })),
      part<&PartitionRequest::link>(parameters_of(For<LinkChoice>{})
                                        .without<&LinkChoice::all_reduce>()
                                        .with<&LinkChoice::link>([](Parameter& each) {
                                          each.default_text = "the slowest of the datasheets";
                                        })),
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
  result.outcome = predict::plan_partition(plan);
  if (result.outcome.considered_cuts < result.outcome.possible_cuts) {
    result.notes.push_back(
        {"cuts_thinned", {result.outcome.considered_cuts, result.outcome.possible_cuts}});
  }
  if (request.measure && result.outcome.plan) {
    result.run = run_stages(request, loaded, result, session);
  }
  return result;
}

}  // namespace rooflab::task
