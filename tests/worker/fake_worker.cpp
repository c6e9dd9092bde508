// Follows the worker protocol (docs/formats/worker.md) without a framework: made-up figures that
// are the same every time, and every way in which a case can end. It drives the command line's
// tests; it is built as `rooflab-torch` in a folder that $ROOFLAB_WORKERS names. Under the name
// `rooflab-probe` (a link to it) it is that worker too: fake_probe.hpp says what it measures.
//
// $ROOFLAB_FAKE holds rules `HOW@MODEL`, separated by semicolons: `oom`, `fail`, `crash`, `kill`,
// `unsupported`, `slow` (waits until it is ended), `full` (finds the disk full), `garbage` (an
// invalid record),
// `oom-above=N` (a batch above N; of the model `chain`, a chain of more than N layers), `host`
// (issue costs of the host too, if the case asks for them).

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include "base/exit_status.hpp"
#include "base/format.hpp"
#include "describe/json_fields.hpp"
#include "describe/schema.hpp"
#include "engine/worker_build.hpp"
#include "fake_probe.hpp"
#include "fake_ranks.hpp"
#include "fake_stages.hpp"
#include "fake_training.hpp"
#include "record/record_json.hpp"
#include "rooflab/engine/case.hpp"
#include "rooflab/system/file.hpp"

