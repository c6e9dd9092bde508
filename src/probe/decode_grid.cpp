// Families of what language models run: attention over a cache, prompts, products of few rows by
// large weights, products of groups of rows and in FP8.

#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "grid.hpp"
#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::probe {

using graph::GraphBuilder;
using graph::ValueId;

std::vector<Type> Grid::generation_types() const {
  const Type full{DType::f32, Precision::fp32};
  if (!any_half_) return {full};
  std::vector<Type> types = {{DType::bf16, Precision::fp32}};
  if (index_ % 4 == 0) types.push_back({DType::f16, Precision::fp32});
  if (index_ % 4 == 1) types.push_back(full);
  return types;
}

void Grid::attention_over(const Heads& at, bool causal, bool masked, const Type& type,
                          bool gradients) {
  const double rows = static_cast<double>(at.n * at.heads * at.queries);
  if (too_large(rows * static_cast<double>(at.depth)) ||
      too_large(static_cast<double>(at.key_elements())) ||
      too_large(static_cast<double>(masked ? at.n * at.queries * at.keys : 0))) {
    return;
  }
  // Forward 4 FLOPs for each, backward 10.
  const double speed = options_.flops_per_s * (type.dtype == DType::f32 ? 1.0 : 4.0);
  const double flops = 4.0 * rows * static_cast<double>(at.keys * at.depth);
  if (flops / speed > 0.01) return;
  GraphBuilder b("op");
  const auto operand = [&](const char* name, std::int64_t heads, std::int64_t length) {
    const ValueId x = b.parameter(name, {at.n, length, heads, at.depth}, type.dtype);
    return b.transpose(x, {0, 2, 1, 3}, format("{}_heads", name));
  };
  const std::int64_t shared = at.heads / at.group;
  std::vector<ValueId> operands = {operand("q", at.heads, at.queries)};
  // A cache has its heads outside, a prompt's projections have them inside.
  for (const char* name : {"k", "v"}) {
    operands.push_back(causal ? operand(name, shared, at.keys)
                              : b.parameter(name, {at.n, shared, at.keys, at.depth}, type.dtype));
  }
  if (masked) operands.push_back(b.buffer("mask", {at.n, 1, at.queries, at.keys}, type.dtype));
  const ValueId y = b.add(graph::Attention{causal}, operands, "op");
  add(std::move(b), y, type.precision, false, gradients);
}

void Grid::decode_attention(Draw& d) {
  Heads at{};
  at.queries = d.of<std::int64_t>({1, 1, 1, 1, 1, 1, 2, 4, 8, 32});
  at.depth = d.of<std::int64_t>({64, 64, 80, 96, 128, 128, 128, 128, 256});
  at.group = d.of<std::int64_t>({1, 1, 1, 2, 4, 4, 6, 7, 8, 8});
  at.heads = at.group * d.of<std::int64_t>({1, 2, 4, 8, 8, 8, 12, 16, 32});
  at.n = d.of<std::int64_t>({1, 1, 1, 2, 4, 8, 16, 32, 64});
  at.keys = d.between(static_cast<double>(8 * at.queries), 131072.0);
  if (index_ % 2 == 0) at.keys = std::max<std::int64_t>(at.keys / 64 * 64, 64);
  for (const Type& type : generation_types()) {
    Heads own = at;
    // Kernels in FP32 know no groups: callers copy the keys for each head.
    if (type.dtype == DType::f32) own.group = 1;
    while (own.keys > 8 * own.queries && too_large(static_cast<double>(own.key_elements()))) {
      own.keys /= 2;
    }
    own.keys = std::max(own.keys, 8 * own.queries);
    attention_over(own, false, false, type, false);
  }
}

