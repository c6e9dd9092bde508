// Families of convolutions off the usual path: other sides, channels that are not multiples of 8,
// channels last, wide groups; over sequences, volumes, and transposed ones.

#include <algorithm>
#include <utility>

#include "grid.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::probe {

using graph::GraphBuilder;
using graph::ValueId;

namespace {

/// Channels that networks have at a side: 64 at 56 pixels, doubled as the side halves, times a
/// factor; a multiple of 8.
std::int64_t channels_at(std::int64_t side, Draw& d) {
  const double typical = 64.0 * 56.0 / static_cast<double>(std::clamp<std::int64_t>(side, 7, 112));
  const auto channels =
      static_cast<std::int64_t>(typical * d.of<double>({0.25, 0.5, 0.75, 1.0, 1.0, 1.5, 2.0, 4.0}));
  return std::max<std::int64_t>(8, channels / 8 * 8);
}

}  // namespace

void Grid::other_side_convolution(Draw& d) {
  const auto image = d.of<std::int64_t>({160, 176, 192, 208, 240, 256, 288, 320, 384});
  const auto halvings = d.of<int>({1, 2, 2, 3, 3, 4, 4, 5, 5});
  std::int64_t side = image;
  for (int i = 0; i < halvings; ++i) side = (side + 1) / 2;
  const std::int64_t channels = channels_at(side, d);
  Convolution c{any_batch(d), channels, channels, side};
  const double kind = d.uniform();
  if (kind < 0.5) {
    c.kernel_h = c.kernel_w = 3;
    if (kind > 0.4) c.stride = 2;
  } else {
    c.out = d.of<std::int64_t>({channels, 4 * channels, 2 * channels, channels / 2});
    c.out = std::max<std::int64_t>(8, c.out / 8 * 8);
    if (d.uniform() < 0.3) std::swap(c.in, c.out);
  }
  convolution_in_all_types(c, false);
  if (index_ % 3 == 0) convolution_in_all_types(c, true);
}

void Grid::unaligned_convolution(Draw& d) {
  const auto side = d.of<std::int64_t>({7, 14, 14, 28, 28, 56, 112});
  const auto channels = d.of<std::int64_t>(
      {12, 18, 20, 30, 36, 44, 58, 60, 84, 90, 100, 116, 174, 180, 200, 232, 300, 348, 464, 488});
  Convolution c{any_batch(d), channels, channels, side};
  if (d.uniform() < 0.4) c.kernel_h = c.kernel_w = 3;
  const double other = d.uniform();
  if (other < 0.4) c.out = d.of<std::int64_t>({12, 18, 21, 27, 58, 75, 91, 116, 255, 365});
  if (other > 0.7) c.out = std::max<std::int64_t>(8, channels / 8 * 8);
  if (d.uniform() < 0.3) std::swap(c.in, c.out);
  convolution_in_all_types(c, index_ % 3 == 0);
}

void Grid::channels_last_convolution(Draw& d) {
  const Image at = image(d);
  Convolution c{batch(d), at.channels, at.channels, at.side};
  const double kind = d.uniform();
  if (kind < 0.45) {
    c.kernel_h = c.kernel_w = 3;
    if (kind > 0.37) c.stride = 2;
  } else {
    if (kind > 0.95) c.stride = 2;
    c.out = d.of<std::int64_t>({at.channels, 4 * at.channels, at.channels / 4, 2 * at.channels});
    c.out = std::max<std::int64_t>(8, c.out / 8 * 8);
  }
  convolution_in_all_types(c, true);
}

void Grid::wide_group_convolution(Draw& d) {
  const auto side = d.of<std::int64_t>({7, 14, 14, 28, 28, 56, 112});
  const auto width =
      d.of<std::int64_t>({8, 16, 24, 24, 40, 48, 56, 64, 80, 104, 112, 120, 168, 232, 264});
  Convolution c{any_batch(d), 0, 0, side};
  const double most = 4096.0 / std::max(1.0, static_cast<double>(side) / 14.0);
  c.groups = d.between(2.0, std::max(2.0, most / static_cast<double>(width)));
  c.in = c.out = width * c.groups;
  c.kernel_h = c.kernel_w = 3;
  c.stride = d.of<std::int64_t>({1, 1, 1, 2});
  convolution_in_all_types(c, false);
  if (index_ % 2 == 0) convolution_in_all_types(c, true);
}

void Grid::square_convolution(Draw&) {
  constexpr std::int64_t batches[] = {32, 16, 64, 4, 2, 8};
  const std::int64_t side = common_sides[index_ % 6];
  const std::int64_t n = std::min<std::int64_t>(batches[index_ / 6 % 6], options_.image_batch);
  const std::int64_t channels = std::clamp<std::int64_t>(std::int64_t{64} * 224 / side, 64, 512);
  // As wide as VGG's, half and a quarter of it.
  const std::int64_t out = channels >> (index_ / 36);
  for (const std::int64_t in : {out, out / 2}) {
    Convolution c{n, in, out, side};
    c.kernel_h = c.kernel_w = 3;
    convolution_in_all_types(c, false);
  }
}

