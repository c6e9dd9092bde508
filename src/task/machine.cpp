#include "rooflab/task/machine.hpp"

#include <algorithm>
#include <filesystem>

#include "describe/field_table.hpp"
#include "monitor/gpu_sensor.hpp"
#include "monitor/host.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/engine/worker.hpp"

namespace rooflab::task {

std::span<const Field> fields_of(For<LocalDevice>) {
  static constexpr Field fields[] = {part<&LocalDevice::identity>(),
                                     field<&LocalDevice::id>("catalog_id")};
  return fields;
}

std::span<const Field> fields_of(For<Machine>) {
  using record::Environment;
  static constexpr auto fields = field_table(
      field<Within{&Machine::host, &Environment::host}>("host"),
      field<Within{&Machine::host, &Environment::cpu}>("cpu"),
      field<Within{&Machine::host, &Environment::logical_cpus}>("logical_cpus"),
      field<Within{&Machine::host, &Environment::host_memory}>("host_memory_bytes"),
      members<&Machine::cuda_version, &Machine::no_gpu, &Machine::devices, &Machine::workers>);
  return fields;
}

Machine detected_machine(const device::Catalog& catalog) {
  Machine machine;
  monitor::describe_host(machine.host);
  std::string missing;
  const auto add = [&](const record::DeviceIdentity& device) {
    std::optional<Note> unknown;  // what a device without a file lacks does not matter here
    const auto found = analyze::find_device(catalog, device, unknown);
    machine.devices.push_back({device, found ? std::optional(found->id) : std::nullopt});
  };
  add(monitor::cpu_identity());
  std::ranges::for_each(monitor::detect_gpus(missing), add);
  if (machine.devices.size() == 1) machine.no_gpu = missing;
  machine.cuda_version = monitor::driver_cuda_version();
  for (const std::string_view worker : {engine::torch_worker, engine::probe_worker}) {
    const std::optional<std::filesystem::path> path = engine::find_worker(worker);
    machine.workers[std::string(worker)] = path ? std::optional(path->string()) : std::nullopt;
  }
  return machine;
}

}  // namespace rooflab::task