void Grid::masked_decode_attention(Draw& d) {
  Heads at{};
  at.group = 1;  // callers copy the keys for each head
  at.queries = d.of<std::int64_t>({1, 1, 1, 1, 1, 4, 16, 64});
  at.depth = d.of<std::int64_t>({64, 64, 80, 128, 128, 256});
  at.heads = d.of<std::int64_t>({8, 12, 16, 32, 32});
  at.n = d.of<std::int64_t>({1, 1, 2, 4, 8, 16, 32});
  at.keys = std::max<std::int64_t>(d.between(64.0, 32768.0, 8), 8 * at.queries);
  while (at.keys > 8 * at.queries &&
         too_large(static_cast<double>(at.n * at.heads * at.keys * at.depth))) {
    at.keys /= 2;
  }
  at.keys = std::max(at.keys / 8 * 8, 8 * at.queries);
  for (const Type& type : generation_types()) attention_over(at, false, true, type, false);
}

void Grid::prompt_attention(Draw& d) {
  Heads at{};
  at.depth = d.of<std::int64_t>({64, 64, 80, 128, 128, 128, 256});
  at.group = index_ % 2 == 0 ? d.of<std::int64_t>({2, 4, 4, 7, 8}) : 1;
  at.heads = at.group * d.of<std::int64_t>({2, 4, 8, 8, 8, 16});
  at.queries = at.keys = d.of<std::int64_t>(
      {128, 200, 256, 384, 512, 777, 1024, 1024, 1536, 2048, 2048, 3000, 4096, 8192});
  at.n = d.of<std::int64_t>({1, 1, 2, 4, 8, 16});
  for (const Type& type : generation_types()) {
    Heads own = at;
    if (type.dtype == DType::f32) own.group = 1;
    attention_over(own, true, false, type, false);
    if (index_ % 4 < 2) attention_over(own, true, false, type, true);
  }
}

void Grid::cross_attention(Draw& d) {
  Heads at{};
  at.group = 1;
  at.depth = d.of<std::int64_t>({64, 64, 64, 80, 128, 128});
  at.heads = d.of<std::int64_t>({6, 8, 12, 16, 32});
  at.queries = d.between(32.0, 8192.0);
  at.keys = index_ % 3 == 0 ? d.of<std::int64_t>({77, 256, 512, 1500, 4096, 8192})
                            : d.between(32.0, 16384.0, 8);
  at.n = d.of<std::int64_t>({1, 1, 2, 4, 8, 32});
  const bool masked = index_ % 3 == 1;
  for (const Type& type : generation_types()) {
    attention_over(at, false, masked, type, index_ % 2 == 0);
  }
}

bool Grid::takes_long(std::int64_t m, std::int64_t k, std::int64_t n, double speed) const {
  const double flops =
      2.0 * static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n);
  return flops / (options_.flops_per_s * speed) > 0.01;
}

void Grid::bounded_linear(std::int64_t m, std::int64_t k, std::int64_t n, bool bias, bool gradients,
                          const Type& type) {
  const auto elements = [](std::int64_t a, std::int64_t b) {
    return static_cast<double>(a) * static_cast<double>(b);
  };
  if (too_large(elements(m, k)) || too_large(elements(k, n)) || too_large(elements(m, n))) return;
  const bool plain = type.dtype == DType::f32 && type.precision == Precision::fp32;
  if (takes_long(m, k, n, plain ? 1.0 : 6.0)) return;
  linear_of(m, k, n, bias, gradients, type);
}

void Grid::few_row_linear(Draw& d) {
  const auto m =
      d.of<std::int64_t>({1, 1, 1, 2, 3, 4, 6, 8, 8, 12, 16, 16, 24, 32, 32, 48, 64, 64});
  const std::int64_t k = index_ % 2 == 0
                             ? d.of<std::int64_t>({1024, 2048, 2048, 3072, 4096, 4096, 5120, 8192})
                             : d.between(1024.0, 32768.0, 64);
  std::int64_t n = d.between(1024.0, 32768.0, 64);
  if (index_ % 4 == 0) n = d.of<std::int64_t>({1024, 2048, 4096, 6144, 8192, 14336, 28672});
  if (index_ % 5 == 0) n = d.of<std::int64_t>({32000, 32128, 50257, 128256, 151936, 51865, 262144});
  std::vector<Type> types = generation_types();
  if (any_half_ && index_ % 8 == 3) types.push_back({DType::f32, Precision::tf32});
  for (const Type& type : types) bounded_linear(m, k, n, index_ % 4 == 2, false, type);
}

