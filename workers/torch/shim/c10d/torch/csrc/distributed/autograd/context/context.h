// Stands for the header of that name, which c10d's reducer.hpp includes and Debian's libtorch-dev
// 1.13 leaves out; only its names are used here.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <memory>

namespace torch::distributed::autograd {

class DistAutogradContext {
 public:
  using GradCallback = std::function<bool(at::Tensor&)>;
};
using ContextPtr = std::shared_ptr<DistAutogradContext>;

}  // namespace torch::distributed::autograd
