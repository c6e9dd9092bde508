#pragma once

#include <optional>

#include "rooflab/base/quantity.hpp"
#include "rooflab/schedule/schedule.hpp"

/// FLOPs, MACs and bytes of scheduled ops. One file per op family; docs/methods/cost.md lists every
/// formula with its source.
namespace rooflab::cost {

/// Cost of one scheduled op by the direct algorithm.
///
/// matrix_flops: 2 per MAC of convolution, linear, matmul, attention (causal attention in full) and
/// recurrent layers.
/// vector_flops: everything else; one addition, multiplication, comparison or elementary function
/// (exp, erf, sqrt, division, ...) is one FLOP.
/// Bytes are compulsory: every operand once, in its own type, expanded dimensions once.
struct Cost {
  Macs macs = {};         ///< MACs of the forward pass; 0 in every other pass
  Macs causal_macs = {};  ///< like macs, with only the visible half of causal attention
  Flops matrix_flops = {};
  Flops vector_flops = {};
  Bytes bytes_read = {};
  Bytes bytes_written = {};
  DType matrix_type = DType::f32;  ///< type of the matrix operands
  DType vector_type = DType::f32;  ///< type of the arithmetic: fp32 also for fp16 and bf16 data

  [[nodiscard]] Bytes bytes() const { return bytes_read + bytes_written; }
  [[nodiscard]] Flops flops() const { return matrix_flops + vector_flops; }
};

/// Cost of one scheduled op; nullopt for an op without a rule (graph::Opaque): unknown, never zero.
[[nodiscard]] std::optional<Cost> cost_of(const schedule::Schedule& schedule,
                                          const schedule::ScheduledOp& op);

/// Figures of a step that are known although some of its ops have no rule.
struct Coverage {
  /// The memory of the step is known: all extents of the ops without a rule are known, and these
  /// ops move less than 1 % of the step's bytes.
  bool memory = true;
  /// The time of the step is known: `memory`, and no op without a rule does matrix work, whose time
  /// does not follow from its bytes.
  bool time = true;
};
[[nodiscard]] Coverage coverage_of(const schedule::Schedule& schedule);

}  // namespace rooflab::cost
