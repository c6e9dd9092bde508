#pragma once

#include <optional>

#include "rooflab/base/dtype.hpp"
#include "rooflab/base/enum_names.hpp"

namespace rooflab {

/// How the numbers of a run are stored and multiplied.
///
/// fp64, fp32: all data and arithmetic. tf32: fp32 data, TF32 matrix units. fp16, bf16: all data.
/// amp-bf16, amp-fp16: autocast to that type (matrix ops in it, listed ops in fp32, parameters in
/// fp32); training in amp-fp16 scales the loss. amp: autocast to bf16, and to fp16 on a device that
/// does not compute bf16 (autocast_on).
enum class Precision { fp64, fp32, tf32, fp16, bf16, amp, amp_fp16, amp_bf16 };
constexpr auto names_in_order(For<Precision>) {
  return names_through<Precision::amp_bf16>("fp64", "fp32", "tf32", "fp16", "bf16", "amp",
                                            "amp-fp16", "amp-bf16");
}

/// The 16-bit type that autocast computes in; nullopt without autocast.
[[nodiscard]] std::optional<DType> autocast_type(Precision precision);

/// Training scales the loss, as PyTorch's GradScaler does, so that small gradients survive in fp16.
/// bf16 has the range of fp32 and needs no scale.
[[nodiscard]] bool scales_loss(Precision precision);

/// The precision in which a device computes a requested one: `amp` becomes amp_fp16 if the device
/// does not compute bf16; everything else stays as it is.
[[nodiscard]] Precision autocast_on(bool computes_bf16, Precision asked);

/// NVIDIA's GPUs compute bf16 from this compute capability on (Ampere). Source: NVIDIA, "CUDA C++
/// Programming Guide", table of arithmetic by compute capability; torch.cuda.is_bf16_supported()
/// asks for the same.
inline constexpr double least_bf16_capability = 8.0;

/// The part of the work that a case does.
///
/// inference: evaluation mode, no autograd. forward: training mode, autograd keeps what a backward
/// pass would need, no backward. training: forward, cross-entropy, backward, optimizer step.
enum class Phase { inference, forward, training };
constexpr auto names_in_order(For<Phase>) {
  return names_through<Phase::training>("inference", "forward", "training");
}

}  // namespace rooflab
