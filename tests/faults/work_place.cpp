#include "work_place.hpp"

#include <fstream>
#include <sstream>

#include "fault_protocol.hpp"
#include "sandbox/worker_folder.hpp"

namespace faults {
namespace fs = std::filesystem;

namespace {

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ":") + part;
  return text;
}

}  // namespace

WorkPlace::WorkPlace(Programs programs, fs::path folder)
    : programs_(std::move(programs)), folder_(std::move(folder)) {
  if (!programs_.installed) sandbox::make_worker_folder(folder_ / "workers", programs_.workers);
}

WorkPlace::~WorkPlace() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void WorkPlace::prepare(const Scenario& scenario) {
  sandbox::write_folder(folder_ / "here", scenario.files);
  for (const char* name : {"tmp", "out", "beside"}) sandbox::write_folder(folder_ / name, {});
}

sandbox::ChildRequest WorkPlace::request(const Scenario& scenario,
                                         const std::vector<std::string>& words,
                                         const Disturbance& disturbance, long later) const {
  const bool is_python = scenario.group == Group::python;
  std::vector<std::string> watched = {folder_ / "here", folder_ / "tmp"};
  std::vector<std::string> counted = {"rooflab", "rooflab-torch", "rooflab-probe"};
  sandbox::ChildRequest request;
  request.command = {is_python ? programs_.python.string() : programs_.rooflab.string()};
  request.command.insert(request.command.end(), words.begin(), words.end());
  request.folder = folder_ / "here";
  request.output = folder_ / "out";
  request.limit = std::chrono::seconds(120);
  if (programs_.installed) {
    const fs::path tree = programs_.rooflab.parent_path().parent_path();
    watched.insert(watched.end(), {tree / "share", tree / "libexec"});
  } else {
    request.environment["ROOFLAB_WORKERS"] = folder_ / "workers";
  }
  if (is_python) {
    counted.push_back(fs::canonical(programs_.python).filename());
    request.environment.insert({{"ROOFLAB", programs_.rooflab},
                                {"PYTHONPATH", ROOFLAB_SOURCE_DIR "/python"},
                                {"PYTHONDONTWRITEBYTECODE", "1"},
                                {"OMP_NUM_THREADS", "1"}});
  }
  request.environment.insert({{"TMPDIR", folder_ / "tmp"},
                              {"LD_PRELOAD", programs_.library},
                              {paths_variable, joined(watched)},
                              {counter_variable, folder_ / "out/counter"},
                              {log_variable, folder_ / "out/calls"},
                              {programs_variable, joined(counted)},
                              {later_variable, std::to_string(later)}});
  for (const auto& [name, value] : scenario.environment) request.environment[name] = value;
  if (disturbance.hangs) {
    for (const auto& [name, value] : scenario.hang) request.environment[name] = value;
  }
  if (disturbance.call) {
    const std::string what = disturbance.error == 0 ? "kill" : std::to_string(disturbance.error);
    request.environment[fault_variable] =
        std::to_string(*disturbance.call) + ":" + what + (disturbance.stays ? "+" : "");
  }
  request.kill_after = disturbance.kill_after;
  request.in = disturbance.in;
  request.out = disturbance.out;
  request.err = disturbance.err;
  return request;
}

sandbox::ChildEnd WorkPlace::run(const Scenario& scenario, const std::vector<std::string>& words,
                                 const Disturbance& disturbance, long later) {
  const Counter none{};
  std::ofstream(folder_ / "out/counter", std::ios::binary)
      .write(reinterpret_cast<const char*>(&none), sizeof none);
  fs::remove(folder_ / "out/calls");
  sandbox::ChildRequest first = request(scenario, words, disturbance, later);
  if (!disturbance.pair) return sandbox::run(std::move(first));
  sandbox::ChildRequest second = first;
  second.output = folder_ / "beside";
  sandbox::ChildRun beside(std::move(second));
  sandbox::ChildEnd end = sandbox::run(std::move(first));
  const sandbox::ChildEnd other = beside.wait();
  // The worse of the two; both must have ended well, or one of them must have said why not.
  return other.exit_code != 0 && end.exit_code == 0 ? other : end;
}

std::vector<Call> WorkPlace::calls() const {
  std::vector<Call> calls;
  std::ifstream log(folder_ / "out/calls");
  for (std::string line; std::getline(log, line);) {
    std::istringstream fields(line);
    Call call;
    std::string number;
    std::getline(fields, number, '\t');
    std::getline(fields, call.kind, '\t');
    std::getline(fields, call.program, '\t');
    std::getline(fields, call.path, '\t');
    call.number = std::stol(number);
    calls.push_back(std::move(call));
  }
  return calls;
}

}  // namespace faults
