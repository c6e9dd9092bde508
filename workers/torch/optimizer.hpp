#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "tensors.hpp"

namespace rooflab::torch_worker {

/// Updates parameters from their gradients.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// Runs a step. Parameters without a gradient are not changed.
  virtual void step() = 0;
  virtual void set_learning_rate(double rate) = 0;
  /// State between steps, for a checkpoint; empty before the first step.
  [[nodiscard]] virtual std::vector<at::Tensor> state() const = 0;
  /// Continues from an earlier state(). Throws Unsupported when it does not fit.
  virtual void set_state(const std::vector<at::Tensor>& state) = 0;
};

/// Options of PyTorch's optimizers.
struct OptimizerOptions {
  std::optional<double> learning_rate = {};  ///< nullopt: the optimizer's default
  double momentum = 0.9;                     ///< momentum of sgd-momentum
  double weight_decay = 0.0;
  bool nesterov = false;
};

/// Makes `sgd` (learning rate 0.01), `sgd-momentum` (0.01, momentum 0.9) or `adam` (0.001, 0.9,
/// 0.999, 1e-8), as PyTorch runs them by default on GPUs: with multi-tensor kernels over all
/// parameters, not with kernels per parameter as the C++ API's optimisers do. nullptr for `none`: a
/// step ends with its backward pass. Throws Unsupported for another name.
[[nodiscard]] std::unique_ptr<Optimizer> make_optimizer(std::string_view name,
                                                        std::vector<at::Tensor> parameters,
                                                        const OptimizerOptions& options = {});

}  // namespace rooflab::torch_worker
