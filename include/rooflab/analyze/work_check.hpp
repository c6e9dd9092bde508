#pragma once

#include <string>

#include "rooflab/base/described.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/record/kernel_sums.hpp"

namespace rooflab::analyze {

/// The FLOPs that counters recorded beside those of the network that ran: what a log missed.
///
/// The model counts direct algorithms. A library that pads channels or multiplies more (split
/// precision) exceeds it; Winograd and FFT convolutions stay below it. So a difference of a few
/// percent either way means nothing, and a missing tensor-core counter shows as most of the work.
struct WorkCheck {
  std::string network;              ///< `resnet18, batch 1, training`
  double model_matrix_flops = 0.0;  ///< the phase's
  double model_vector_flops = 0.0;
  double cuda_core_flops = 0.0;        ///< collected
  std::optional<double> tensor_flops;  ///< collected; nullopt: not collected
  double model_flops = 0.0;
  double collected_flops = 0.0;
  double missing_share = 0.0;  ///< 1 - collected / model; negative: more was done than counted

  /// More than this share missing is worth a failure where one is asked for.
  static constexpr double tolerance = 0.1;
  [[nodiscard]] bool passes() const { return missing_share <= tolerance; }
};
[[nodiscard]] std::span<const Field> fields_of(For<WorkCheck>);

/// `model`: FLOPs of the network in the phase that ran (no device needed). Throws Error (input) for
/// a network without FLOPs.
[[nodiscard]] WorkCheck check_work(const record::KernelSums& totals,
                                   const predict::NetworkLimit& model);

}  // namespace rooflab::analyze
