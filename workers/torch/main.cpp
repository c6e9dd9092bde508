// rooflab-torch: runs one case, measures single ops, or says what it can do. docs/formats/worker.md
// is the protocol.

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>

#include "base/exit_status.hpp"
#include "base/format.hpp"
#include "data_parallel.hpp"
#include "describe/schema.hpp"
#include "device_backend.hpp"
#include "engine/worker_build.hpp"
#include "evaluation.hpp"
#include "link_run.hpp"
#include "measurement.hpp"
#include "op_probe.hpp"
#include "rank_run.hpp"
#include "record/record_json.hpp"
#include "rooflab/base/error.hpp"
#include "stage_run.hpp"
#include "system/fault.hpp"
#include "trainer.hpp"

namespace {

using namespace rooflab;

constexpr std::string_view worker_name = "rooflab-torch";

int describe() {
  engine::Capabilities here;
  here.build = engine::own_build(worker_name);
  here.libraries = torch_worker::library_versions();
  here.devices = torch_worker::present_devices();
  here.missing = torch_worker::missing_parts();
  for (std::string& part : torch_worker::missing_exchange())
    here.missing.push_back(std::move(part));
  std::cout << to_json(here).dump() << '\n';
  return 0;
}

void say_progress(std::string_view stage, double done, double left_s) {
  std::cout << to_json(engine::Progress{std::string(stage), done, left_s}).dump() << std::endl;
}

int run(const std::string& case_file, const std::string& record_file) {
  const auto request = load_file<engine::Case>(case_file);
  record::write_record(record_file, torch_worker::measure(request, say_progress));
  return 0;
}

int probe(const std::string& request_file, const std::string& results_file) {
  const auto request = load_file<engine::OpProbeRequest>(request_file);
  engine::ProbeJournal journal(results_file);
  torch_worker::probe_ops(request, journal, say_progress);
  return 0;
}

/// The process's place among the ranks, from the environment.
engine::RankPlace place() {
  return engine::place_from_environment(engine::own_environment()).value_or(engine::RankPlace());
}

int rank(const std::string& request_file, const std::string& result_file) {
  const auto request = load_file<engine::ScaleRequest>(request_file);
  return torch_worker::run_rank(request, place(), result_file, say_progress);
}

int links(const std::string& request_file, const std::string& result_file) {
  const auto request = load_file<engine::LinkRequest>(request_file);
  return torch_worker::run_link_rank(request, place(), result_file, say_progress);
}

int stages(const std::string& request_file, const std::string& run_file) {
  const auto request = load_file<engine::StageRequest>(request_file);
  save_file(run_file, torch_worker::run_stages(request, say_progress));
  return 0;
}

int train(const std::string& request_file, const std::string& run_file) {
  const auto request = load_file<engine::TrainingRequest>(request_file);
  torch_worker::train(request, run_file, say_progress);
  return 0;
}

/// What is wrong with checkpoints or data is a result too: the other side gives it to its user.
int evaluate(const std::string& request_file, const std::string& result_file) {
  const auto request = load_file<engine::EvaluationRequest>(request_file);
  engine::EvaluationResult result;
  try {
    result.evaluations = torch_worker::evaluate(request, say_progress);
  } catch (const Error& error) {
    result.fault = {error.what(), error.hint(), error.location().file};
  } catch (const torch_worker::Unsupported& unsupported) {
    std::cerr << "not supported here: " << unsupported.what << '\n';
    return 1;
  }
  save_file(result_file, result);
  return 0;
}

/// What the worker does with a request file, and the file that it leaves.
struct Command {
  std::string_view name;
  std::string_view request;
  std::string_view result;
  int (*action)(const std::string& request_file, const std::string& result_file);
};

constexpr std::array<Command, 7> commands = {{
    {"run", "CASE.json", "RECORD.json", run},
    {"train", "REQUEST.json", "RUN.json", train},
    {"evaluate", "REQUEST.json", "RESULT.json", evaluate},
    {"probe", "REQUEST.json", "RESULTS.jsonl", probe},
    {"stages", "REQUEST.json", "RUN.json", stages},
    {"rank", "REQUEST.json", "RESULT.json", rank},
    {"links", "REQUEST.json", "RESULT.json", links},
}};

std::string usage() {
  std::string text = "usage: rooflab-torch describe";
  for (const Command& each : commands) {
    text += format(" | {} {} {}", each.name, each.request, each.result);
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  // The program has the kernel end its workers with it; here so that one ends which a script of the
  // same name started.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const std::string name = argc > 1 ? argv[1] : "";
  try {
    if (name == "describe" && argc == 2) return describe();
    const auto command = std::ranges::find(commands, name, &Command::name);
    if (command != commands.end() && argc == 4) {
      std::cout << engine::greeting(worker_name) << std::endl;
      return command->action(argv[2], argv[3]);
    }
  } catch (const rooflab::Error& error) {
    std::cerr << "rooflab-torch: " << error.what() << '\n';
    return worker_exit_status(error);
  } catch (...) {
    std::cerr << "rooflab-torch: " << rooflab::fault_text() << '\n';
    return 1;
  }
  std::cerr << usage() << '\n';
  return 2;
}
