// The optimizer step as PyTorch runs it by default on GPUs: multi-tensor ("foreach") kernels, each
// one pass over all parameters. Without weight decay, dampening or Nesterov momentum.
//
//   sgd            p += -lr * g                                        reads p, g; writes p
//   sgd-momentum   m *= momentum; m += g; p += -lr * m
//   adam           m = lerp(m, g); v *= b2; v += (1 - b2) g g; t = sqrt(v); t /= c; t += eps;
//                  p += -lr m / t
//   none           nothing: the step ends with the backward pass, and the gradients stay until the
//                  next step drops them. With loss scaling the loss is scaled, the gradients are
//                  not unscaled
//
// Source: PyTorch documentation, torch.optim.SGD and Adam (algorithm boxes; `foreach`).

#include "lowering.hpp"

namespace rooflab::schedule {
namespace {

using graph::ValueId;
using graph::ValueKind;

std::vector<TensorId> joined(std::initializer_list<const std::vector<TensorId>*> lists) {
  std::vector<TensorId> all;
  for (const std::vector<TensorId>* list : lists) all.insert(all.end(), list->begin(), list->end());
  return all;
}

std::vector<TensorId> new_like(Lowering& lowering, const std::vector<TensorId>& tensors,
                               Role role) {
  std::vector<TensorId> copies;
  for (const TensorId id : tensors) {
    const Tensor like = lowering.tensor(id);
    copies.push_back(lowering.new_tensor(like.type, like.strides, role));
  }
  return copies;
}

}  // namespace

void Lowering::lower_optimizer() {
  set_pass(Pass::optimizer);
  TrainedParameters trained;
  for (std::size_t i = 0; i < network().values.size(); ++i) {
    const auto id = static_cast<ValueId>(i);
    if (network().value(id).kind != ValueKind::parameter || gradient(id) == no_tensor) continue;
    trained.values.push_back(value(id));
    trained.gradients.push_back(gradient(id));
  }
  schedule_.parameter_gradients = trained.gradients;
  if (trained.values.empty() || schedule_.optimizer == Optimizer::none) return;
  if (!scales_loss(schedule_.precision)) return lower_optimizer_step(trained);
  const TensorId found_inf = unscale_gradients(trained.gradients);
  lower_optimizer_step(trained);
  update_loss_scale(found_inf);
}

void Lowering::lower_optimizer_step(const TrainedParameters& trained) {
  const auto step = [this](std::string_view name, std::int64_t flops,
                           const std::vector<TensorId>& reads,
                           const std::vector<TensorId>& writes) {
    emit(OptimizerWork{name, flops}, -1, reads, writes);
  };
  const std::vector<TensorId>& p = trained.values;
  const std::vector<TensorId>& g = trained.gradients;
  switch (schedule_.optimizer) {
    case Optimizer::sgd:
      step("p += -lr * g", 2, joined({&p, &g}), p);
      return;
    case Optimizer::sgd_momentum: {
      const std::vector<TensorId> m = new_like(*this, p, Role::optimizer_state);
      step("m *= momentum", 1, m, m);
      step("m += g", 1, joined({&m, &g}), m);
      step("p += -lr * m", 2, joined({&p, &m}), p);
      return;
    }
    case Optimizer::adam: {
      const std::vector<TensorId> m = new_like(*this, p, Role::optimizer_state);
      const std::vector<TensorId> v = new_like(*this, p, Role::optimizer_state);
      step("m = lerp(m, g)", 3, joined({&m, &g}), m);
      step("v *= b2", 1, v, v);
      step("v += (1 - b2) * g * g", 3, joined({&v, &g}), v);
      const std::vector<TensorId> t = new_like(*this, p, Role::gradient);
      step("t = sqrt(v)", 1, v, t);
      step("t /= c", 1, t, t);
      step("t += eps", 1, t, t);
      step("p += -lr * m / t", 3, joined({&p, &m, &t}), p);
      return;
    }
    case Optimizer::none:
      return;
  }
}

}  // namespace rooflab::schedule
