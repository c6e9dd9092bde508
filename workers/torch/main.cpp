// rooflab-torch: runs one case, measures single ops, or says what it can do. docs/formats/worker.md
// is the protocol.

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <string>

#include "device_backend.hpp"
#include "measurement.hpp"
#include "op_probe.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/record/record_json.hpp"

namespace {

using namespace rooflab;

int describe() {
  Json json;
  json["worker"] = "rooflab-torch";
  json["libraries"] = torch_worker::library_versions();
  json["devices"] = Json::array();
  for (const record::DeviceIdentity& device : torch_worker::present_devices()) {
    json["devices"].push_back(record::to_json(device));
  }
  json["missing"] = torch_worker::missing_parts();
  std::cout << json.dump() << '\n';
  return 0;
}

void say_progress(std::string_view stage, double done, double left_s) {
  std::cout << Json{{"stage", stage}, {"done", done}, {"left_s", left_s}}.dump() << std::endl;
}

int run(const std::string& case_file, const std::string& record_file) {
  const engine::Case request =
      engine::case_from_json(parse_json(read_file(case_file), case_file), case_file);
  record::write_record(record_file, torch_worker::measure(request, say_progress));
  return 0;
}

int probe(const std::string& request_file, const std::string& results_file) {
  const engine::OpProbeRequest request = engine::op_probe_request_from_json(
      parse_json(read_file(request_file), request_file), request_file);
  engine::ProbeJournal journal(results_file);
  torch_worker::probe_ops(request, journal, say_progress);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  // Whoever started the worker reads its record: without that one it has no use.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const std::string command = argc > 1 ? argv[1] : "";
  try {
    if (command == "describe" && argc == 2) return describe();
    if (command == "run" && argc == 4) return run(argv[2], argv[3]);
    if (command == "probe" && argc == 4) return probe(argv[2], argv[3]);
  } catch (const std::exception& error) {
    std::cerr << "rooflab-torch: " << error.what() << '\n';
    return 1;
  }
  std::cerr << "usage: rooflab-torch describe | run CASE.json RECORD.json | "
               "probe REQUEST.json RESULTS.jsonl\n";
  return 2;
}
