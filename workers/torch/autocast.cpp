// libtorch 2.4 replaced the functions of each device by ones that take the device.

#include "autocast.hpp"

#include <ATen/autocast_mode.h>
#include <torch/version.h>

namespace rooflab::torch_worker {
namespace {

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
void switch_autocast(const at::Device& device, bool on) {
  at::autocast::set_autocast_enabled(device.type(), on);
  if (on) at::autocast::set_autocast_dtype(device.type(), at::kBFloat16);
}
#else
void switch_autocast(const at::Device& device, bool on) {
  if (device.is_cpu()) {
    at::autocast::set_cpu_enabled(on);
    if (on) at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
  } else {
    at::autocast::set_enabled(on);
    if (on) at::autocast::set_autocast_gpu_dtype(at::kBFloat16);
  }
}
#endif

}  // namespace

Autocast::Autocast(const at::Device& device, bool on) : device_(device), on_(on) {
  if (!on_) return;
  switch_autocast(device_, true);
  at::autocast::increment_nesting();
}

Autocast::~Autocast() {
  if (!on_) return;
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  switch_autocast(device_, false);
}

}  // namespace rooflab::torch_worker
