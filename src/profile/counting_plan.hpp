#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metric_plan.hpp"

namespace rooflab::profile {

/// Input types that a step's tensor cores may work with, told from its kernels' names (mangled or
/// not) as cuBLAS, cuDNN, CUTLASS and PyTorch give them. A guess: it saves passes, and what it
/// misses the totals of the step find.
[[nodiscard]] std::vector<record::KernelFigure> likely_tensor_types(
    std::span<const std::string> kernel_names);

/// What is counted of a step, set after set.
///
///  1. Every kernel: CUDA-core instructions, bytes, and tensor operations of the likely types. It
///     takes longest to program, which is done before the first step is counted.
///  2. The whole step: bytes, tensor operations of all types.
///  3. Every kernel again, only if the step had work of a type that 1 did not ask for.
///  4. The whole step: what is counted in no configuration with others.
///
///     while (const auto set = plan.next()) plan.totals_are(set->list.metrics, count(*set));
class CountingPlan {
 public:
  /// Without `kernels` only 2 and 4. `exist` must outlive this.
  CountingPlan(std::string chip, const MetricsExist& exist, bool kernels,
               std::span<const std::string> kernel_names);

  struct Set {
    MetricList list;
    bool per_kernel = false;
  };
  [[nodiscard]] std::optional<Set> next();

  /// Values of a set over the whole step, one per metric.
  void totals_are(std::span<const std::string> metrics, std::span<const double> values);

 private:
  [[nodiscard]] Set kernels_with(std::span<const record::KernelFigure> types) const;

  enum class Stage : std::uint8_t { kernels, totals, rest, apart, done };

  std::string chip_;
  const MetricsExist& exist_;
  bool kernels_;
  Stage stage_;
  std::vector<record::KernelFigure> types_;   ///< that the kernels are asked for
  std::vector<record::KernelFigure> missed_;  ///< with work that they were not asked for
};

}  // namespace rooflab::profile
