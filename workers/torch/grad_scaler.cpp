// Source: torch/amp/grad_scaler.py (scale, unscale_, _unscale_grads_, _maybe_opt_step, update).

#include "grad_scaler.hpp"

#include <c10/core/DeviceGuard.h>
#include <c10/core/GradMode.h>

#include <map>
#include <utility>

namespace rooflab::torch_worker {
namespace {

constexpr double first_scale = 65536.0;
constexpr double growth_factor = 2.0;
constexpr double backoff_factor = 0.5;
constexpr std::int64_t growth_interval = 2000;

at::Tensor on_device(const at::Tensor& tensor, const at::Device& device) {
  return tensor.to(device, tensor.scalar_type(), /*non_blocking=*/true, /*copy=*/true);
}

}  // namespace

at::Tensor GradScaler::scale(const at::Tensor& loss) {
  if (!scale_.defined()) {
    const at::TensorOptions options = at::TensorOptions().device(loss.device());
    scale_ = at::full({}, first_scale, options.dtype(at::kFloat));
    growth_tracker_ = at::full({}, 0, options.dtype(at::kInt));
  }
  return loss * scale_;
}

void GradScaler::step(const std::vector<at::Tensor>& parameters,
                      const std::function<void()>& optimizer) {
  const c10::NoGradGuard no_grad;
  // By way of fp64: some compilers' division in fp32 is not exact.
  const at::Tensor inverse = scale_.to(at::kDouble).reciprocal().to(at::kFloat);
  const at::Tensor none_found = at::full({}, 0.0, scale_.options());
  // The kernel takes gradients of one device and one type.
  std::map<std::pair<std::string, at::ScalarType>, std::vector<at::Tensor>> groups;
  for (const at::Tensor& parameter : parameters) {
    const at::Tensor& gradient = parameter.grad();
    if (!gradient.defined()) continue;
    groups[{gradient.device().str(), gradient.scalar_type()}].push_back(gradient);
  }
  std::vector<at::Tensor> found;
  for (const auto& [place, gradients] : groups) {
    const at::Device device = gradients.front().device();
    const c10::OptionalDeviceGuard guard(device);
    found.push_back(on_device(none_found, device));
    at::_amp_foreach_non_finite_check_and_unscale_(gradients, found.back(),
                                                   on_device(inverse, device));
  }
  bool overflowed = false;
  for (const at::Tensor& each : found) overflowed = each.item<float>() != 0.0F || overflowed;
  if (!overflowed) optimizer();
  found_inf_.insert(found_inf_.end(), found.begin(), found.end());
}

void GradScaler::update() {
  const c10::NoGradGuard no_grad;
  if (found_inf_.empty()) return;
  const c10::OptionalDeviceGuard guard(scale_.device());
  at::Tensor all = found_inf_.front().to(scale_.device());
  for (std::size_t i = 1; i < found_inf_.size(); ++i) all += found_inf_[i].to(scale_.device());
  at::_amp_update_scale_(scale_, growth_tracker_, all, growth_factor, backoff_factor,
                         growth_interval);
  found_inf_.clear();
}

std::vector<at::Tensor> GradScaler::state() const {
  return scale_.defined() ? std::vector{scale_, growth_tracker_} : std::vector<at::Tensor>{};
}

void GradScaler::set_state(const std::vector<at::Tensor>& state) {
  if (state.empty()) return;
  const bool fits = state.size() == 2 && state[0].scalar_type() == at::kFloat &&
                    state[0].numel() == 1 && state[1].scalar_type() == at::kInt &&
                    state[1].numel() == 1;
  if (!fits) throw Unsupported{"a state of loss scaling without scale and growth tracker"};
  scale_ = state[0].clone();
  growth_tracker_ = state[1].clone();
}

}  // namespace rooflab::torch_worker