void Grid::volume_convolution(Volume v, bool channels_last) {
  double pixels = 1.0;
  double kernel = 1.0;
  double stride = 1.0;
  for (std::size_t i = 0; i < v.sides.size(); ++i) {
    if (!v.op.transposed) v.op.padding_begin.push_back(v.op.kernel[i] / 2);
    if (v.op.transposed) v.op.padding_begin.push_back((v.op.kernel[i] - v.op.stride[i]) / 2);
    v.op.dilation.push_back(1);
    pixels *= static_cast<double>(v.sides[i]);
    kernel *= static_cast<double>(v.op.kernel[i]);
    stride *= static_cast<double>(v.op.stride[i]);
  }
  v.op.padding_end = v.op.padding_begin;
  const double n = static_cast<double>(v.n);
  const double flops = 2.0 * n * pixels * static_cast<double>(v.in * v.out) * kernel /
                       (v.op.transposed ? 1.0 : stride) / static_cast<double>(v.op.groups);
  if (too_large(n * pixels * static_cast<double>(v.in)) ||
      too_large(n * pixels * static_cast<double>(v.out) * (v.op.transposed ? stride : 1.0))) {
    return;
  }
  for (const Type& type : matrix_types()) {
    const bool plain = type.dtype == DType::f32 && type.precision == Precision::fp32;
    if (flops / (options_.flops_per_s * (plain ? 1.0 : 6.0)) > 0.015) continue;
    GraphBuilder b("op");
    std::vector<std::int64_t> extents = {v.n, v.in};
    extents.insert(extents.end(), v.sides.begin(), v.sides.end());
    std::vector<std::int64_t> weight = {v.out, v.in / v.op.groups};
    if (v.op.transposed) std::swap(weight[0], weight[1]);
    weight.insert(weight.end(), v.op.kernel.begin(), v.op.kernel.end());
    const ValueId x = b.parameter("x", graph::Shape(extents), type.dtype);
    const ValueId w = b.parameter("w", graph::Shape(weight), type.dtype);
    const ValueId y = b.add(v.op, {x, w}, "op");
    add(std::move(b), y, type.precision, channels_last, true);
  }
}

void Grid::transposed_convolution(Draw& d) {
  const auto side = d.of<std::int64_t>({4, 7, 8, 14, 16, 28, 32, 56, 64});
  const std::int64_t in = channels_at(2 * side, d);
  Volume v{any_batch(d, 7.0),
           in,
           std::max<std::int64_t>(8, in / d.of<std::int64_t>({1, 2, 2})),
           {side, side},
           {}};
  const auto kernel = d.of<std::int64_t>({2, 4, 4});
  v.op.kernel = {kernel, kernel};
  v.op.stride = {2, 2};
  v.op.transposed = true;
  volume_convolution(std::move(v), index_ % 3 == 0);
}

void Grid::sequence_convolution(Draw& d) {
  const std::int64_t length = d.between(64.0, 16000.0, 8);
  const std::int64_t in = d.of<std::int64_t>({1, 64, 128, 256, 512, 512, 768});
  Volume v{
      any_batch(d, 6.0), in, in == 1 ? 512 : d.of<std::int64_t>({in, in, 2 * in}), {length}, {}};
  v.op.kernel = {d.of<std::int64_t>({1, 2, 3, 3, 5, 10})};
  v.op.stride = {std::min(v.op.kernel[0], d.of<std::int64_t>({1, 1, 2, 5}))};
  volume_convolution(std::move(v), false);
}

void Grid::video_convolution(Draw& d) {
  const auto side = d.of<std::int64_t>({7, 14, 28, 56, 112});
  const auto frames = d.of<std::int64_t>({4, 8, 8, 16});
  const std::int64_t in = side == 112 ? d.of<std::int64_t>({3, 32, 64}) : channels_at(side, d);
  Volume v{any_batch(d, 4.0),
           in,
           in == 3 ? 64 : d.of<std::int64_t>({in, in, 2 * in}),
           {frames, side, side},
           {}};
  const double kind = d.uniform();
  v.op.kernel = kind < 0.5    ? std::vector<std::int64_t>{3, 3, 3}
                : kind < 0.75 ? std::vector<std::int64_t>{1, 3, 3}
                              : std::vector<std::int64_t>{3, 1, 1};
  const auto stride = d.of<std::int64_t>({1, 1, 1, 2});
  v.op.stride = {1, stride, stride};
  volume_convolution(std::move(v), false);
}

}  // namespace rooflab::probe