void Grid::wide_linear(Draw& d) {
  const std::int64_t m = d.between(64.0, 65536.0, index_ % 3 == 0 ? 1 : 64);
  const std::int64_t k = d.between(1024.0, 32768.0, 64);
  const std::int64_t n = d.between(256.0, 32768.0, 64);
  for (const Type& type : generation_types()) {
    bounded_linear(m, k, n, index_ % 4 == 2, index_ % 2 == 0, type);
  }
}

void Grid::narrow_linear(Draw& d) {
  const std::int64_t m = d.between(256.0, 1048576.0);
  const auto narrow = d.of<std::int64_t>({1, 1, 2, 4, 8, 10, 16, 32, 64});
  const std::int64_t other = d.between(16.0, 2048.0, 8);
  const bool inside = index_ % 2 == 0;
  for (const Type& type : matrix_types()) {
    bounded_linear(m, inside ? narrow : other, inside ? other : narrow, index_ % 4 < 2, true, type);
  }
}

void Grid::large_matmul(Draw& d) {
  const std::int64_t b = d.of<std::int64_t>({1, 1, 1, 2, 4, 8, 16, 64});
  const std::int64_t m = d.between(64.0, 16384.0, 8);
  const std::int64_t k = d.between(64.0, 16384.0, 8);
  const std::int64_t n = d.between(64.0, 8192.0, 8);
  const double flops = 2.0 * static_cast<double>(b * m) * static_cast<double>(k * n);
  if (flops / options_.flops_per_s > 0.02) return;
  if (too_large(static_cast<double>(b * m * k)) || too_large(static_cast<double>(b * k * n)))
    return;
  matmul_of(b, m, k, n);
}

void Grid::grouped_product(Draw& d) {
  if (!any_half_) return;
  const auto groups = d.of<std::int64_t>({4, 8, 8, 16, 32, 64, 128});
  const std::int64_t rows = d.between(1.0, 4096.0 / std::sqrt(static_cast<double>(groups)));
  const std::int64_t k = d.of<std::int64_t>({512, 768, 1024, 1024, 2048, 2048, 4096});
  const std::int64_t n = d.of<std::int64_t>({512, 1024, 1536, 2048, 3584, 7168, 14336});
  if (too_large(static_cast<double>(groups * k * n)) || takes_long(groups * rows, k, n)) return;
  const auto size = [](std::int64_t extent) { return static_cast<double>(extent); };
  call("grouped_matmul.forward.bf16", {size(groups), size(groups * rows), size(k), size(n)});
  if (index_ % 2 != 0) return;
  // Groups begin at multiples of 16 bytes.
  const std::int64_t all = groups * std::max<std::int64_t>(rows / 8 * 8, 8);
  call("grouped_matmul.weight_gradient.bf16", {size(groups), size(all), size(k), size(n)});
}

void Grid::fp8_linear(Draw& d) {
  if (!any_half_) return;
  const std::int64_t m =
      index_ % 2 == 0 ? d.of<std::int64_t>({1, 2, 4, 8, 16, 32, 64}) : d.between(64.0, 16384.0, 16);
  const std::int64_t k = d.between(512.0, 16384.0, 16);
  const std::int64_t n = d.between(512.0, 32768.0, 16);
  if (too_large(static_cast<double>(m * k)) || too_large(static_cast<double>(m * n))) return;
  if (takes_long(m, k, n)) return;
  call("linear.forward.fp8",
       {static_cast<double>(m), static_cast<double>(k), static_cast<double>(n)});
}

}  // namespace rooflab::probe
