#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/dtype.hpp"

namespace rooflab {

/// How the numbers of a run are stored and multiplied.
///
/// fp64, fp32: all data and arithmetic. tf32: fp32 data, TF32 matrix units. fp16, bf16: all data.
/// amp-bf16, amp-fp16: autocast to that type (matrix ops in it, listed ops in fp32, parameters in
/// fp32); training in amp-fp16 scales the loss. amp: autocast to bf16, and to fp16 on a device that
/// does not compute bf16 (autocast_on).
enum class Precision { fp64, fp32, tf32, fp16, bf16, amp, amp_fp16, amp_bf16 };

[[nodiscard]] std::string_view name_of(Precision precision);
[[nodiscard]] std::optional<Precision> precision_from_name(std::string_view name);
/// Every name, in the order of Precision.
[[nodiscard]] std::vector<std::string> precision_names();

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

[[nodiscard]] std::string_view name_of(Phase phase);
[[nodiscard]] std::optional<Phase> phase_from_name(std::string_view name);

}  // namespace rooflab
