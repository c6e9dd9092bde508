#pragma once

#include <optional>

#include "rooflab/base/figure_key.hpp"
#include "rooflab/schedule/schedule.hpp"

/// FLOPs, MACs and bytes of scheduled ops. One file an op family; docs/methods/cost.md lists every
/// formula with its source.
namespace rooflab::cost {

/// What one scheduled op costs by the direct algorithm.
///
/// matrix_flops: 2 per MAC of convolution, linear, matmul, attention (causal attention in full) and
/// recurrent layers.
/// vector_flops: everything else; one addition, multiplication, comparison or elementary function
/// (exp, erf, sqrt, division, ...) is one FLOP.
/// Bytes are compulsory: every operand once, in its own type, expanded dimensions once.
struct Cost {
  Macs macs;         ///< MACs of the forward pass; 0 in every other pass
  Macs causal_macs;  ///< like macs, with only the visible half of causal attention
  Flops matrix_flops;
  Flops vector_flops;
  Bytes bytes_read;
  Bytes bytes_written;
  DType matrix_type = DType::f32;  ///< type of the matrix operands
  DType vector_type = DType::f32;  ///< type of the arithmetic: fp32 also for fp16 and bf16 data

  [[nodiscard]] Bytes bytes() const { return bytes_read + bytes_written; }
  [[nodiscard]] Flops flops() const { return matrix_flops + vector_flops; }
};

/// nullopt for an op without a rule (graph::Opaque): unknown, never zero.
[[nodiscard]] std::optional<Cost> cost_of(const schedule::Schedule& schedule,
                                          const schedule::ScheduledOp& op);

/// Ops of a schedule without a rule.
struct Uncounted {
  Bytes bytes;          ///< operands and results that are known
  bool bounded = true;  ///< no op among them may take any memory or do any work (Opaque::bounded)
};
[[nodiscard]] Uncounted uncounted_of(const schedule::Schedule& schedule);

/// Whether what is not counted is too little to change an answer: of known extents, and less than
/// 1 % of the bytes that all ops of the step move.
[[nodiscard]] bool is_counted(const schedule::Schedule& schedule);

}  // namespace rooflab::cost
