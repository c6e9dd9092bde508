#include "study_machine.hpp"

#include "monitor/host.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/task/device_choice.hpp"
#ifdef ROOFLAB_HAS_CUPTI
#include "counters/counter_access.hpp"
#endif

namespace rooflab::cli {

study::Machine study_machine(const device::Catalog& catalog) {
  study::Machine machine;
  machine.cpu = monitor::cpu_identity().name;
  machine.probe_worker = engine::find_worker(engine::probe_worker).has_value();
#ifdef ROOFLAB_HAS_CUPTI
  machine.counters = counters::counter_access().usable();
#endif
  const std::optional<std::filesystem::path> worker = engine::find_worker(engine::torch_worker);
  if (!worker) return machine;
  try {
    const engine::Capabilities here = engine::describe(*worker);
    machine.torch_worker = true;
    for (const record::DeviceIdentity& device : here.devices) {
      if (device.kind == "cpu") continue;
      std::optional<Note> note;
      const std::optional<device::Device> known = analyze::find_device(catalog, device, note);
      machine.gpus.push_back({task::run_name(device), device.name, known ? known->id : ""});
    }
  } catch (const Error&) {
    // A worker that does not answer is as if not there; `rooflab doctor` says why.
  }
  return machine;
}

}  // namespace rooflab::cli
