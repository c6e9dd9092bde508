#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"

namespace rooflab::trace {

/// All launches of one kernel, or of one op's kernels, in the mean step.
struct StepKernel {
  std::string name = {};
  double calls = 0.0;
  double time_ns = 0.0;
};

/// Kinds of device work that a finding's advice can remove.
enum class LoneKind : std::uint8_t {
  short_kernel,
  conversion,
  cuda_core_product,
  recomputed,
  pageable_copy
};
constexpr auto names_in_order(For<LoneKind>) {
  return names_through<LoneKind::pageable_copy>("short kernel", "conversion",
                                                "product on CUDA cores", "computed again",
                                                "copy of pageable memory");
}
inline constexpr std::size_t lone_kinds = enum_names<LoneKind>.size();

/// The work of a step that could be saved; StepBreakdown has the roles of its intervals. Figures
/// are means over the counted steps, for all devices together. Times of kernels are sums:
/// concurrent ones count each. docs/methods/traces.md.
struct StepWork {
  std::size_t steps = 0;  ///< 0: a trace without steps; all other figures are 0
  double launches = 0.0;  ///< number of kernels
  double kernel_ns = 0.0;

  std::vector<StepKernel> kernels = {};             ///< longest first
  std::vector<StepKernel> conversions = {};         ///< kernels that only convert layouts
  std::vector<StepKernel> cuda_core_products = {};  ///< fp32 matrix work outside the tensor cores

  /// Kernels by launching op or `(optimizer)`; empty: unknown
  std::vector<StepKernel> operators = {};

  double short_launches = 0.0;  ///< kernels below `short_kernel_ns`
  double short_ns = 0.0;
  static constexpr double short_kernel_ns = 5000.0;

  double pageable_copies = 0.0;               ///< from pageable memory of the host to a device
  std::optional<double> pageable_bytes = {};  ///< nullopt: some copy has no size

  double recomputed_ns = 0.0;      ///< kernels of forward ops that the backward pass ran again
  std::string recomputed_op = {};  ///< the op of these that took longest

  /// Time in which a device does only work of one kind, by LoneKind: an upper bound of the saving.
  /// A kernel of several kinds counts as a conversion, else recomputed, else a product.
  std::array<double, lone_kinds> alone_ns{};
  [[nodiscard]] double alone(LoneKind kind) const {
    return alone_ns[static_cast<std::size_t>(kind)];
  }

  double optimizer_launches = 0.0;
  double optimizer_ns = 0.0;       ///< kernels that optimizers launched
  double optimizer_wait_ns = 0.0;  ///< the device is idle while the host is in the optimizer
};

/// Sum of the times.
[[nodiscard]] double total_ns(const std::vector<StepKernel>& kernels);

}  // namespace rooflab::trace
