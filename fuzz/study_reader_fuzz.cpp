// Study files from arbitrary bytes: an Error, or a study that can be planned for a machine without
// a GPU.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/device/catalog.hpp"
#include "study/plan.hpp"
#include "study/study.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooflab;
  static const device::Catalog catalog = device::Catalog::built_in();
  const study::Machine machine = {.torch_worker = true, .probe_worker = true};
  try {
    study::Study study =
        study::read_study({reinterpret_cast<const char*>(data), size}, "fuzz.toml");
    study::name_devices(study, catalog);
    for (const study::PlannedCase& planned : study::plan_study(study, machine, catalog)) {
      ROOFLAB_ASSERT(!planned.id.empty() && planned.id.find('/') == std::string::npos);
      ROOFLAB_ASSERT(!study::command_of(planned).empty());
    }
  } catch (const Error&) {
  }
  return 0;
}
