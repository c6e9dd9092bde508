// Families of rarer ops that the memory bounds: other norms and functions, average pooling, images
// of another size, permutations that copy.

#include <algorithm>
#include <cmath>

#include "grid.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::probe {

using graph::GraphBuilder;
using graph::ValueId;

void Grid::group_norm(Draw& d) {
  const std::int64_t n = batch(d);
  if (index_ % 4 == 3) {  // of language models
    const auto width = d.of<std::int64_t>({512, 768, 1024, 2048, 4096});
    const std::int64_t rows = n * d.of<std::int64_t>({1, 64, 128, 512});
    if (too_large(static_cast<double>(rows * width))) return;
    for (const DType dtype : data_types()) {
      GraphBuilder b("op");
      const ValueId x = b.parameter("x", {rows, width}, dtype);
      const ValueId weight = b.parameter("weight", {width}, dtype);
      const ValueId y = b.add(graph::RmsNorm{}, {x, weight}, "op");
      add(std::move(b), y, Precision::fp32, false, true);
    }
    return;
  }
  const auto side = d.of<std::int64_t>({8, 14, 16, 28, 32, 56, 64, 128});
  const auto channels = d.of<std::int64_t>({32, 64, 128, 256, 320, 512, 640, 1024});
  const auto groups = index_ % 4 == 2 ? channels : d.of<std::int64_t>({1, 8, 16, 32, 32});
  if (too_large(n, {side, channels})) return;
  for (const DType dtype : data_types()) {
    GraphBuilder b("op");
    const ValueId x = b.parameter("x", {n, channels, side, side}, dtype);
    const ValueId weight = b.parameter("weight", {channels}, dtype);
    const ValueId bias = b.parameter("bias", {channels}, dtype);
    const ValueId y = b.add(graph::GroupNorm{groups}, {x, weight, bias}, "op");
    add(std::move(b), y, Precision::fp32, false, true);
  }
}

void Grid::average_pool(Draw& d) {
  const auto side = d.of<std::int64_t>({8, 14, 17, 28, 35, 56, 112});
  const Image at{side, d.of<std::int64_t>({32, 64, 128, 192, 256, 288, 512, 768, 1024})};
  const std::int64_t n = batch(d);
  if (too_large(n, at)) return;
  const auto window = d.of<Window>({{2, 2, 0}, {2, 2, 0}, {3, 1, 1}, {3, 2, 1}, {5, 3, 0}});
  pool_of(n, at, graph::PoolKind::average, window, index_ % 3 == 0);
}

void Grid::resize(Draw& d) {
  const auto side = d.of<std::int64_t>({7, 14, 16, 28, 32, 56, 64});
  const Image at{2 * side, d.of<std::int64_t>({16, 64, 128, 256, 512})};
  const std::int64_t n = batch(d);
  if (too_large(n, at)) return;
  for (const DType dtype : data_types()) {
    GraphBuilder b("op");
    const ValueId x = b.parameter("x", {n, at.channels, side, side}, dtype);
    graph::Resize op;
    op.mode = index_ % 2 == 0 ? graph::ResizeMode::nearest : graph::ResizeMode::linear;
    op.output = {n, at.channels, at.side, at.side};
    const ValueId y = b.add(op, {x}, "op");
    add(std::move(b), y, Precision::fp32, index_ % 4 == 0, true);
  }
}

void Grid::other_elementwise(Draw&) {
  const std::int64_t elements = rung(options_.quick ? 5 : 12);
  if (too_large(static_cast<double>(elements))) return;
  using enum graph::UnaryFunction;
  for (const DType dtype : data_types()) {
    for (const graph::UnaryFunction function :
         {gelu_tanh, leaky_relu, exp, erf, sqrt, rsqrt, neg, abs, clip}) {
      unary(function, elements, dtype);
    }
    for (const graph::BinaryFunction function :
         {graph::BinaryFunction::sub, graph::BinaryFunction::div, graph::BinaryFunction::maximum}) {
      binary(function, elements, dtype);
    }
    GraphBuilder power("op");
    ValueId x = power.parameter("x", {elements}, dtype);
    ValueId y = power.binary(x, power.scalar("exponent", 3.0), graph::BinaryFunction::pow, "op");
    add(std::move(power), y, Precision::fp32, false, false);
    GraphBuilder where("op");
    const ValueId condition = where.constant("condition", {elements}, DType::boolean);
    x = where.parameter("x", {elements}, dtype);
    const ValueId other = where.parameter("other", {elements}, dtype);
    y = where.add(graph::Where{}, {condition, x, other}, "op");
    add(std::move(where), y, Precision::fp32, false, true);
  }
}

void Grid::permuted_copy(Draw& d) {
  const Image at = image(d);
  const std::int64_t n = batch(d);
  if (too_large(n, at)) return;
  for (const DType dtype : data_types()) {
    GraphBuilder b("op");
    ValueId x = -1;
    switch (index_ % 4) {
      case 0: {  // windows of 7 pixels a side out of channels-last images, and back
        const std::int64_t windows = std::max<std::int64_t>(1, at.side / 7);
        x = b.transpose(b.parameter("x", {n, windows, 7, windows, 7, at.channels}, dtype),
                        {0, 1, 3, 2, 4, 5}, "turn");
        break;
      }
      case 1:  // channels of groups shuffled
        x = b.transpose(b.parameter("x", {n, 2, at.channels / 2, at.side, at.side}, dtype),
                        {0, 2, 1, 3, 4}, "turn");
        break;
      case 2:  // matrices turned
        x = b.transpose(b.parameter("x", {n, at.side * at.side, at.channels}, dtype), {0, 2, 1},
                        "turn");
        break;
      default: {  // a sequence out of its heads
        const auto depth = std::int64_t{64};
        const std::int64_t heads = std::max<std::int64_t>(2, at.channels / depth);
        if (too_large(n, {at.side, heads * depth})) return;
        x = b.transpose(b.parameter("x", {n, heads, at.side * at.side, depth}, dtype), {0, 2, 1, 3},
                        "turn");
      }
    }
    const ValueId y = b.add(graph::Contiguous{}, {x}, "op");
    add(std::move(b), y, Precision::fp32, false, false);
  }
}

}  // namespace rooflab::probe
