#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/figure_key.hpp"

/// What issuing work costs a thread of the host: in a calibration, and in a record of the machine
/// that a case ran on.
namespace rooflab::record {

/// What one op class costs the thread that issues it.
struct HostCost {
  double inference_s = 0.0;          ///< eval mode, nothing recorded
  std::optional<double> forward_s;   ///< autograd records
  std::optional<double> backward_s;  ///< wall time of its backward nodes

  bool operator==(const HostCost&) const = default;
};

/// Issue costs of one framework on one machine. They belong to its CPU, never to the GPU.
struct HostCosts {
  std::string issuer;   ///< `pytorch` (Python, eager) or `rooflab` (rooflab-torch)
  std::string version;  ///< version of the framework
  std::string cpu;
  /// Costs by op class: conv2d, batch_norm, layer_norm, linear, matmul, attention, unary, binary,
  /// softmax, cat, view, copy, cast, pool, reduce, dropout, attention_module (of evaluation). Of
  /// whole calls, with all that they launch: slice, pad, roll, index, einsum, shift_mask (Swin's
  /// mask, made and added); where they are missing a wider class counts (graph/op_facts.hpp).
  /// `wrapped`: what an op of DTensors costs beside the plain ones that it is taken apart into.
  std::map<std::string, HostCost> ops;
  /// The ops that autocast makes more or less costly, without its casts: those are ops of their
  /// own.
  std::map<std::string, HostCost> autocast;
  std::map<std::string, double> optimizer_fixed_s;       ///< keys: `sgd-momentum`, ...
  std::map<std::string, double> optimizer_per_tensor_s;  ///< keys: `sgd-momentum`, ...
  double loss_s = 0.0;                                   ///< loss and the start of its backward
  double step_s = 0.0;  ///< once a step: gradients reset, events, the loop itself
  /// A call of a module that has modules inside (nn.Module: Python's). nullopt: it was not
  /// measured, or the issuer has no modules; then `ops` hold what is known of it.
  std::optional<double> module_call_s;
  /// All costs are those of equal ops in a row on an undisturbed host. What different ops in turn
  /// met (the median), over that.
  double jitter = 1.0;

  bool operator==(const HostCosts&) const = default;
};

/// How many times as long as on another host ops take to issue here: the median of the ratios of
/// all costs of an op that both have. nullopt: they have none in common.
///
/// Where it is of one issuer, it carries the costs of another issuer from there to here: both are
/// work of the same thread.
[[nodiscard]] std::optional<double> slowness(const HostCosts& here, const HostCosts& there);

/// The costs here; what they lack (an op that the framework refused, an optimizer) as there, times
/// the slowness.
[[nodiscard]] HostCosts completed(HostCosts here, const HostCosts& there);

/// What a program met that ran beside the measurement: all costs times `jitter`, which stays what
/// it was.
[[nodiscard]] HostCosts as_met(HostCosts costs);

/// `rooflab probe` and tools/pytorch_host.py write them.
[[nodiscard]] std::span<const Field> fields_of(For<HostCost>);
[[nodiscard]] std::span<const Field> fields_of(For<HostCosts>);

}  // namespace rooflab::record
