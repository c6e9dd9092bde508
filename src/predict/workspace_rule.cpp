// The workspace of a convolution is the sum of its parts: copies of its tensors in the layout of
// the kernel, what the algorithm transforms (convolution_workspace.cpp), and a rest. The rest is
// what multiprocessors hold of results that several of them sum: a tile each, whatever the size of
// the op. A tile is at most 256 x 128 FP32 sums, 128 KiB.
//
// The parts are those that come nearest to the bytes: copies and transform that give them to
// 0.1 %, or to which less than 1 % is missing; else the largest copies to which no more than the
// rest is missing. What no parts explain is in proportion to the operands and the result, and so is
// the workspace of every other op. Source of the rest: Osama et al., "Stream-K", PPoPP 2023
// (partial sums of a tile for each multiprocessor), and the rests that were seen on an H200.

#include "workspace_rule.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace rooflab::predict {
namespace {

constexpr double close = 1e-3;
constexpr double nearly = 1e-2;
constexpr double counters = 2048.0;  // bytes: alignment, counters
constexpr double tile_bytes = 256.0 * 128.0 * 4.0;

constexpr std::array all_copies = {Copies::none, Copies::images, Copies::operands, Copies::all};
constexpr std::array all_paddings = {ChannelPadding::none, ChannelPadding::vector,
                                     ChannelPadding::power_of_two};
constexpr std::array all_transforms = {Transform::none, Transform::winograd, Transform::fft,
                                       Transform::tiled_fft, Transform::image_sums};

std::optional<double> bytes_of_parts(const WorkspaceRule& rule, const OpShape& shape) {
  const std::optional<double> transformed = bytes_of_transform(shape, rule.transform);
  if (!transformed) return std::nullopt;
  return *transformed + bytes_of_copies(shape, rule.copies, rule.padding);
}

/// Every combination of parts that a convolution can have.
template <typename Function>
void for_each_rule(const OpShape& shape, const Function& function) {
  for (const Transform transform : all_transforms) {
    const std::optional<double> transformed = bytes_of_transform(shape, transform);
    if (!transformed) continue;
    for (const Copies copies : all_copies) {
      for (const ChannelPadding padding : all_paddings) {
        if (copies == Copies::none && padding != ChannelPadding::none) continue;
        if (padding == ChannelPadding::power_of_two && shape.sizes[4] == 1.0) continue;
        function(WorkspaceRule{true, copies, padding, transform, 0.0, 0.0},
                 *transformed + bytes_of_copies(shape, copies, padding));
      }
    }
  }
}

}  // namespace

WorkspaceRule rule_of(const OpShape& shape, double bytes, double multiprocessors) {
  WorkspaceRule result;
  if (bytes <= 0.0) return result;
  result.ratio = bytes / work_of(shape).bytes;
  if (!shape.op.starts_with("conv")) return result;
  const double ratio = result.ratio;
  double best = std::numeric_limits<double>::infinity();
  const auto take = [&](const WorkspaceRule& rule, double missing) {
    if (std::abs(missing) >= best) return;
    best = std::abs(missing);
    result = rule;
    result.ratio = ratio;
    result.rest = std::max(missing, 0.0);
  };
  for_each_rule(shape, [&](const WorkspaceRule& rule, double parts) {
    const double missing = bytes - parts;
    if (parts > 0.0 && missing >= -close * parts - counters && missing <= nearly * parts + counters)
      take(rule, missing);
  });
  if (result.explained) return result;
  for_each_rule(shape, [&](const WorkspaceRule& rule, double parts) {
    const double missing = bytes - parts;
    if (rule.transform == Transform::none && missing >= 0.0 &&
        missing <= multiprocessors * tile_bytes)
      take(rule, missing);
  });
  return result;
}

double workspace_by(const WorkspaceRule& rule, const OpShape& shape) {
  const std::optional<double> parts = rule.explained ? bytes_of_parts(rule, shape) : std::nullopt;
  return parts ? *parts + rule.rest : rule.ratio * work_of(shape).bytes;
}

}  // namespace rooflab::predict
