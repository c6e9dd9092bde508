#pragma once

#include <functional>
#include <vector>

#include "tensors.hpp"

namespace rooflab::torch_worker {

/// Scales the loss of training under autocast to fp16, as PyTorch's GradScaler does with its
/// defaults: 65536 at first, halved after a step whose gradients overflowed, doubled after 2,000
/// steps without one. It runs PyTorch's kernels in the same order, so that a step has equal cost.
///
///     scaler.scale(loss).backward();
///     scaler.step(parameters, [&] { optimizer.step(); });
///     scaler.update();
class GradScaler {
 public:
  /// The loss times the scale, which is made on the loss's device at the first call.
  [[nodiscard]] at::Tensor scale(const at::Tensor& loss);

  /// Divides the gradients by the scale, in place, and waits for the device; runs the optimizer's
  /// step unless one of them is not finite. Must be called once per optimizer.
  void step(const std::vector<at::Tensor>& parameters, const std::function<void()>& optimizer);

  /// Adapts the scale to the results of step() since the last update.
  void update();

  /// Scale and growth tracker, for a checkpoint; empty before the first loss.
  [[nodiscard]] std::vector<at::Tensor> state() const;
  /// Continues from an earlier state(). Throws Unsupported for an invalid one.
  void set_state(const std::vector<at::Tensor>& state);

 private:
  at::Tensor scale_;
  at::Tensor growth_tracker_;
  std::vector<at::Tensor> found_inf_;  ///< per device and optimizer, since the last update
};

}  // namespace rooflab::torch_worker
