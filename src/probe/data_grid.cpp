// Families of ops that are bound by the memory: norms, pooling, sums, elementwise work, copies, and
// the optimizer.

#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "grid.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::probe {

using engine::ProbeKind;
using graph::GraphBuilder;
using graph::ValueId;

void Grid::batch_norm(Draw& d) {
  const auto side = d.of<std::int64_t>({7, 7, 14, 14, 28, 28, 56, 56, 112});
  const auto channels = d.of<std::int64_t>(
      {16, 24, 32, 48, 64, 64, 96, 128, 128, 192, 256, 256, 384, 512, 512, 768, 1024, 2048});
  const std::int64_t n = batch(d);
  if (too_large(n, {side, channels})) return;
  for (const DType dtype : data_types()) {
    for (const bool training : {false, true}) {
      batch_norm_of(n, channels, side, dtype, index_ % 4 == 0, training);
    }
  }
}

void Grid::batch_norm_of(std::int64_t n, std::int64_t channels, std::int64_t side, DType dtype,
                         bool channels_last, bool training) {
  GraphBuilder b("op");
  const ValueId x = b.parameter("x", {n, channels, side, side}, dtype);
  const ValueId weight = b.parameter("weight", {channels});
  const ValueId bias = b.parameter("bias", {channels});
  const ValueId mean = b.buffer("running_mean", {channels});
  const ValueId variance = b.buffer("running_var", {channels});
  const ValueId y = b.add(graph::BatchNorm{}, {x, weight, bias, mean, variance}, "op");
  add(std::move(b), y, Precision::fp32, channels_last, training);
}

void Grid::rows(Draw& d) {
  const auto width = d.of<std::int64_t>({64, 96, 128, 192, 256, 384, 512, 768, 768, 1024, 1280});
  const std::int64_t count = batch(d) * d.of<std::int64_t>({1, 49, 128, 197, 197, 784, 3136});
  if (too_large(static_cast<double>(width * count))) return;
  for (const DType dtype : data_types()) {
    layer_norm_of(count, width, dtype);
    const std::int64_t classes = index_ % 2 == 0 ? width : d.of<std::int64_t>({49, 197, 1000});
    if (too_large(static_cast<double>(classes * count))) continue;
    softmax_of(count, classes, dtype, index_ % 3 == 0, true);
  }
}

void Grid::layer_norm_of(std::int64_t count, std::int64_t width, DType dtype) {
  GraphBuilder b("op");
  const ValueId x = b.parameter("x", {count, width}, dtype);
  const ValueId weight = b.parameter("weight", {width}, dtype);
  const ValueId bias = b.parameter("bias", {width}, dtype);
  const ValueId y = b.add(graph::LayerNorm{}, {x, weight, bias}, "op");
  add(std::move(b), y, Precision::fp32, false, true);
}

void Grid::softmax_of(std::int64_t count, std::int64_t width, DType dtype, bool log,
                      bool gradients) {
  GraphBuilder b("op");
  const ValueId x = b.parameter("x", {count, width}, dtype);
  const ValueId y = b.add(graph::Softmax{-1, log}, {x}, "op");
  add(std::move(b), y, Precision::fp32, false, gradients);
}

void Grid::pool(Draw& d) {
  const auto side = d.of<std::int64_t>({13, 14, 27, 28, 55, 56, 112, 112, 224});
  const Image at{side, d.of<std::int64_t>({32, 64, 64, 96, 128, 192, 256, 480, 512})};
  const std::int64_t n = batch(d);
  if (too_large(n, at)) return;
  const auto window = d.of<Window>({{2, 2, 0}, {3, 2, 1}, {3, 2, 0}, {3, 1, 1}});
  const bool average = index_ % 3 == 2;
  pool_of(n, at, average ? graph::PoolKind::average : graph::PoolKind::max, window,
          index_ % 2 == 0);
}

void Grid::pool_of(std::int64_t n, const Image& at, graph::PoolKind kind, const Window& window,
                   bool channels_last) {
  for (const DType dtype : data_types()) {
    GraphBuilder b("op");
    const ValueId x = b.parameter("x", {n, at.channels, at.side, at.side}, dtype);
    const ValueId y = b.pool(
        x, kind, "op", {.kernel = window.size, .stride = window.stride, .padding = window.padding});
    add(std::move(b), y, Precision::fp32, channels_last, true);
  }
}

