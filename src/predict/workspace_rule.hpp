#pragma once

#include <cstdint>

#include "rooflab/predict/op_model.hpp"

namespace rooflab::predict {

/// What a library uses an op's workspace for, told from how large it is.
struct WorkspaceRule {
  enum class Use : std::uint8_t {
    none,
    copies,         ///< input, weight and output in another layout
    padded_copies,  ///< likewise, input channels padded to a multiple
    winograd_4x4,
    winograd_2x2,
    other,  ///< in proportion to the operands
  };
  Use use = Use::other;
  double ratio = 0.0;  ///< factor of `other`: bytes over the bytes of operands and result
};

/// The rule that gives `bytes` for an op, within 2 %.
[[nodiscard]] WorkspaceRule rule_of(const OpShape& shape, double bytes);

/// The workspace of an op by a rule.
[[nodiscard]] double workspace_by(const WorkspaceRule& rule, const OpShape& shape);

}  // namespace rooflab::predict
