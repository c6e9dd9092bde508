// Families of convolutions.

#include <algorithm>

#include "grid.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::probe {

using graph::GraphBuilder;
using graph::ValueId;

void Grid::convolution(const Convolution& c, const Type& type, bool channels_last) {
  graph::Conv op;
  op.kernel = {c.kernel_h, c.kernel_w};
  op.stride = {c.stride, c.stride};
  op.dilation = {1, 1};
  op.groups = c.groups;
  op.padding_begin = {c.padding < 0 ? c.kernel_h / 2 : c.padding,
                      c.padding < 0 ? c.kernel_w / 2 : c.padding};
  op.padding_end = op.padding_begin;
  const double pixels = static_cast<double>(c.side * c.side);
  const double n = static_cast<double>(c.n);
  const double stride = static_cast<double>(c.stride * c.stride);
  const double flops = 2.0 * n * pixels / stride * static_cast<double>(c.in) /
                       static_cast<double>(c.groups) *
                       static_cast<double>(c.out * c.kernel_h * c.kernel_w);
  const double speed = options_.flops_per_s *
                       (type.dtype == DType::f32 && type.precision == Precision::fp32 ? 1.0 : 6.0);
  if (flops / speed > 0.015) return;
  if (too_large(n * pixels * static_cast<double>(c.in)) ||
      too_large(n * pixels / stride * static_cast<double>(c.out))) {
    return;
  }
  GraphBuilder b("op");
  const ValueId x = b.parameter("x", {c.n, c.in, c.side, c.side}, type.dtype);
  const ValueId w = b.parameter("w", {c.out, c.in / c.groups, c.kernel_h, c.kernel_w}, type.dtype);
  const ValueId y = b.add(std::move(op), {x, w}, "op");
  add(std::move(b), y, type.precision, channels_last, true);
}

void Grid::convolution_in_all_types(const Convolution& c, bool channels_last) {
  for (const Type& type : matrix_types()) convolution(c, type, channels_last);
}

void Grid::dense_convolution(Draw& d) {
  const Image at = image(d);
  Convolution c{batch(d), at.channels, at.channels, at.side};
  const double kind = d.uniform();
  const auto scaled = [&](std::initializer_list<double> factors) {
    const auto out = static_cast<std::int64_t>(static_cast<double>(c.in) * d.of(factors));
    c.out = std::max<std::int64_t>(8, out / 8 * 8);
  };
  if (kind < 0.42) {
    c.kernel_h = c.kernel_w = 3;
    scaled({1.0, 1.0, 1.0, 2.0, 1.5, 0.25, 0.5});
  } else if (kind < 0.78) {
    scaled({1.0, 0.25, 4.0, 0.5, 2.0, 6.0, 1.0 / 6.0, 0.375});
  } else if (kind < 0.86) {
    c.kernel_h = c.kernel_w = 3;
    c.stride = 2;
    scaled({1.0, 2.0, 1.5});
  } else if (kind < 0.91) {
    c.stride = 2;
    scaled({2.0, 1.0, 4.0});
  } else if (kind < 0.94) {
    c.kernel_h = c.kernel_w = 5;
    scaled({1.0, 2.0, 3.0, 0.5});
  } else if (kind < 0.97) {
    c.kernel_h = d.of<std::int64_t>({1, 3, 1, 7});
    c.kernel_w = c.kernel_h == 1 ? d.of<std::int64_t>({3, 7}) : 1;
  } else if (kind < 0.985) {
    c.kernel_h = c.kernel_w = c.stride = 2;
    c.padding = 0;
    c.side = std::max<std::int64_t>(c.side / 2 * 2, 2);
    scaled({2.0});
  } else {  // squeeze and excitation: one pixel
    c.side = 1;
    scaled({0.25, 1.0 / 16.0, 4.0, 16.0});
  }
  convolution_in_all_types(c, false);
  if (index_ % 5 == 0) {
    for (const Type& type : matrix_types()) {
      // FP32 without tensor cores gains nothing in this layout: it is rare.
      const bool plain = type.dtype == DType::f32 && type.precision == Precision::fp32;
      if (!plain || index_ % 10 == 0) convolution(c, type, true);
    }
  }
}

