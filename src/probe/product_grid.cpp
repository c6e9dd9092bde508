// Families of products: linear layers, batched products, attention.

#include <algorithm>

#include "grid.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::probe {

using graph::GraphBuilder;
using graph::ValueId;

void Grid::linear(Draw& d) {
  const double kind = d.uniform();
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
  if (kind < 0.35) {  // classifiers: a row a sample
    m = batch(d);
    k = d.of<std::int64_t>({256, 512, 1024, 1280, 2048, 4096, 9216, 25088});
    n = d.of<std::int64_t>({10, 100, 1000, 1000, 1000, 4096});
  } else {  // tokens
    const auto width = d.of<std::int64_t>({96, 128, 192, 256, 384, 512, 768, 768, 1024, 1280});
    m = batch(d) * d.of<std::int64_t>({49, 64, 128, 196, 197, 197, 512, 784, 1024, 3136});
    const double shape = d.uniform();
    k = shape < 0.25 ? 4 * width : width;
    n = shape < 0.5 ? width : shape < 0.75 ? 3 * width : 4 * width;
  }
  const double flops = 2.0 * static_cast<double>(m) * static_cast<double>(k * n);
  for (const Type& type : matrix_types()) {
    const bool plain = type.dtype == DType::f32 && type.precision == Precision::fp32;
    if (flops / (options_.flops_per_s * (plain ? 1.0 : 6.0)) > 0.015) continue;
    if (too_large(static_cast<double>(m * std::max(k, n)))) continue;
    linear_of(m, k, n, true, true, type);
  }
}

void Grid::linear_of(std::int64_t m, std::int64_t k, std::int64_t n, bool bias, bool gradients,
                     const Type& type) {
  GraphBuilder b("op");
  std::vector<ValueId> operands = {b.parameter("x", {m, k}, type.dtype),
                                   b.parameter("w", {n, k}, type.dtype)};
  if (bias) operands.push_back(b.parameter("b", {n}, type.dtype));
  const ValueId y = b.add(graph::Linear{}, operands, "op");
  add(std::move(b), y, type.precision, false, gradients);
}

void Grid::matmul(Draw& d) {
  const std::int64_t b = d.between(1.0, 4096.0);
  const std::int64_t m = d.of<std::int64_t>({16, 49, 64, 128, 197, 512});
  const std::int64_t k = d.of<std::int64_t>({32, 64, 64, 128, 197, 49});
  const std::int64_t n = d.of<std::int64_t>({32, 49, 64, 128, 197, 512});
  matmul_of(b, m, k, n);
}

void Grid::matmul_of(std::int64_t b, std::int64_t m, std::int64_t k, std::int64_t n) {
  if (too_large(static_cast<double>(b * m * n))) return;
  for (const Type& type : matrix_types()) {
    GraphBuilder builder("op");
    const ValueId x = builder.parameter("x", {b, m, k}, type.dtype);
    const ValueId w = builder.parameter("w", {b, k, n}, type.dtype);
    const ValueId y = builder.add(graph::MatMul{}, {x, w}, "op");
    add(std::move(builder), y, type.precision, false, true);
  }
}

void Grid::attention(Draw& d) {
  const std::int64_t n = batch(d);
  const auto heads = d.of<std::int64_t>({3, 6, 8, 12, 12, 16});
  const auto length = d.of<std::int64_t>({49, 64, 128, 197, 197, 256, 512, 1024});
  const auto depth = d.of<std::int64_t>({32, 64, 64, 64, 128});
  attention_of(n, heads, length, depth, false, false);
}

void Grid::attention_module(Draw& d) {
  const std::int64_t n = batch(d);
  const auto heads = d.of<std::int64_t>({6, 8, 12, 12, 16});
  const auto length = d.of<std::int64_t>({50, 65, 128, 197, 197, 257, 512});
  const auto depth = d.of<std::int64_t>({32, 64, 64, 64, 80});
  if (too_large(static_cast<double>(n * heads * length) * static_cast<double>(length + depth))) {
    return;
  }
  for (const Type& type : matrix_types()) {
    if (type.dtype != DType::f32) continue;
    const double speed = options_.flops_per_s * (type.precision == Precision::fp32 ? 1.0 : 6.0);
    const double width = static_cast<double>(heads * depth);
    if (8.0 * static_cast<double>(n * length) * width * width / speed > 0.03) continue;
    GraphBuilder b("op");
    const ValueId x = b.parameter("x", {n, length, heads * depth}, type.dtype);
    const ValueId y = graph::add_attention_module(b, x, heads);
    add(std::move(b), y, type.precision, false, false);
  }
}

}  // namespace rooflab::probe
