#pragma once

#include <optional>
#include <string_view>

namespace rooflab {

/// How the numbers of a run are stored and multiplied.
///
/// fp64, fp32: all data and arithmetic. tf32: fp32 data, TF32 matrix units. fp16, bf16: all data.
/// amp: autocast to bf16 (matrix ops in bf16, listed ops in fp32, parameters in fp32).
enum class Precision { fp64, fp32, tf32, fp16, bf16, amp };

[[nodiscard]] std::string_view name_of(Precision precision);
[[nodiscard]] std::optional<Precision> precision_from_name(std::string_view name);

/// What part of the work a case does.
///
/// inference: evaluation mode, no autograd. forward: training mode, autograd keeps what a backward
/// pass would need, no backward. training: forward, cross-entropy, backward, optimizer step.
enum class Phase { inference, forward, training };

[[nodiscard]] std::string_view name_of(Phase phase);
[[nodiscard]] std::optional<Phase> phase_from_name(std::string_view name);

}  // namespace rooflab
