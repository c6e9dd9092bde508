// Without weight decay, dampening or Nesterov momentum. Source: PyTorch documentation,
// torch.optim.SGD and torch.optim.Adam (algorithm boxes; `foreach`).

#include "optimizer.hpp"

#include <c10/core/GradMode.h>
#include <torch/version.h>

#include <cmath>

#include "rooflab/base/text.hpp"

namespace rooflab::torch_worker {
namespace {

class ForeachOptimizer : public Optimizer {
 public:
  explicit ForeachOptimizer(std::vector<at::Tensor> parameters)
      : parameters_(std::move(parameters)) {}

  void step() final {
    const c10::NoGradGuard no_grad;
    // Which parameters have gradients does not change from step to step.
    if (trained_.empty()) {
      for (const at::Tensor& parameter : parameters_) {
        if (parameter.grad().defined()) trained_.push_back(parameter);
      }
    }
    std::vector<at::Tensor> gradients;
    gradients.reserve(trained_.size());
    for (const at::Tensor& parameter : trained_) gradients.push_back(parameter.grad());
    if (!trained_.empty()) update(trained_, gradients);
  }

 protected:
  using Tensors = std::vector<at::Tensor>;
  virtual void update(const Tensors& parameters, const Tensors& gradients) = 0;

  static Tensors zeros_like(const Tensors& tensors) {
    Tensors result;
    for (const at::Tensor& tensor : tensors) result.push_back(at::zeros_like(tensor));
    return result;
  }

 private:
  Tensors parameters_;
  Tensors trained_;
};

class Sgd : public ForeachOptimizer {
 public:
  Sgd(std::vector<at::Tensor> parameters, double momentum)
      : ForeachOptimizer(std::move(parameters)), momentum_(momentum) {}

 protected:
  void update(const Tensors& parameters, const Tensors& gradients) override {
    constexpr double learning_rate = 0.01;
    if (momentum_ == 0.0) {
      at::_foreach_add_(parameters, gradients, -learning_rate);
      return;
    }
    if (velocity_.empty()) {
      for (const at::Tensor& gradient : gradients) velocity_.push_back(gradient.clone());
    } else {
      at::_foreach_mul_(velocity_, momentum_);
      at::_foreach_add_(velocity_, gradients, 1.0);
    }
    at::_foreach_add_(parameters, velocity_, -learning_rate);
  }

 private:
  double momentum_;
  Tensors velocity_;
};

class Adam : public ForeachOptimizer {
 public:
  using ForeachOptimizer::ForeachOptimizer;

 protected:
  void update(const Tensors& parameters, const Tensors& gradients) override {
    constexpr double learning_rate = 1e-3;
    constexpr double beta1 = 0.9;
    constexpr double beta2 = 0.999;
    constexpr double epsilon = 1e-8;
    if (mean_.empty()) {
      mean_ = zeros_like(parameters);
      square_ = zeros_like(parameters);
    }
    ++steps_;
#if TORCH_VERSION_MAJOR >= 2
    at::_foreach_lerp_(mean_, gradients, 1.0 - beta1);
#else
    at::_foreach_mul_(mean_, beta1);
    at::_foreach_add_(mean_, gradients, 1.0 - beta1);
#endif
    at::_foreach_mul_(square_, beta2);
    at::_foreach_addcmul_(square_, gradients, gradients, 1.0 - beta2);
    Tensors root = at::_foreach_sqrt(square_);
    at::_foreach_div_(root, std::sqrt(1.0 - std::pow(beta2, steps_)));
    at::_foreach_add_(root, epsilon);
    at::_foreach_addcdiv_(parameters, mean_, root,
                          -learning_rate / (1.0 - std::pow(beta1, steps_)));
  }

 private:
  Tensors mean_;
  Tensors square_;
  int steps_ = 0;
};

}  // namespace

std::unique_ptr<Optimizer> make_optimizer(std::string_view name,
                                          std::vector<at::Tensor> parameters) {
  if (name == "sgd") return std::make_unique<Sgd>(std::move(parameters), 0.0);
  if (name == "sgd-momentum") return std::make_unique<Sgd>(std::move(parameters), 0.9);
  if (name == "adam") return std::make_unique<Adam>(std::move(parameters));
  throw Unsupported{format("the optimizer '{}'", name)};
}

}  // namespace rooflab::torch_worker
