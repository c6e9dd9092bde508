// Follows the worker protocol (docs/formats/worker.md) without a framework: made-up figures that
// are the same every time, and every way in which a case can end. It drives the command line's
// tests; it is built as `rooflab-torch` in a folder that $ROOFLAB_WORKERS names.
//
// $ROOFLAB_FAKE holds rules `HOW@MODEL`, separated by semicolons: `oom`, `fail`, `crash`, `kill`,
// `unsupported`, `slow` (waits until it is ended), `garbage` (a record that is none).

#include <sys/prctl.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include "rooflab/base/file.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/engine/case.hpp"
#include "rooflab/record/record_json.hpp"

namespace {

using namespace rooflab;

record::DeviceIdentity fake_gpu() {
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

int describe() {
  Json json;
  json["worker"] = "rooflab-torch";
  json["libraries"] = {{"libtorch", "0.0-fake"}};
  json["devices"] = {record::to_json(fake_cpu()), record::to_json(fake_gpu())};
  json["missing"] = Json::array();
  std::cout << json.dump() << '\n';
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

void say(const char* stage, double done) {
  std::cout << format("{{\"stage\": \"{}\", \"done\": {}, \"left_s\": 1}}\n", stage, done)
            << std::flush;
}

record::Environment environment(const engine::Case& request) {
  record::Environment result;
  result.date = "2026-01-02T03:04:05Z";
  result.command = request.identity.command;
  result.rooflab = "0.0.0";
  result.host = "Fake OS";
  result.cpu = "Fake CPU";
  result.logical_cpus = 4;
  result.host_memory = Bytes(8'000'000'000);
  result.device = request.identity.device == "cpu" ? fake_cpu() : fake_gpu();
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

int run(const std::string& case_file, const std::string& record_file) {
  const engine::Case request =
      engine::case_from_json(parse_json(read_file(case_file), case_file), case_file);
  const std::string rule = rule_for(request.identity.model);
  say("set-up", 0.0);
  if (rule == "crash") std::abort();
  if (rule == "kill") ::raise(SIGKILL);
  if (rule == "slow") std::this_thread::sleep_for(std::chrono::hours(1));
  if (rule == "garbage") {
    write_file_atomically(record_file, "{\"kind\": \"record\"");
    return 0;
  }
  record::Record result;
  result.identity = request.identity;
  result.environment = environment(request);
  if (rule == "oom") {
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
  }
  record::write_record(record_file, result);
  return 0;
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): a worker that dies of an Error is a crash, as meant
int main(int argc, char** argv) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "describe") return describe();
  if (command == "run" && argc == 4) return run(argv[2], argv[3]);
  std::cerr << "usage: rooflab-torch describe | run CASE RECORD\n";
  return 2;
}
