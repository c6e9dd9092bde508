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

/// Which figures of a step are known although some of its ops have no rule.
struct Coverage {
  /// All extents of these ops are known, and they move less than 1 % of the step's bytes.
  bool memory = true;
  /// `memory`, and none of these ops does matrix work: its time does not follow from its bytes.
  bool time = true;
};
[[nodiscard]] Coverage coverage_of(const schedule::Schedule& schedule);

}  // namespace rooflab::cost
