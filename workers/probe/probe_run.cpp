#include "probe_run.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "notes/engine_notes.hpp"
#include "remaining_time.hpp"
#include "rooflab/base/error.hpp"
#include "stopwatch.hpp"

namespace rooflab::probe_worker {
namespace {

struct Part {
  std::string name;
  std::vector<Step> steps;
};

double expected_seconds(const std::vector<Step>& steps) {
  double sum = 0.0;
  for (const Step& step : steps) sum += step.expected_s;
  return sum;
}

void check_parts(const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    if (std::find(known_parts().begin(), known_parts().end(), part) != known_parts().end())
      continue;
    throw Error(ErrorKind::usage, format("unknown part '{}'", part),
                format("the parts are {}", join(known_parts(), ", ")));
  }
}

std::vector<Part> open_parts(const engine::DeviceProbeRequest& request, DeviceProbe& device,
                             const Results& results) {
  std::vector<Part> parts;
  for (const std::string& name : known_parts()) {
    const auto& asked = request.parts;
    if (std::find(asked.begin(), asked.end(), name) == asked.end()) continue;
    if (!results.part_done(name)) parts.push_back({name, device.steps_of(name)});
  }
  return parts;
}

/// Seconds that the step took. What is not possible becomes a note.
double run_step(const Step& step, DeviceProbe& device, Results& results) {
  const Stopwatch watch;
  try {
    step.run();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::capability) throw;
    results.note({engine::says.part_failed, {error.what()}});
  }
  device.watch();
  return watch.seconds();
}

}  // namespace

const std::vector<std::string>& known_parts() {
  static const std::vector<std::string> parts = {"bandwidth", "l2",     "peaks",
                                                 "transfers", "launch", "vector_addition"};
  return parts;
}

void run_probe(const engine::DeviceProbeRequest& request, DeviceProbe& device, Results& results,
               const SayProgress& say) {
  check_parts(request.parts);
  std::vector<Part> parts = open_parts(request, device, results);
  if (parts.empty()) return;
  double expected_s = 0.0;
  for (const Part& part : parts) expected_s += expected_seconds(part.steps);
  RemainingTime remaining(expected_s);

  results.environment(device.identity());
  for (Part& part : parts) {
    const double of_part_s = expected_seconds(part.steps);
    double done_s = 0.0;
    for (const Step& step : part.steps) {
      say(part.name, done_s / of_part_s, remaining.seconds());
      remaining.finish(step.expected_s, run_step(step, device, results));
      done_s += step.expected_s;
    }
    part.steps.clear();  // and with them the memory that they share
    results.environment(device.state());
    results.finish_part(part.name);
    say(part.name, 1.0, remaining.seconds());
  }
}

}  // namespace rooflab::probe_worker