namespace {

using namespace rooflab;

record::DeviceIdentity fake_gpu() {
  // Of an earlier generation, where a case asks for one.
  if (std::getenv("ROOFLAB_FAKE_V100") != nullptr) {
    return {"cuda",
            0,
            "Tesla V100-SXM2-32GB",
            "GPU-00000000-fake-fake-fake-000000000070",
            Bytes(34'000'000'000),
            "7.0",
            80,
            "580.0"};
  }
  return {"cuda",
          0,
          "NVIDIA H200",
          "GPU-00000000-fake-fake-fake-000000000000",
          Bytes(150'000'000'000),
          "9.0",
          132,
          "580.0"};
}
record::DeviceIdentity fake_cpu() {
  return {"cpu", 0, "Fake CPU", "", Bytes(8'000'000'000), {}, {}, {}};
}

/// $ROOFLAB_FAKE_VERSION: of another build.
engine::WorkerBuild build(std::string_view worker) {
  engine::WorkerBuild result = engine::own_build(worker);
  const char* const other = std::getenv("ROOFLAB_FAKE_VERSION");
  if (other != nullptr) result.rooflab = other;
  return result;
}

int describe() {
  engine::Capabilities here;
  here.build = build("rooflab-torch");
  here.libraries = {{"libtorch", "0.0-fake"}};
  here.devices = {fake_cpu()};
  const char* const gpus = std::getenv("ROOFLAB_FAKE_GPUS");  // 1
  for (int i = 0; i < (gpus == nullptr ? 1 : std::atoi(gpus)); ++i) {
    here.devices.push_back(fake_gpu());
    here.devices.back().index = i;
  }
  std::cout << to_json(here).dump() << '\n';
  return 0;
}

std::string rule_for(const std::string& model) {
  const char* const rules = std::getenv("ROOFLAB_FAKE");
  if (rules == nullptr) return {};
  for (const std::string& rule : split(rules, ';')) {
    const std::vector<std::string> parts = split(rule, '@');
    if (parts.size() == 2 && parts[1] == model) return parts[0];
  }
  return {};
}

/// A chain goes by the name `chain`, whatever its lengths.
bool is_out_of_memory(const engine::Case& request, const std::string& rule) {
  constexpr std::string_view above = "oom-above=";
  const bool chain = request.identity.model.find('*') != std::string::npos;
  const std::string found = chain ? rule_for("chain") : rule;
  if (!found.starts_with(above)) return found == "oom";
  const std::int64_t size = chain ? static_cast<std::int64_t>(request.graph.nodes.size())
                                  : request.identity.batch.value();
  return size > parse_integer(found.substr(above.size())).value();
}

record::Environment environment(const std::string& device, const std::string& command) {
  record::Environment result;
  result.date = "2026-01-02T03:04:05Z";
  result.command = command;
  result.rooflab = "0.0.0";
  result.host = "Fake OS";
  result.cpu = "Fake CPU";
  result.logical_cpus = 4;
  result.host_memory = Bytes(8'000'000'000);
  result.device = device == "cpu" ? fake_cpu() : fake_gpu();
  result.libraries = {{"libtorch", "0.0-fake"}};
  return result;
}

/// 10 ms a sample, 2 % up and down in turn.
record::Timing timing(const engine::Case& request) {
  record::Timing result;
  const double step = 0.010 * static_cast<double>(request.identity.batch);
  constexpr double pattern[] = {1.00, 0.98, 1.02, 0.99, 1.01};
  for (int i = 0; i < request.settings.iterations; ++i) {
    result.steps_s.push_back(step * pattern[i % 5]);
  }
  result.setup_s = 0.5;
  result.first_call_s = step * 20;
  result.warmup_steps = 3;
  result.clock = request.identity.device == "cpu" ? "steady clock" : "device events";
  result.issue_s = step / 4;
  result.device_s = step;
  return result;
}

record::MemoryUse memory() {
  record::MemoryUse result;
  result.allocated_peak = Bytes(300'000'000);
  result.reserved_peak = Bytes(400'000'000);
  result.device_used = Bytes(1'000'000'000);
  result.context = Bytes(500'000'000);
  result.saved = Bytes(100'000'000);
  result.persistent = Bytes(50'000'000);
  result.phases = {{"forward", Bytes(50'000'000), Bytes(300'000'000), Bytes(150'000'000)}};
  return result;
}

record::LayerTimes layers(const engine::Case& request, double step) {
  record::LayerTimes result;
  result.repetitions = 10;
  const bool trains = request.identity.phase == Phase::training;
  const double each = 0.8 * step / static_cast<double>(request.graph.nodes.size());
  for (const graph::Node& node : request.graph.nodes) {
    record::NodeTiming timing{
        node.name, graph::name_of(node.op), trains ? each / 4 : each, {}, each, 1000};
    if (trains) timing.backward_s = 3 * each / 4;
    result.nodes.push_back(timing);
  }
  result.sum_s = 0.8 * step;
  result.whole_s = step;
  result.synchronized_sum_s = 1.5 * step;
  result.forward_whole_s = step;
  return result;
}

/// Ops of 20 us, views of 1 us.
record::HostCosts issue_costs() {
  record::HostCosts result;
  result.issuer = "rooflab";
  result.version = "0.0-fake";
  result.cpu = "Fake CPU";
  for (const char* name :
       {"conv2d", "batch_norm", "layer_norm", "linear", "matmul", "attention", "attention_module",
        "unary", "binary", "softmax", "copy", "cat", "cast", "pool", "reduce", "dropout"}) {
    result.ops[name] = {20e-6, 20e-6, 20e-6};
  }
  result.ops["view"] = {1e-6, 1e-6, 1e-6};
  result.jitter = 1.25;
  return result;
}

/// Products of a convolution or linear layer, 2 a multiply-accumulate; 0 for other ops.
double matrix_flops(const graph::Graph& network, const graph::Node& node) {
  const bool matrix = std::holds_alternative<graph::Conv>(node.op) ||
                      std::holds_alternative<graph::Linear>(node.op);
  if (!matrix) return 0.0;
  const graph::Shape& weight = network.type(node.inputs[1]).shape;
  const graph::Shape& out = network.type(node.outputs[0]).shape;
  return 2.0 * static_cast<double>(out.elements()) *
         (static_cast<double>(weight.elements()) / static_cast<double>(weight[0]));
}

/// Every operand once.
double operand_bytes(const graph::Graph& network, const graph::Node& node) {
  std::int64_t bytes = 0;
  for (const graph::ValueId id : node.inputs) bytes += network.type(id).bytes();
  for (const graph::ValueId id : node.outputs) bytes += network.type(id).bytes();
  return static_cast<double>(bytes);
}

/// Kernels of a step with counters: what the model says but for what a test can look for.
///
///   the first convolution   its three input channels as four, and a kernel before it that
///                           rearranges the input
///   other matrix ops        as modelled
///   everything else         no FLOPs, a quarter of the bytes from DRAM, all through L2
///
/// Backward kernels in training do twice the forward's work. One launch belongs to no node, views
/// launch nothing.
class FakeCounting {
 public:
  explicit FakeCounting(const engine::Case& request) : request_(request) {}

  void fill(record::Record& record) {
    const graph::Graph& network = request_.graph;
    record::Counting& counting = record.counting.emplace();
    counting.chip = "GH100";
    const bool trains = request_.identity.phase == Phase::training;
    bool first = true;
    for (const graph::Node& node : network.nodes) {
      const bool view = std::holds_alternative<graph::Reshape>(node.op) ||
                        std::holds_alternative<graph::Dropout>(node.op);
      counting.scopes.push_back({node.name, graph::name_of(node.op), "forward"});
      if (view) continue;
      const double flops = matrix_flops(network, node);
      const double bytes = operand_bytes(network, node);
      if (flops > 0.0 && first) {
        const double moved = 2.0 * static_cast<double>(network.type(node.inputs[0]).bytes());
        launch("nchwToNhwcKernel", counting.scopes.size(), 0.0, moved, moved);
      }
      launch(flops > 0.0 ? "fake_matrix_kernel" : "fake_elementwise_kernel", counting.scopes.size(),
             flops > 0.0 && first ? flops * 4.0 / 3.0 : flops, flops > 0.0 ? bytes : bytes / 4.0,
             bytes);
      if (flops > 0.0) first = false;
      if (!trains) continue;
      counting.scopes.push_back({node.name, graph::name_of(node.op), "backward"});
      launch("fake_backward_kernel", counting.scopes.size(), 2.0 * flops, 2.0 * bytes, 2.0 * bytes);
    }
    launch("fake_stray_kernel", 0, 0.0, 1000.0, 1000.0);
    add_step(counting);
    counting.launches_per_step = static_cast<std::int64_t>(kernels_.size());
    counting.steps_s = record.timing->steps_s;
    counting.arming_s = 0.5;
    counting.wall_s = 0.25;
    const auto launches = static_cast<std::int64_t>(kernels_.size());
    counting.sets = {
        {{"dram__bytes_read.sum", "dram__bytes_write.sum"}, false, 1, 0.2, 0.05, 1, 0},
        {{"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"}, true, 1, 0.1, 0.1, launches, 0},
        {{"dram__bytes_read.sum", "dram__bytes_write.sum", "lts__t_bytes.sum"},
         true,
         2,
         0.2,
         0.1,
         launches - 1,
         1}};
    counting.peaks = {{"dram__bytes.sum", 1536.0}};
    record.kernels = std::move(kernels_);
  }

 private:
  [[nodiscard]] record::KernelFigure matrix_figure() const {
    using enum record::KernelFigure;
    switch (request_.identity.precision) {
      case Precision::tf32:
        return tensor_tf32;
      case Precision::bf16:
      case Precision::amp:
      case Precision::amp_bf16:
        return tensor_bf16;
      case Precision::fp16:
      case Precision::amp_fp16:
        return tensor_fp16;
      case Precision::fp64:
        return tensor_fp64;
      case Precision::fp32:
        break;
    }
    return ffma;
  }

  void launch(const char* name, std::size_t scope, double work, double dram, double l2) {
    using enum record::KernelFigure;
    const std::size_t row = kernels_.add({.name = kernels_.names.intern(name),
                                          .process = kernels_.processes.intern("rooflab-torch"),
                                          .launch = static_cast<std::int64_t>(kernels_.size()),
                                          .grid = {132, 1, 1},
                                          .block = {256, 1, 1},
                                          .external_id = static_cast<std::int64_t>(scope)});
    kernels_.set(time_s, row, 2e-6 + work / 3e13 + l2 / 2.4e12);
    for (const record::KernelFigure none : {dadd, dmul, dfma, fadd, fmul, ffma, hadd, hmul, hfma}) {
      kernels_.set(none, row, 0.0);
    }
    const record::KernelFigure figure = matrix_figure();
    kernels_.set(figure, row, figure == ffma ? work / 2.0 : work);
    kernels_.set(dram_read_bytes, row, dram * 0.75);
    kernels_.set(dram_write_bytes, row, dram * 0.25);
    kernels_.set(l2_bytes, row, l2);
    kernels_.set(sm_clock_hz, row, 1.98e9);
    kernels_.set(occupancy, row, 0.5);
  }

  /// Types without work are not counted kernel by kernel; DRAM moves a tenth less.
  void add_step(record::Counting& counting) const {
    using enum record::KernelFigure;
    record::KernelTable& step = counting.step.emplace();
    step.add({.name = step.names.intern("(step)"), .process = step.processes.intern("")});
    for (const record::KernelFigure type : {tensor_tf32, tensor_bf16, tensor_fp16, tensor_fp64}) {
      step.set(type, 0, kernels_.sum(type).value_or(0.0));
    }
    for (const record::KernelFigure figure : {dram_read_bytes, dram_write_bytes}) {
      step.set(figure, 0, 0.9 * *kernels_.sum(figure));
    }
    step.set(l2_bytes, 0, *kernels_.sum(l2_bytes));
  }

  const engine::Case& request_;
  record::KernelTable kernels_;
};

int probe(const std::string& request_file, const std::string& results, bool ops) {
  FakeProbe probe(rule_for(ops ? "ops" : "device"), matrix_flops, operand_bytes);
  if (!ops) return probe.device(load_file<engine::DeviceProbeRequest>(request_file), results);
  const auto request = load_file<engine::OpProbeRequest>(request_file);
  return probe.ops(request, results, environment(request.device, ""));
}

int run(const std::string& case_file, const std::string& record_file) {
  const auto request = load_file<engine::Case>(case_file);
  const std::string rule = rule_for(request.identity.model);
  say("set-up", 0.0);
  if (rule == "crash") std::abort();
  if (rule == "kill") ::raise(SIGKILL);
  if (rule == "slow") std::this_thread::sleep_for(std::chrono::hours(1));
  if (rule == "full") {
    throw Error(ErrorKind::system, format("cannot write '{}': the fake disk is full", record_file));
  }
  if (rule == "garbage") {
    write_file_atomically(record_file, "{\"kind\": \"record\"");
    return 0;
  }
  record::Record result;
  result.identity = request.identity;
  result.environment = environment(request.identity.device, request.identity.command);
  if (is_out_of_memory(request, rule)) {
    result.status = record::Status::oom;
    result.message = "out of memory: 300 MB held, 128 MB asked";
  } else if (rule == "unsupported") {
    result.status = record::Status::unsupported;
    result.message = "fp16 convolution does not exist on this CPU";
  } else if (rule == "fail") {
    std::cerr << "the reason\n";
    return 1;
  } else {
    say("measure", 0.5);
    result.timing = timing(request);
    result.memory = memory();
    if (request.identity.device != "cpu") result.energy_j = 2.5;
    if (request.settings.per_layer) result.layers = layers(request, result.timing->steps_s.front());
    if (rule == "host" && request.settings.host_time_s > 0.0) result.issue_costs = issue_costs();
    if (request.settings.counters) FakeCounting(request).fill(result);
  }
  record::write_record(record_file, result);
  return 0;
}

int train(const std::string& request_file, const std::string& run_file) {
  const auto request = load_file<engine::TrainingRequest>(request_file);
  const record::CaseIdentity& identity = request.request.identity;
  return FakeTraining(rule_for(identity.model), environment(identity.device, identity.command))
      .train(request, run_file);
}

int evaluate(const std::string& request_file, const std::string& result_file) {
  const auto request = load_file<engine::EvaluationRequest>(request_file);
  return FakeTraining::evaluate(request, result_file);
}

int stages(const std::string& request_file, const std::string& run_file) {
  const auto request = load_file<engine::StageRequest>(request_file);
  const record::CaseIdentity& identity = request.request.identity;
  save_file(run_file, fake_stage_run(request, rule_for(identity.model),
                                     environment(request.devices.front(), identity.command)));
  return 0;
}

int rank(const std::string& request_file, const std::string& result_file) {
  const auto request = load_file<engine::ScaleRequest>(request_file);
  const record::CaseIdentity& identity = request.request.identity;
  const std::string& device = request.devices.front();
  return FakeRanks(rule_for(identity.model), environment(device, identity.command))
      .rank(request, result_file);
}

int links(const std::string& request_file, const std::string& result_file) {
  const auto request = load_file<engine::LinkRequest>(request_file);
  return FakeRanks(rule_for("links"), environment(request.devices.front(), ""))
      .links(request, result_file);
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): a worker that dies of an Error is a crash, as meant
int main(int argc, char** argv) try {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "describe") return describe();
  const bool probes = std::string_view(argv[0]).ends_with("rooflab-probe");
  std::cout << to_json(build(probes ? "rooflab-probe" : "rooflab-torch")).dump() << std::endl;
  if (command == "probe" && argc == 4) return probe(argv[2], argv[3], true);
  if (command == "stages" && argc == 4) return stages(argv[2], argv[3]);
  if (command == "train" && argc == 4) return train(argv[2], argv[3]);
  if (command == "evaluate" && argc == 4) return evaluate(argv[2], argv[3]);
  if (command == "rank" && argc == 4) return rank(argv[2], argv[3]);
  if (command == "links" && argc == 4) return links(argv[2], argv[3]);
  if (command == "run" && argc == 4) {
    return probes ? probe(argv[2], argv[3], false) : run(argv[2], argv[3]);
  }
  std::cerr << "usage: rooflab-torch describe | run CASE RECORD | probe REQUEST RESULTS\n";
  return 2;
} catch (const Error& error) {
  if (error.kind() != ErrorKind::system) throw;
  std::cerr << "rooflab-torch: " << error.what() << '\n';
  return worker_exit_status(error);
}
