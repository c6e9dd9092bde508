#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/quantity.hpp"

/// Time in which a host thread issues work: in a calibration, and in records for the machine that
/// ran the case.
namespace rooflab::record {

/// Cost of issuing one op of a class.
struct HostCost {
  double inference_s = 0.0;               ///< eval mode, autograd off
  std::optional<double> forward_s = {};   ///< autograd on
  std::optional<double> backward_s = {};  ///< wall time of its backward nodes

  bool operator==(const HostCost&) const = default;
};

/// Issue costs of one framework on one machine. They belong to its CPU, never to the GPU.
struct HostCosts {
  std::string issuer = {};   ///< `pytorch` (Python, eager) or `rooflab` (rooflab-torch)
  std::string version = {};  ///< version of the framework
  std::string cpu = {};
  /// Costs by op class: conv2d, batch_norm, layer_norm, linear, matmul, attention, unary, binary,
  /// softmax, cat, view, copy, cast, pool, reduce, dropout, attention_module (in evaluation). Costs
  /// of whole calls with all their launches: slice, pad, roll, index, einsum, shift_mask (Swin's
  /// mask, made and added); if missing, a wider class is used (graph/op_facts.hpp). `wrapped`: cost
  /// of an op on DTensors in addition to the plain ops inside.
  std::map<std::string, HostCost> ops = {};
  /// Costs of ops that change under autocast, without its casts, which are separate ops.
  std::map<std::string, HostCost> autocast = {};
  std::map<std::string, double> optimizer_fixed_s = {};       ///< keys: `sgd-momentum`, ...
  std::map<std::string, double> optimizer_per_tensor_s = {};  ///< keys: `sgd-momentum`, ...
  double loss_s = 0.0;  ///< loss and the start of its backward
  double step_s = 0.0;  ///< once per step: gradients reset, events, the loop itself
  /// Cost of calling a module that contains modules (Python's nn.Module). nullopt: not measured, or
  /// the issuer has no modules; then it is part of `ops`.
  std::optional<double> module_call_s = {};
  /// All costs are for equal ops in sequence on an undisturbed host. Jitter is the median cost of
  /// different ops in turn over that.
  double jitter = 1.0;

  bool operator==(const HostCosts&) const = default;
};

/// Slowness of this host relative to another one: the median ratio over all op costs that both
/// have. nullopt: they have none in common.
///
/// The slowness for one issuer also scales the costs of another issuer from there to here, because
/// both are work of one thread.
[[nodiscard]] std::optional<double> slowness(const HostCosts& here, const HostCosts& there);

/// Fills missing costs of `here` (an op that the framework refused, an optimizer) with those of
/// `there` times the slowness.
[[nodiscard]] HostCosts completed(HostCosts here, const HostCosts& there);

/// Returns costs as a program meets them: all costs times `jitter`, which does not change.
[[nodiscard]] HostCosts as_met(HostCosts costs);

/// Fields that `rooflab probe` and tools/pytorch_host.py write.
[[nodiscard]] std::span<const Field> fields_of(For<HostCost>);
[[nodiscard]] std::span<const Field> fields_of(For<HostCosts>);

}  // namespace rooflab::record
