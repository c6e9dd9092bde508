// rooflab-probe: measures what a device can do, with as little as possible around it.
// docs/formats/worker.md is the protocol, docs/methods/probe.md what each figure is.

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <string>

#include "base/exit_status.hpp"
#include "base/format.hpp"
#include "blas_library.hpp"
#include "describe/schema.hpp"
#include "device_probe.hpp"
#include "engine/worker_build.hpp"
#include "monitor/host.hpp"
#include "probe_run.hpp"
#include "rooflab/base/error.hpp"
#include "system/fault.hpp"

namespace rooflab::probe_worker {
namespace {

constexpr std::string_view worker_name = "rooflab-probe";

int describe() {
  engine::Capabilities here;
  here.build = engine::own_build(worker_name);
  here.libraries = cuda_library_versions();
  here.missing = missing_cuda_parts();
  if (const auto blas = BlasLibrary::open()) {
    here.libraries.emplace("blas", blas->version());
  } else {
    here.missing.push_back(BlasLibrary::missing());
  }
  here.devices = cuda_devices();
  here.devices.insert(here.devices.begin(), monitor::cpu_identity());
  std::cout << to_json(here).dump() << '\n';
  return 0;
}

void say_progress(std::string_view stage, double done, double left_s) {
  std::cout << to_json(engine::Progress{std::string(stage), done, left_s}).dump() << std::endl;
}

std::unique_ptr<DeviceProbe> make_probe(const std::string& device, Results& results, bool quick) {
  if (device == "cpu") return make_cpu_probe(results, quick);
  constexpr std::string_view cuda = "cuda:";
  const auto index =
      device.starts_with(cuda) ? parse_integer(device.substr(cuda.size())) : std::nullopt;
  if (!index || *index < 0 || *index > 1023) {
    throw Error(ErrorKind::usage, format("unknown device '{}'", device),
                "cpu, cuda:0, cuda:1, ...");
  }
  return make_cuda_probe(static_cast<int>(*index), results, quick);
}

int run(const std::string& request_file, const std::string& results_file) {
  std::cout << engine::greeting(worker_name) << std::endl;
  const auto request = load_file<engine::DeviceProbeRequest>(request_file);
  Results results(results_file);
  const auto device = make_probe(request.device, results, request.quick);
  run_probe(request, *device, results, say_progress);
  return 0;
}

}  // namespace
}  // namespace rooflab::probe_worker

int main(int argc, char** argv) {
  // The program has the kernel end its workers with it; here so that one ends which a script of the
  // same name started.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const std::string command = argc > 1 ? argv[1] : "";
  try {
    if (command == "describe" && argc == 2) return rooflab::probe_worker::describe();
    if (command == "run" && argc == 4) return rooflab::probe_worker::run(argv[2], argv[3]);
  } catch (const rooflab::Error& error) {
    std::cerr << "rooflab-probe: " << error.what() << '\n';
    return worker_exit_status(error);
  } catch (...) {
    std::cerr << "rooflab-probe: " << rooflab::fault_text() << '\n';
    return 1;
  }
  std::cerr << "usage: rooflab-probe describe | run REQUEST.json RESULTS.jsonl\n";
  return 2;
}
