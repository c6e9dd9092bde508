// Loss scaling in training under autocast to fp16, as PyTorch's GradScaler does it: the loss times
// a scale, so that gradients too small for fp16 survive the backward pass; the parameters'
// gradients divided by it before the optimizer, which is left out of a step whose gradients
// overflowed; then the scale halved after an overflow, or doubled after 2,000 steps without one.
//
//   loss            scaled = loss * scale; backward: its gradient = 1 * scale
//   optimizer       1 / scale by way of fp64 (a cast, a reciprocal, a cast), found_inf = 0, a copy
//                   of each for the gradients' device, all gradients *= 1 / scale with a check for
//                   numbers that are not finite (one multi-tensor pass in place: reads and writes
//                   every gradient once), found_inf read by the host, which waits for it; the
//                   optimizer's own passes; the update of scale and growth tracker
//
// The scale (fp32) and its growth tracker (int32) live from step to step, like the optimizer's
// state. Arithmetic: 1 FLOP for an element that is multiplied; that of the single numbers
// (reciprocal, update) is not counted. What a step costs that overflowed, and so runs no
// optimizer, is not modelled: after the first steps that is one step in 2,000 at most.
//
// A stage of a network that is cut gets gradients that are scaled already: it unscales its own, and
// the stage with the loss updates the scale.
//
// Source: torch/amp/grad_scaler.py (scale, _unscale_grads_, _maybe_opt_step, update); PyTorch
// documentation, "Automatic Mixed Precision package: Gradient Scaling".

#include "lowering.hpp"

namespace rooflab::schedule {
namespace {

const graph::TensorType number{DType::f32, {}};

}  // namespace

void Lowering::scale_loss(TensorId loss) {
  loss_scale_ = new_contiguous(number, Role::optimizer_state);
  growth_tracker_ = new_contiguous({DType::i32, {}}, Role::optimizer_state);
  const TensorId scaled = new_contiguous(number);
  emit(GradScalerWork{"loss * scale", 1}, -1, {loss, loss_scale_}, {scaled});
}

TensorId Lowering::scale_gradient_of_loss(TensorId one) {
  const TensorId gradient = new_contiguous(number, Role::gradient);
  emit(GradScalerWork{"loss gradient * scale", 1}, -1, {one, loss_scale_}, {gradient});
  return gradient;
}

TensorId Lowering::unscale_gradients(const std::vector<TensorId>& gradients) {
  if (loss_scale_ == no_tensor) loss_scale_ = new_contiguous(number, Role::optimizer_state);
  const auto small = [this](std::string_view step, std::vector<TensorId> reads, DType type) {
    const TensorId result = new_contiguous({type, {}}, Role::gradient);
    emit(GradScalerWork{step, 0}, -1, std::move(reads), {result});
    return result;
  };
  const TensorId wide = small("scale to fp64", {loss_scale_}, DType::f64);
  const TensorId reciprocal = small("1 / scale", {wide}, DType::f64);
  const TensorId inverse = small("1 / scale to fp32", {reciprocal}, DType::f32);
  const TensorId zero = small("found_inf = 0", {}, DType::f32);
  const TensorId found_inf = small("copy found_inf", {zero}, DType::f32);
  const TensorId factor = small("copy 1 / scale", {inverse}, DType::f32);
  std::vector<TensorId> reads = gradients;
  reads.push_back(factor);
  emit(GradScalerWork{"unscale", 1}, -1, std::move(reads), gradients);
  // Written only where something overflowed, which is rare: a read of the next op alone.
  emit(GradScalerWork{"read found_inf", 0, true}, -1, {found_inf}, {});
  return found_inf;
}

void Lowering::update_loss_scale(TensorId found_inf) {
  if (growth_tracker_ == no_tensor) return;
  emit(GradScalerWork{"update scale", 0}, -1, {loss_scale_, growth_tracker_, found_inf},
       {loss_scale_, growth_tracker_});
}

}  // namespace rooflab::schedule
