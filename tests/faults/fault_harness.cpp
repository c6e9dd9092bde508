// Kills the program at any moment, lets calls of the system fail under it, takes its standard
// streams away, and starts it twice at once. docs/reliability.md says what must hold then.
//
//   rooflab_faults --program build/ci/bin/rooflab --workers build/ci/tests/workers
//       --library build/ci/tests/librooflab_fault.so --kills 1000 --seed 7

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "command_line.hpp"
#include "trial.hpp"
#include "trial_plan.hpp"

namespace {

using namespace faults;

std::vector<Scenario> chosen(const CommandLine& line) {
  std::vector<Scenario> all = all_scenarios(line.group);
  if (line.only.empty()) return all;
  std::vector<Scenario> found;
  std::istringstream names(line.only);
  for (std::string name; std::getline(names, name, ',');) {
    const auto each = std::ranges::find(all, name, &Scenario::name);
    if (each == all.end()) throw std::runtime_error("no scenario '" + name + "'");
    found.push_back(*each);
  }
  return found;
}

constexpr int exit_skipped = 77;

bool has_pytorch(const CommandLine& line) {
  sandbox::ChildRequest request;
  request.command = {line.programs.python, "-c", "import torch"};
  request.folder = line.folder;
  request.output = line.folder;
  return sandbox::run(std::move(request)).exit_code == 0;
}

class Harness {
 public:
  explicit Harness(CommandLine line)
      : line_(std::move(line)),
        scenarios_(chosen(line_)),
        place_(line_.programs, line_.folder),
        random_(line_.seed) {}

  int run() {
    if (line_.list) return list();
    if (!line_.replay.empty()) {
      for (const Scenario& scenario : scenarios_) {
        try_out(on(scenario), read_disturbances(line_.replay));
      }
    }
    run_kills();
    run_faults();
    if (line_.streams) {
      for (const Scenario& scenario : scenarios_) {
        for (const auto& runs : TrialPlan::streams_and_pair()) try_out(on(scenario), runs);
      }
    }
    std::printf("%d trials, %d kills, %d faults: %d failed\n", trials_, kills_, faults_, failed_);
    return failed_ == 0 ? 0 : 1;
  }

 private:
  struct Subject {
    Subject(WorkPlace& place, const Scenario& scenario, std::uint64_t seed)
        : trial(place, scenario), plan(trial, seed) {}
    Trial trial;
    TrialPlan plan;
  };

  int list() {
    for (const Scenario& scenario : scenarios_) {
      Subject& subject = on(scenario);
      std::printf("%-14s %4zu calls, %.2f s\n", scenario.name.c_str(), subject.trial.calls().size(),
                  static_cast<double>(subject.trial.wall().count()) * 1e-6);
    }
    return failed_ == 0 ? 0 : 1;
  }

  /// The undisturbed runs of a scenario are made when it is first needed.
  Subject& on(const Scenario& scenario) {
    std::unique_ptr<Subject>& subject = subjects_[scenario.name];
    if (subject) return *subject;
    subject = std::make_unique<Subject>(place_, scenario, random_());
    report(scenario, {}, subject->trial.own_problems());
    if (line_.verbose) {
      for (const std::string& place : subject->trial.reference().changing()) {
        std::printf("%s: differs between undisturbed runs: %s\n", scenario.name.c_str(),
                    place.c_str());
      }
    }
    return *subject;
  }

  void run_kills() {
    std::vector<const Scenario*> resumable;
    for (const Scenario& scenario : scenarios_) {
      if (scenario.resumes) resumable.push_back(&scenario);
    }
    if (resumable.empty()) return;
    // Few scenarios for few kills: the undisturbed runs of each take time too.
    std::ranges::shuffle(resumable, random_);
    const auto used =
        std::min<std::size_t>(resumable.size(), 1 + static_cast<std::size_t>(line_.kills) / 5);
    for (std::size_t i = 0; kills_ < line_.kills; ++i) {
      Subject& subject = on(*resumable[i % used]);
      const std::vector<Disturbance> runs = subject.plan.kills(line_.kills - kills_);
      kills_ += static_cast<int>(runs.size());
      try_out(subject, runs);
    }
  }

  void run_faults() {
    if (line_.every_fault) {
      for (const Scenario& scenario : scenarios_) {
        for (const auto& runs : on(scenario).plan.all_faults()) {
          ++faults_;
          try_out(on(scenario), runs);
        }
      }
      return;
    }
    std::vector<const Scenario*> scenarios;
    for (const Scenario& scenario : scenarios_) scenarios.push_back(&scenario);
    std::ranges::shuffle(scenarios, random_);
    const auto used =
        std::min<std::size_t>(scenarios.size(), 1 + static_cast<std::size_t>(line_.faults) / 7);
    for (; faults_ < line_.faults; ++faults_) {
      Subject& subject = on(*scenarios[static_cast<std::size_t>(faults_) % used]);
      try_out(subject, subject.plan.fault());
    }
  }

  void try_out(Subject& subject, const std::vector<Disturbance>& runs) {
    ++trials_;
    if (line_.verbose) {
      std::printf("%s: %s\n", subject.trial.scenario().name.c_str(), to_text(runs).c_str());
      std::fflush(stdout);
    }
    report(subject.trial.scenario(), runs, subject.trial.problems(runs));
  }

  void report(const Scenario& scenario, const std::vector<Disturbance>& runs,
              const std::vector<std::string>& problems) {
    if (problems.empty()) return;
    ++failed_;
    std::printf("FAILED %s: %s\n", scenario.name.c_str(), to_text(runs).c_str());
    for (const std::string& problem : problems) std::printf("    %s\n", problem.c_str());
    std::printf("  again: rooflab_faults --program '%s' --library '%s' %s --only %s%s\n",
                line_.programs.rooflab.c_str(), line_.programs.library.c_str(), choice().c_str(),
                scenario.name.c_str(), runs.empty() ? "" : (" --replay " + to_text(runs)).c_str());
    std::fflush(stdout);
  }

  /// The words that choose what runs.
  std::string choice() const {
    const Programs& programs = line_.programs;
    const std::string group = line_.group == Group::real ? " --real"
                              : line_.group == Group::python
                                  ? " --python '" + programs.python.string() + "'"
                                  : "";
    return (programs.installed ? "--installed" : "--workers '" + programs.workers.string() + "'") +
           group;
  }

  CommandLine line_;
  std::vector<Scenario> scenarios_;
  WorkPlace place_;
  std::mt19937_64 random_;
  std::map<std::string, std::unique_ptr<Subject>> subjects_;
  int trials_ = 0;
  int kills_ = 0;
  int faults_ = 0;
  int failed_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  CommandLine line;
  try {
    line = read_command_line(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rooflab_faults: %s\n%s", error.what(), faults::usage);
    return 2;
  }
  try {
    if (line.group == Group::python && !has_pytorch(line)) {
      std::printf("skipped: %s has no PyTorch\n", line.programs.python.c_str());
      return exit_skipped;
    }
    sandbox::adopt_orphans();
    return Harness(std::move(line)).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rooflab_faults: %s\n", error.what());
    return 2;
  }
}
