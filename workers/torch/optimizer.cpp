// Without dampening. Source: PyTorch documentation,
// torch.optim.SGD and torch.optim.Adam (algorithm boxes; `foreach`).

#include "optimizer.hpp"

#include <c10/core/GradMode.h>

#include <cmath>

#include "base/format.hpp"
#include "torch_version.hpp"

namespace rooflab::torch_worker {
namespace {

class ForeachOptimizer : public Optimizer {
 public:
  ForeachOptimizer(std::vector<at::Tensor> parameters, double learning_rate, double weight_decay)
      : parameters_(std::move(parameters)),
        learning_rate_(learning_rate),
        weight_decay_(weight_decay) {}

  void step() final {
    const c10::NoGradGuard no_grad;
    // Which parameters have gradients does not change from step to step.
    if (trained_.empty()) {
      for (const at::Tensor& parameter : parameters_) {
        if (parameter.grad().defined()) trained_.push_back(parameter);
      }
    }
    Tensors gradients;
    gradients.reserve(trained_.size());
    for (const at::Tensor& parameter : trained_) gradients.push_back(parameter.grad());
    if (trained_.empty()) return;
    if (weight_decay_ != 0.0) gradients = at::_foreach_add(gradients, trained_, weight_decay_);
    update(trained_, gradients);
  }

  void set_learning_rate(double rate) final { learning_rate_ = rate; }

 protected:
  using Tensors = std::vector<at::Tensor>;
  virtual void update(const Tensors& parameters, const Tensors& gradients) = 0;
  [[nodiscard]] double learning_rate() const { return learning_rate_; }

  static Tensors zeros_like(const Tensors& tensors) {
    Tensors result;
    for (const at::Tensor& tensor : tensors) result.push_back(at::zeros_like(tensor));
    return result;
  }

 private:
  Tensors parameters_;
  Tensors trained_;
  double learning_rate_;
  double weight_decay_;
};

class Sgd : public ForeachOptimizer {
 public:
  Sgd(std::vector<at::Tensor> parameters, double momentum, const OptimizerOptions& options)
      : ForeachOptimizer(std::move(parameters), options.learning_rate.value_or(0.01),
                         options.weight_decay),
        momentum_(momentum),
        nesterov_(options.nesterov) {}

  [[nodiscard]] Tensors state() const override { return velocity_; }
  void set_state(const Tensors& state) override { velocity_ = state; }

 protected:
  void update(const Tensors& parameters, const Tensors& gradients) override {
    if (momentum_ == 0.0) {
      at::_foreach_add_(parameters, gradients, -learning_rate());
      return;
    }
    if (velocity_.empty()) {
      for (const at::Tensor& gradient : gradients) velocity_.push_back(gradient.clone());
    } else {
      at::_foreach_mul_(velocity_, momentum_);
      at::_foreach_add_(velocity_, gradients, 1.0);
    }
    if (nesterov_) {
      at::_foreach_add_(parameters, at::_foreach_add(gradients, velocity_, momentum_),
                        -learning_rate());
    } else {
      at::_foreach_add_(parameters, velocity_, -learning_rate());
    }
  }

 private:
  double momentum_;
  bool nesterov_;
  Tensors velocity_;
};

class Adam : public ForeachOptimizer {
 public:
  Adam(std::vector<at::Tensor> parameters, const OptimizerOptions& options)
      : ForeachOptimizer(std::move(parameters), options.learning_rate.value_or(1e-3),
                         options.weight_decay) {}

  /// Means, squares, then the number of steps.
  [[nodiscard]] Tensors state() const override {
    Tensors all = mean_;
    all.insert(all.end(), square_.begin(), square_.end());
    if (steps_ > 0) all.push_back(at::scalar_tensor(steps_, at::kLong));
    return all;
  }
  void set_state(const Tensors& state) override {
    mean_.clear();
    square_.clear();
    steps_ = 0;
    if (state.empty()) return;
    if (state.size() % 2 == 0) throw Unsupported{"a state of Adam without its number of steps"};
    const auto half = static_cast<std::ptrdiff_t>(state.size() / 2);
    mean_.assign(state.begin(), state.begin() + half);
    square_.assign(state.begin() + half, state.end() - 1);
    steps_ = state.back().item<int>();
  }

 protected:
  void update(const Tensors& parameters, const Tensors& gradients) override {
    constexpr double beta1 = 0.9;
    constexpr double beta2 = 0.999;
    constexpr double epsilon = 1e-8;
    if (mean_.empty()) {
      mean_ = zeros_like(parameters);
      square_ = zeros_like(parameters);
    }
    ++steps_;
#if ROOFLAB_TORCH_AT_LEAST(2, 0)
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
                          -learning_rate() / (1.0 - std::pow(beta1, steps_)));
  }

 private:
  Tensors mean_;
  Tensors square_;
  int steps_ = 0;
};

}  // namespace

std::unique_ptr<Optimizer> make_optimizer(std::string_view name, std::vector<at::Tensor> parameters,
                                          const OptimizerOptions& options) {
  if (name == "none") return nullptr;
  if (name == "sgd") return std::make_unique<Sgd>(std::move(parameters), 0.0, options);
  if (name == "sgd-momentum") {
    return std::make_unique<Sgd>(std::move(parameters), options.momentum, options);
  }
  if (name == "adam") return std::make_unique<Adam>(std::move(parameters), options);
  throw Unsupported{format("the optimizer '{}'", name)};
}

}  // namespace rooflab::torch_worker
