// What workspaces of convolutions are made of, as sizes seen on an H200 show them:
//
//     copies         x + w + y in channels-last order, for a tensor-core kernel on NCHW tensors
//     padded copies  likewise with x padded to a multiple of 4 (4-byte types) or 8 channels
//     Winograd       F(4x4, 3x3): tiles of 6x6 for 4x4 results, 36/16 (x + y) + 36 Cin Cout;
//                    F(2x2, 3x3): tiles of 4x4 for 2x2 results, 4 (x + y) + 16 Cin Cout
//
// in elements of the type. Anything else (FFT convolutions, split sums) is taken in proportion to
// the operands and the result. Source of the tiles: Lavin and Gray, CVPR 2016, section 4.

#include "workspace_rule.hpp"

#include <cmath>
#include <initializer_list>

namespace rooflab::predict {
namespace {

using Use = WorkspaceRule::Use;

double bytes_of(Use use, const OpShape& shape) {
  const std::vector<double>& s = shape.sizes;
  const double element = element_bytes(shape.type);
  const double groups = s[4];
  const double x = s[0] * s[1] * s[6] * s[2] * groups;
  const double y = s[0] * s[1] * s[3] * groups;
  const double channels = s[2] * s[3] * groups;
  const double w = channels * s[5];
  switch (use) {
    case Use::copies:
      return element * (x + w + y);
    case Use::padded_copies: {
      const double multiple = element < 4.0 ? 8.0 : 4.0;
      const double padded = std::ceil(s[2] / multiple) * multiple / s[2];
      return element * (padded * (x + w) + y);
    }
    case Use::winograd_4x4:
      return element * (36.0 / 16.0 * (x + y) + 36.0 * channels);
    case Use::winograd_2x2:
      return element * (4.0 * (x + y) + 16.0 * channels);
    default:
      return 0.0;
  }
}

}  // namespace

WorkspaceRule rule_of(const OpShape& shape, double bytes) {
  constexpr double close = 0.02;
  if (bytes <= 0.0) return {Use::none, 0.0};
  if (shape.op.starts_with("conv")) {
    for (const Use use : {Use::copies, Use::padded_copies, Use::winograd_4x4, Use::winograd_2x2}) {
      if (std::abs(bytes / bytes_of(use, shape) - 1.0) < close) return {use, 0.0};
    }
  }
  return {Use::other, bytes / work_of(shape).bytes};
}

double workspace_by(const WorkspaceRule& rule, const OpShape& shape) {
  if (rule.use == Use::none) return 0.0;
  return rule.use == Use::other ? rule.ratio * work_of(shape).bytes : bytes_of(rule.use, shape);
}

}  // namespace rooflab::predict
