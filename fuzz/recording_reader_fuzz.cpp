// Recordings from arbitrary bytes: an Error, or a step whose ops have costs, kinds and memory.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rooflab/base/error.hpp"
#include "rooflab/cost/cost.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/predict/memory_model.hpp"
#include "rooflab/predict/op_model.hpp"
#include "rooflab/recording/recording.hpp"

namespace {

using namespace rooflab;

const device::Device& t4() {
  static const device::Device device = device::Catalog::built_in().find("t4");
  return device;
}

void use(const recording::Recording& recorded) {
  const schedule::Schedule schedule = recording::lower(recorded);
  for (const schedule::ScheduledOp& op : schedule.ops) {
    (void)cost::cost_of(schedule, op);
    (void)predict::shape_of(schedule, op, t4());
  }
  (void)predict::estimate_memory(schedule);
  (void)recording::notes_of(recorded);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const recording::Recording recorded = recording::parse_recording(text, "fuzz.rec");
    try {
      use(recorded);
    } catch (const Error&) {
    }
    recording::Recording larger = recorded;
    larger.batch = 2 * recorded.batch.value_or(1);
    recording::Recording longer = recorded;
    longer.context = 2 * recorded.context.value_or(1);
    use(recording::StepSizes({recorded, larger}).at({3, std::nullopt}));
    use(recording::StepSizes({recorded, larger, longer}).at({3, 5}));
  } catch (const Error&) {
  }
  return 0;
}