void Grid::lattice_at(std::int64_t n, std::int64_t side, bool channels_last) {
  n = std::min<std::int64_t>(n, options_.image_batch);
  const std::int64_t channels = 64 * std::clamp<std::int64_t>(56 / side, 1, 8);
  struct Channels {
    std::int64_t in, out, kernel;
  };
  const std::int64_t half = std::max<std::int64_t>(channels / 2, 64);
  for (const Channels& shape :
       {Channels{channels, channels, 3}, Channels{half, channels, 3},
        Channels{2 * channels, 2 * channels, 3}, Channels{channels, 4 * channels, 1},
        Channels{4 * channels, channels, 1}}) {
    Convolution c{n, shape.in, shape.out, side};
    c.kernel_h = c.kernel_w = shape.kernel;
    convolution_in_all_types(c, channels_last);
  }
}

void Grid::lattice_convolution(Draw&) {
  constexpr std::int64_t batches[] = {32, 1, 128, 256, 8};
  lattice_at(batches[index_ / 6 % 5], common_sides[index_ % 6], false);
}

void Grid::channels_last_lattice_convolution(Draw&) {
  constexpr std::int64_t batches[] = {32, 128, 4};
  lattice_at(batches[index_ / 6 % 3], common_sides[index_ % 6], true);
}

void Grid::other_side_lattice_convolution(Draw&) {
  constexpr std::int64_t sides[] = {12, 24, 48, 10, 20, 40, 11, 22, 44, 18, 36, 72, 9, 96, 88};
  constexpr std::int64_t batches[] = {32, 128, 4};
  lattice_at(batches[(index_ + index_ / 15) % 3], sides[index_ % 15], false);
}

void Grid::stem(Draw& d) {
  struct Kernel {
    std::int64_t size, stride, padding;
  };
  const auto kernel = d.of<Kernel>({{7, 2, 3},
                                    {3, 2, 1},
                                    {11, 4, 2},
                                    {3, 1, 1},
                                    {4, 4, 0},
                                    {16, 16, 0},
                                    {14, 14, 0},
                                    {32, 32, 0}});
  Convolution c{batch(d), 3, d.of<std::int64_t>({16, 32, 64, 64, 96}), 224};
  if (kernel.size >= 14) c.out = d.of<std::int64_t>({384, 768, 1024});
  if (d.uniform() < 0.2) c.side = 299;
  c.kernel_h = c.kernel_w = kernel.size;
  c.stride = kernel.stride;
  c.padding = kernel.padding;
  convolution_in_all_types(c, index_ % 5 == 0);
}

void Grid::depthwise_convolution(Draw& d) {
  const auto side = d.of<std::int64_t>({7, 14, 28, 56, 112});
  const std::int64_t channels =
      d.between(2000.0 / static_cast<double>(side), 14000.0 / static_cast<double>(side), 8);
  Convolution c{batch(d), channels, channels, side};
  c.groups = channels;
  c.kernel_h = c.kernel_w = d.of<std::int64_t>({3, 3, 5, 7});
  c.stride = d.of<std::int64_t>({1, 1, 1, 2});
  const bool channels_last = index_ % 2 == 0;
  for (const Type& type : matrix_types()) {
    // The native kernel for images in NCHW knows no TF32.
    if (channels_last || type.precision != Precision::tf32) convolution(c, type, channels_last);
  }
}

void Grid::grouped_convolution(Draw& d) {
  const Image at = image(d);
  const auto width = d.of<std::int64_t>({4, 8, 16, 24, 32, 48, 64, 112});
  Convolution c{batch(d), 0, 0, std::min<std::int64_t>(at.side, 112)};
  c.groups = std::clamp<std::int64_t>(at.channels * d.of<std::int64_t>({1, 2}) / width, 2, 64);
  c.in = c.out = width * c.groups;
  c.kernel_h = c.kernel_w = 3;
  c.stride = d.of<std::int64_t>({1, 1, 1, 2});
  convolution_in_all_types(c, index_ % 5 == 0);
}

}  // namespace rooflab::probe
