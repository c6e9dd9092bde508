#pragma once

#include <optional>
#include <vector>

#include "finding_context.hpp"
#include "rooflab/study/finding.hpp"

namespace rooflab::study {

/// How far a printed figure is from what it was rounded from, as a part of it.
inline constexpr double most_rounding = 0.01;

/// One function a kind of finding, in a file of its own with the method at its head.
[[nodiscard]] std::vector<Finding> tensor_work_findings(const FindingContext& context);
[[nodiscard]] std::vector<Finding> counting_rule_findings(const FindingContext& context);
[[nodiscard]] std::vector<Finding> set_up_findings(const FindingContext& context);
[[nodiscard]] std::vector<Finding> wrong_roof_findings(const FindingContext& context);
[[nodiscard]] std::vector<Finding> allocated_memory_findings(const FindingContext& context);
[[nodiscard]] std::vector<Finding> cannot_fit_findings(const FindingContext& context);
[[nodiscard]] std::vector<Finding> slip_findings(const FindingContext& context);

/// A count of CUDA cores' FLOPs that lacks what tensor cores did.
struct TensorGap {
  double counted = 0.0;  ///< FLOP, as published
  double whole = 0.0;    ///< FLOP of the same work: by the peer's count, else by ours
  const PublishedCase* peer = nullptr;  ///< the same work on a device without such cores
  const OwnCase* own = nullptr;         ///< never null
  double own_flops = 0.0;
  double own_outside = 0.0;  ///< FLOP that our case has outside tensor cores
  bool same_window = false;  ///< the row states phase and batch, and they are our case's
  ArithmeticPath path = ArithmeticPath::tf32_tensor;  ///< that matrix work takes on the device
};
/// nullopt: the count shows no such gap, or nothing can be said of it.
[[nodiscard]] std::optional<TensorGap> tensor_gap_of(const FindingContext& context,
                                                     const PublishedCase& published);

/// Whether hardly anything of the published time can be a step of the network.
[[nodiscard]] bool is_mostly_set_up(const FindingContext& context, const PublishedCase& published);

}  // namespace rooflab::study
