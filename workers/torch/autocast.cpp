// libtorch 2.4 replaced the functions of each device by ones that take the device.

#include "autocast.hpp"

#include <ATen/autocast_mode.h>

#include "torch_version.hpp"

namespace rooflab::torch_worker {
namespace {

#if ROOFLAB_TORCH_AT_LEAST(2, 4)
void switch_on(const at::Device& device, at::ScalarType type) {
  at::autocast::set_autocast_enabled(device.type(), true);
  at::autocast::set_autocast_dtype(device.type(), type);
}
void switch_off(const at::Device& device) {
  at::autocast::set_autocast_enabled(device.type(), false);
}
#else
void switch_on(const at::Device& device, at::ScalarType type) {
  if (device.is_cpu()) {
    at::autocast::set_cpu_enabled(true);
    at::autocast::set_autocast_cpu_dtype(type);
  } else {
    at::autocast::set_enabled(true);
    at::autocast::set_autocast_gpu_dtype(type);
  }
}
void switch_off(const at::Device& device) {
  device.is_cpu() ? at::autocast::set_cpu_enabled(false) : at::autocast::set_enabled(false);
}
#endif

}  // namespace

Autocast::Autocast(const at::Device& device, std::optional<DType> type)
    : device_(device), on_(type.has_value()) {
  if (!on_) return;
  switch_on(device_, scalar_type(*type));
  at::autocast::increment_nesting();
}

Autocast::~Autocast() {
  if (!on_) return;
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  switch_off(device_);
}

}  // namespace rooflab::torch_worker
