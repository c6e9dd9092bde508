#include "rooflab/record/environment.hpp"

#include "rooflab/base/text.hpp"

namespace rooflab::record {

std::optional<double> capability_of(const DeviceIdentity& device) {
  return device.compute_capability ? parse_number(*device.compute_capability) : std::nullopt;
}

Precision precision_on(const DeviceIdentity& device, Precision asked) {
  return autocast_on(capability_of(device).value_or(least_bf16_capability) >= least_bf16_capability,
                     asked);
}

}  // namespace rooflab::record
