// What a device's memory makes of a step's.
//
// Tensors that are alive at once need their room whatever the allocator and the libraries do, so a
// step whose `least_total` exceeds the memory is certain to fail. Boundaries that were found by
// running lay at 0.93 to 0.98 of it (vgg16 and resnet50, an H200 with 20, 40 and 141 GB). Below,
// the largest plausible and the expected sum decide, and leave 10 % free: for the error of the
// model and for what else is on the device.

#include "rooflab/predict/memory_model.hpp"

namespace rooflab::predict {

std::optional<Fit> fit(const MemoryEstimate& memory, Bytes device_memory) {
  constexpr double comfortable = 0.10;
  const double room = (1.0 - comfortable) * device_memory.as_double();
  Fit result;
  result.margin =
      (device_memory.as_double() - memory.total.as_double()) / device_memory.as_double();
  const bool bounded = memory.unknown.empty();
  if (memory.least_total > device_memory) {
    result.verdict = Verdict::oom;
  } else if (!memory.counted) {
    return std::nullopt;  // what is not counted takes more memory, never less
  } else if (bounded && memory.most_total.as_double() <= room) {
    result.verdict = Verdict::fits;
  } else if (bounded && memory.total.as_double() <= room) {
    result.verdict = Verdict::likely;
  } else {
    result.verdict = Verdict::risky;
  }
  return result;
}

std::optional<Fit> fit(const MemoryEstimate& memory, const device::Device& device) {
  const std::optional<Bytes> there = device::memory_of(device);
  return there ? fit(memory, *there) : std::nullopt;
}

}  // namespace rooflab::predict
