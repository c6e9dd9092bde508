// Multi-tensor ops: passes of an optimizer over all parameters, clipping, loss scaling.
//
// A pass of an optimizer that calibrations know (SGD, Adam) is such a pass; any other multi-tensor
// op is an op that moves its bytes. FLOPs per element are those of the function; fused optimizers
// do all passes at once: Adam 13 (lerp 3, v 1 + 3, sqrt, division, epsilon 3, update 3) and 1 for
// decoupled decay, SGD with momentum 4, Adagrad 5. Source: PyTorch documentation, torch.optim
// (algorithm boxes), as in schedule/optimizer_step.cpp.

#include <algorithm>
#include <array>

#include "rules.hpp"

namespace rooflab::recording {
namespace {

struct MultiTensorOp {
  std::string_view name;
  std::int64_t flops;  ///< for each element
};

constexpr std::array multi_tensor_ops = {
    MultiTensorOp{"_foreach_add", 1},       MultiTensorOp{"_foreach_sub", 1},
    MultiTensorOp{"_foreach_mul", 1},       MultiTensorOp{"_foreach_div", 1},
    MultiTensorOp{"_foreach_addcmul", 3},   MultiTensorOp{"_foreach_addcdiv", 3},
    MultiTensorOp{"_foreach_lerp", 3},      MultiTensorOp{"_foreach_sqrt", 1},
    MultiTensorOp{"_foreach_rsqrt", 1},     MultiTensorOp{"_foreach_reciprocal", 1},
    MultiTensorOp{"_foreach_neg", 1},       MultiTensorOp{"_foreach_abs", 1},
    MultiTensorOp{"_foreach_sign", 1},      MultiTensorOp{"_foreach_pow", 1},
    MultiTensorOp{"_foreach_exp", 1},       MultiTensorOp{"_foreach_maximum", 1},
    MultiTensorOp{"_foreach_minimum", 1},   MultiTensorOp{"_foreach_clamp_max", 1},
    MultiTensorOp{"_foreach_clamp_min", 1}, MultiTensorOp{"_foreach_norm", 2},
    MultiTensorOp{"_foreach_max", 1},       MultiTensorOp{"_foreach_zero", 0},
    MultiTensorOp{"_foreach_copy", 0},      MultiTensorOp{"_fused_adam", 13},
    MultiTensorOp{"_fused_adamw", 14},      MultiTensorOp{"_fused_sgd", 4},
    MultiTensorOp{"_fused_adagrad", 5},
};

std::int64_t elements_of_all(Lowerer& l, const std::vector<STensor>& tensors) {
  std::int64_t sum = 0;
  for (const STensor id : tensors) sum = checked_add(sum, l.elements(id));
  return sum;
}

bool multi_tensor(const OpView& view) {
  Lowerer& l = view.lowerer();
  const auto row = std::ranges::find(multi_tensor_ops, view.name(), &MultiTensorOp::name);
  const std::vector<STensor> writes = view.written();
  const std::vector<STensor> reads = view.all_in();
  if (row == multi_tensor_ops.end() || writes.empty()) return false;
  const bool is_pass = view.place().part == Part::optimizer && row->name.starts_with("_foreach") &&
                       l.optimizer() != schedule::Optimizer::none;
  if (is_pass) {
    // p += -lr * g: a product and a sum.
    const bool scales = row->flops == 1 && view.number_or("alpha", 1.0) != 1.0;
    l.emit(schedule::OptimizerWork{row->name, row->flops + (scales ? 1 : 0), l.optimizer_group()},
           -1, Pass::optimizer, reads, writes);
    return true;
  }
  const std::vector<STensor> first = view.list(0);
  emit_known(
      view, row->name, flops_of_each(static_cast<double>(row->flops), elements_of_all(l, first)),
      row->name == "_foreach_norm" ? "sum" : "copy", graph::OpClass::optimizer, reads, writes);
  return true;
}

/// Gradients divided by the loss scale, and checked.
bool unscale(const OpView& view) {
  const std::vector<STensor> gradients = view.list(0);
  if (gradients.empty()) return false;
  view.lowerer().emit(schedule::GradScalerWork{"unscale", 1}, -1, Pass::optimizer, gradients,
                      gradients);
  return true;
}

bool update_scale(const OpView& view) {
  const std::vector<STensor> numbers = view.written();
  if (numbers.empty()) return false;
  view.lowerer().emit(schedule::GradScalerWork{"update scale", 0}, -1, Pass::optimizer, numbers,
                      numbers);
  return true;
}

template <std::size_t... places>
constexpr auto rows_of_multi_tensor_ops(std::index_sequence<places...>) {
  return std::array{NamedRule{multi_tensor_ops[places].name, multi_tensor}...,
                    NamedRule{"_amp_foreach_non_finite_check_and_unscale", unscale},
                    NamedRule{"_amp_update_scale", update_scale}};
}
constexpr auto optimizer_table =
    rows_of_multi_tensor_ops(std::make_index_sequence<multi_tensor_ops.size()>{});

}  // namespace

std::span<const NamedRule> optimizer_rules() { return optimizer_table; }

}  // namespace rooflab::recording
