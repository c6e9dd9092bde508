#pragma once

#include "convolution_workspace.hpp"

namespace rooflab::predict {

/// Purpose of an op's workspace in a library, derived from its size. The essay is at the head of
/// workspace_rule.cpp.
struct WorkspaceRule {
  bool explained = false;  ///< the parts below are valid; else the ratio is
  Copies copies = Copies::none;
  ChannelPadding padding = ChannelPadding::none;
  Transform transform = Transform::none;
  double rest = 0.0;   ///< bytes that do not depend on the op's size
  double ratio = 0.0;  ///< bytes over the bytes of operands and result
};

/// The rule that gives `bytes` for an op on a device with this number of multiprocessors.
[[nodiscard]] WorkspaceRule rule_of(const OpShape& shape, double bytes, double multiprocessors);

/// The workspace of an op by a rule, in bytes.
[[nodiscard]] double workspace_by(const WorkspaceRule& rule, const OpShape& shape);

}  // namespace rooflab::predict
