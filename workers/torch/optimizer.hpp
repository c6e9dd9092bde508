#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "tensors.hpp"

namespace rooflab::torch_worker {

/// Updates parameters from their gradients.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// Parameters without a gradient are left alone.
  virtual void step() = 0;
};

/// `sgd` (learning rate 0.01), `sgd-momentum` (0.01, momentum 0.9) or `adam` (0.001, 0.9, 0.999,
/// 1e-8), as PyTorch runs them by default on GPUs: multi-tensor kernels over all parameters (the
/// C++ API's optimisers launch kernels for every parameter apart, which a user of PyTorch never
/// waits for). Throws Unsupported for another name.
[[nodiscard]] std::unique_ptr<Optimizer> make_optimizer(std::string_view name,
                                                        std::vector<at::Tensor> parameters);

}  // namespace rooflab::torch_worker