void Grid::adaptive_pool(Draw& d) {
  const auto size = d.of<std::int64_t>({6, 7, 7, 7});
  const auto side = size * d.of<std::int64_t>({1, 1, 2, 4});
  const std::int64_t channels = d.between(64.0, 1024.0, 32);
  const std::int64_t n = batch(d);
  if (too_large(n, {side, channels})) return;
  for (const DType dtype : data_types()) {
    GraphBuilder b("op");
    const ValueId x = b.parameter("x", {n, channels, side, side}, dtype);
    const ValueId y = b.adaptive_pool(x, "op", size);
    add(std::move(b), y, Precision::fp32, index_ % 3 == 2, true);
  }
}

void Grid::sum(Draw& d) {
  const Image at = image(d);
  const std::int64_t n = batch(d);
  if (too_large(n, at)) return;
  for (const DType dtype : data_types()) {
    GraphBuilder b("op");
    ValueId y = -1;
    if (index_ % 3 == 0) {  // mean over pixels
      const ValueId x = b.parameter("x", {n, at.channels, at.side, at.side}, dtype);
      y = b.add(graph::Reduce{graph::ReduceFunction::mean, {2, 3}, true}, {x}, "op");
    } else if (index_ % 3 == 1) {  // a convolution's bias gradient
      const ValueId x = b.parameter("x", {n, at.channels, at.side, at.side}, dtype);
      y = b.add(graph::Reduce{graph::ReduceFunction::sum, {0, 2, 3}, false}, {x}, "op");
    } else {  // a linear layer's
      const ValueId x = b.parameter("x", {n * at.side * at.side, at.channels * 4}, dtype);
      if (too_large(static_cast<double>(n * at.channels * at.side * at.side * 4))) return;
      y = b.add(graph::Reduce{graph::ReduceFunction::sum, {0}, false}, {x}, "op");
    }
    add(std::move(b), y, Precision::fp32, index_ % 4 == 0 && index_ % 3 != 2, false);
  }
}

void Grid::unary(graph::UnaryFunction function, std::int64_t elements, DType dtype) {
  GraphBuilder b("op");
  const ValueId x = b.parameter("x", {elements}, dtype);
  const ValueId y = b.unary(x, function, "op");
  add(std::move(b), y, Precision::fp32, false, true);
}

void Grid::binary(graph::BinaryFunction function, std::int64_t elements, DType dtype) {
  GraphBuilder b("op");
  const ValueId x = b.parameter("x", {elements}, dtype);
  const ValueId w = b.parameter("w", {elements}, dtype);
  const ValueId y = b.binary(x, w, function, "op");
  add(std::move(b), y, Precision::fp32, false, true);
}

std::int64_t Grid::rung(int shapes) const {
  // Sizes in a mixed order, so that a probe that stops early has large ones too.
  const int place = options_.quick ? index_ * 3 % shapes : index_ * 7 % shapes;
  const double exponent = 10.0 + 18.5 * place / (shapes - 1);
  return static_cast<std::int64_t>(std::exp2(exponent)) / 8 * 8;
}

void Grid::elementwise(Draw& d) {
  const std::int64_t elements = rung(options_.quick ? 5 : 16);
  if (too_large(static_cast<double>(elements))) return;
  using enum graph::UnaryFunction;
  for (const DType dtype : data_types()) {
    for (const graph::UnaryFunction function :
         {relu, gelu, silu, sigmoid, hardswish, hardsigmoid, tanh, relu6}) {
      if (function != relu && d.uniform() < 0.3) continue;
      unary(function, elements, dtype);
    }
    binary(graph::BinaryFunction::add, elements, dtype);
    binary(graph::BinaryFunction::mul, elements, dtype);
    GraphBuilder dropout("op");
    ValueId x = dropout.parameter("x", {elements}, dtype);
    ValueId y = dropout.dropout(x, "op", 0.5);
    add(std::move(dropout), y, Precision::fp32, false, true);
    for (const DType other : data_types()) {
      if ((dtype == DType::f32) == (other == DType::f32)) continue;
      GraphBuilder cast("op");
      x = cast.parameter("x", {elements}, dtype);
      y = cast.add(graph::Cast{other}, {x}, "op");
      add(std::move(cast), y, Precision::fp32, false, false);
    }
  }
  if (!any_half_) return;
  GraphBuilder mixed("op");
  const ValueId x = mixed.parameter("x", {elements}, DType::bf16);
  const ValueId w = mixed.parameter("w", {elements}, DType::f32);
  const ValueId y = mixed.binary(x, w, graph::BinaryFunction::add, "op");
  add(std::move(mixed), y, Precision::fp32, false, false);
}

