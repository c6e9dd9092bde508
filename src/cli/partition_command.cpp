#include <algorithm>
#include <memory>
#include <optional>

#include "commands.hpp"
#include "flag_value.hpp"
#include "interrupt.hpp"
#include "network_options.hpp"
#include "output_options.hpp"
#include "plotly_bundle.hpp"
#include "rooflab/analyze/partition_result.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/device/link.hpp"
#include "rooflab/engine/stages.hpp"
#include "rooflab/report/html_page.hpp"
#include "rooflab/report/partition_view.hpp"
#include "target_device.hpp"
#include "workers.hpp"

namespace rooflab::cli {
namespace {

using analyze::PartitionResult;

struct PartitionCommand {
  NetworkOptions network;
  TargetOptions target;
  OutputOptions output;
  std::string link;
  std::string micro_batches = "1";
  std::string iterations = "10";
  std::string timeout;
  bool measure = false;

  void run(Session& session) {
    // Everything that can be wrong is said before anything runs.
    network.check();
    target.check();
    output.check(true);
    const std::vector<TargetDevice> devices = stage_devices();
    std::optional<std::string> note;  // all stages take the type that every device computes
    for (const TargetDevice& each : devices) {
      if (!note) note = network.settle_precision(each.device);
    }
    const LoadedModel loaded = network.load({});
    const predict::PartitionRequest request = request_of(devices, loaded);

    // The plan, then the stages on the devices.
    PartitionResult result = describe(devices, loaded, request);
    if (note) result.notes.push_back(*note);
    result.command = shell_line(session.words);
    result.outcome = predict::plan_partition(request);
    if (measure && result.outcome.plan) {
      const InterruptGuard guard;
      run_stages(result, loaded, session.console);
      if (InterruptGuard::interrupted()) session.exit_code = InterruptGuard::exit_code();
    }
    const report::Document document = report::partition_view(result);
    output.write(document, session.console,
                 [&] { return report::render_html(document, plotly_bundle()); });
    const bool failed = result.run && result.run->status != record::Status::ok;
    if (session.exit_code == 0 && (!result.outcome.plan || failed)) session.exit_code = 1;
  }

 private:
  [[nodiscard]] std::vector<TargetDevice> stage_devices() const {
    std::vector<TargetDevice> devices = target.devices();
    if (devices.size() < 2) {
      throw Error(ErrorKind::usage, "--devices takes two or more, one a stage",
                  "--devices cuda:0,cuda:1, or h200,h200");
    }
    for (const TargetDevice& device : devices) {
      if (!measure || device.here) continue;
      throw Error(ErrorKind::usage,
                  format("--measure needs devices that are here, '{}' is a name of the catalog",
                         device.name),
                  "--devices cuda:0,cuda:1");
    }
    return devices;
  }

  [[nodiscard]] const device::Link& link_between(const std::vector<TargetDevice>& devices) const {
    if (!link.empty()) return device::link_from_name(link);
    const device::Link* slowest = nullptr;
    for (const TargetDevice& each : devices) {
      const device::Link* const own = device::link_of(each.device);
      if (own == nullptr) {
        throw Error(ErrorKind::usage,
                    format("what joins the devices is not known: {} names no link", each.name),
                    "for example --link pcie4 (rooflab devices --links)");
      }
      if (slowest == nullptr || own->bandwidth < slowest->bandwidth) slowest = own;
    }
    return *slowest;
  }

  [[nodiscard]] predict::PartitionRequest request_of(const std::vector<TargetDevice>& devices,
                                                     const LoadedModel& loaded) const {
    predict::PartitionRequest request;
    request.graph = loaded.graph;
    request.lowering = network.lowering();
    request.link = link_between(devices);
    request.micro_batches = positive_int(micro_batches, "--micro-batches", "--micro-batches 4");
    for (const TargetDevice& each : devices) {
      request.devices.push_back(
          {.name = each.name,
           .memory = each.memory,
           .op_times = [&each](const schedule::Schedule& s) { return each.op_times(s); },
           .library = [&each](const schedule::Schedule& s) { return each.library(s); }});
    }
    return request;
  }

  [[nodiscard]] PartitionResult describe(const std::vector<TargetDevice>& devices,
                                         const LoadedModel& loaded,
                                         const predict::PartitionRequest& request) const {
    PartitionResult result;
    result.model = loaded.name;
    result.batch = loaded.graph.batch();
    result.phase = request.lowering.phase;
    result.precision = request.lowering.precision;
    result.link = format("{}, {} each way, {} a message", request.link.name,
                         si(request.link.bandwidth, "B/s"), si(request.link.latency_s, "s"));
    result.notes = loaded.notes;
    for (const TargetDevice& each : devices) {
      const bool again = std::ranges::find(result.devices, each.name) != result.devices.end();
      if (each.here && again) {
        result.notes.push_back(
            format("two stages on {} share its memory and take turns: the plan"
                   " takes them for two devices",
                   each.name));
      }
      result.devices.push_back(each.name);
      result.memory.push_back(each.memory);
      if (each.calibrated) continue;
      std::string note = format(
          "{} has no calibration: times are the roofline's limit, workspace and context are"
          " not in the memory",
          each.name);
      if (std::ranges::find(result.notes, note) == result.notes.end()) {
        result.notes.push_back(std::move(note));
      }
    }
    return result;
  }

  void run_stages(PartitionResult& result, const LoadedModel& loaded,
                  const Console& console) const {
    engine::StageRequest request;
    request.request = network.case_of(loaded);
    request.request.identity.device = join(result.devices, ",");
    request.request.identity.command = result.command;
    request.request.settings.iterations =
        positive_int(iterations, "--iterations", "--iterations 10");
    if (const std::optional<Bytes> limit = target.memory_limit()) {
      request.request.settings.memory_limit_bytes = limit->value();
    }
    request.cuts = result.outcome.plan->cuts;
    request.devices = result.devices;
    request.micro_batches = result.outcome.plan->micro_batches;

    engine::RunOptions options;
    options.worker = require_torch_worker();
    if (!timeout.empty()) {
      options.timeout_s = positive_number(timeout, "--timeout", "--timeout 600");
    }
    options.should_stop = [] { return InterruptGuard::interrupted(); };
    options.on_progress = [&console](const engine::Progress& now) {
      console.show_progress(format("{} {:.0f} %", now.stage, now.done * 100.0));
    };
    result.run = engine::run_stages(request, options);
    console.clear_progress();
  }
};

}  // namespace

void add_partition_command(Command program, Session& session) {
  Command app = program.add_subcommand(
      "partition", "cut a network into stages over several devices, and run them");
  const auto command = std::make_shared<PartitionCommand>();
  command->network.add_to(app);
  command->target.add_to(app, "--devices",
                         "one a stage, by commas: names of rooflab devices, or cuda:0,cuda:1");
  app.add_option("--link", command->link, "what joins them (what their datasheets name)")
      .type_name("L");
  app.add_option("--micro-batches", command->micro_batches,
                 "into which the batch is divided, to keep all stages busy (1)")
      .type_name("M");
  app.add_flag("--measure", command->measure, "run the stages on the devices too (cuda:N)");
  app.add_option("--iterations", command->iterations, "timed steps (10)").type_name("N");
  app.add_option("--timeout", command->timeout, "end the run after so many seconds (never)")
      .type_name("S");
  command->output.add_to(app);
  app.callback([command, &session] { command->run(session); });
}

}  // namespace rooflab::cli