void Grid::broadcast(Draw& d) {
  const Image at = image(d);
  const std::int64_t n = batch(d);
  if (too_large(n, at)) return;
  for (const DType dtype : data_types()) {
    GraphBuilder b("op");
    const ValueId x = b.parameter("x", {n, at.channels, at.side, at.side}, dtype);
    const bool scaled = index_ % 2 == 0;
    const ValueId w = b.parameter("w", {scaled ? n : 1, at.channels, 1, 1}, dtype);
    const ValueId y =
        b.binary(x, w, scaled ? graph::BinaryFunction::mul : graph::BinaryFunction::add, "op");
    add(std::move(b), y, Precision::fp32, index_ % 5 == 0, false);
  }
}

void Grid::strided_copy(Draw& d) {
  const Image at = image(d);
  const std::int64_t n = batch(d);
  if (too_large(n, at)) return;
  for (const DType dtype : data_types()) {
    GraphBuilder b("op");
    ValueId x = -1;
    switch (index_ % 3) {
      case 0:  // to channels last
        x = b.transpose(b.parameter("x", {n, at.channels, at.side, at.side}, dtype), {0, 2, 3, 1},
                        "turn");
        break;
      case 1:  // and back
        x = b.transpose(b.parameter("x", {n, at.side, at.side, at.channels}, dtype), {0, 3, 1, 2},
                        "turn");
        break;
      default: {  // heads out of the sequence: rows of `depth` stay whole
        const auto depth = d.of<std::int64_t>({32, 64, 64, 128});
        const std::int64_t heads = std::max<std::int64_t>(2, at.channels / depth);
        x = b.transpose(b.parameter("x", {n, at.side * at.side, heads, depth}, dtype), {0, 2, 1, 3},
                        "turn");
      }
    }
    const ValueId y = b.add(graph::Contiguous{}, {x}, "op");
    add(std::move(b), y, Precision::fp32, false, false);
  }
}

void Grid::concat(Draw& d) {
  const Image at = image(d);
  const std::int64_t n = batch(d);
  const auto parts = d.of<std::int64_t>({2, 2, 3, 4, 6, 12, 24});
  if (too_large(n, at)) return;
  for (const DType dtype : data_types()) {
    GraphBuilder b("op");
    std::vector<ValueId> values;
    for (std::int64_t i = 0; i < parts; ++i) {
      const std::int64_t share = i == 0 && parts > 2 ? 2 : 1;
      values.push_back(b.parameter(
          format("x{}", i),
          {n, std::max<std::int64_t>(8, at.channels * share / (parts + (parts > 2 ? 1 : 0))),
           at.side, at.side},
          dtype));
    }
    const ValueId y = b.concat(values, 1, "op");
    add(std::move(b), y, Precision::fp32, index_ % 3 == 2, false);
  }
}

void Grid::movement(Draw& d) {
  const Image at = image(d);
  const std::int64_t n = batch(d);
  if (too_large(n, at)) return;
  for (const DType dtype : data_types()) {
    GraphBuilder b("op");
    ValueId y = -1;
    if (index_ % 2 == 0) {
      const ValueId x = b.parameter("x", {n, at.channels, at.side, at.side}, dtype);
      y = b.add(graph::Pad{{0, 0, 1, 1}, {0, 0, 1, 1}}, {x}, "op");
    } else {
      const ValueId x = b.parameter("x", {30000, at.channels}, dtype);
      const ValueId rows = b.constant("rows", {n, 128}, DType::i64);
      y = b.add(graph::Gather{0}, {x, rows}, "op");
    }
    add(std::move(b), y, Precision::fp32, false, true);
  }
}

void Grid::optimizer(Draw& d) {
  const std::int64_t tensors = d.of<std::int64_t>({8, 20, 60, 60, 160, 160, 320, 500});
  const std::int64_t elements = d.between(1e6, 1.4e8);
  const auto chosen = static_cast<schedule::Optimizer>(index_ % 4 == 3   ? 2
                                                       : index_ % 4 == 2 ? 0
                                                                         : 1);
  GraphBuilder b("op");
  // A few large tensors hold most elements; every second one is as small as a bias.
  std::vector<ValueId> used;
  for (std::int64_t i = 0; i < tensors; ++i) {
    const std::int64_t size = i % 2 == 0 ? 2 * elements / tensors : 128;
    used.push_back(b.parameter(format("p{}", i), {size}));
  }
  const ValueId y = b.concat(used, 0, "op");
  placed_.push_back({place_,
                     {ProbeKind::optimizer, graph::to_text(std::move(b).finish({y})),
                      Precision::fp32, false, true, std::string(name_of(chosen))}});
}

}  // namespace rooflab::probe
