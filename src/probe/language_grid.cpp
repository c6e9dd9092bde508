// Families of language models: vocabularies, causal and masked attention, recurrent layers,
// embeddings.

#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "grid.hpp"

namespace rooflab::probe {

using graph::GraphBuilder;
using graph::ValueId;

namespace {

constexpr double most_attention_work = 8e10;  ///< multiply-accumulates of one of the two products

}  // namespace

void Grid::unaligned_linear(Draw& d) {
  std::int64_t k = d.of<std::int64_t>({100, 197, 300, 511, 768, 768, 770, 1001, 1024, 1284, 2049});
  std::int64_t n = d.of<std::int64_t>({91, 255, 365, 1001, 1023, 2050, 3078});
  const std::int64_t m = static_cast<std::int64_t>(std::exp2(4.0 + 10.0 * d.uniform()));
  if (index_ % 2 == 0) {
    k = d.of<std::int64_t>({256, 512, 768, 768, 1024, 1280, 2048, 4096});
    n = d.of<std::int64_t>(
        {21841, 30522, 32000, 32128, 50257, 50257, 50264, 65024, 128256, 151936});
  }
  const double flops = 2.0 * static_cast<double>(m) * static_cast<double>(k * n);
  if (too_large(static_cast<double>(m * n)) || too_large(static_cast<double>(k * n))) return;
  for (const Type& type : matrix_types()) {
    const bool plain = type.dtype == DType::f32 && type.precision == Precision::fp32;
    if (flops / (options_.flops_per_s * (plain ? 1.0 : 6.0)) > 0.015) continue;
    linear_of(m, k, n, false, true, type);
  }
}

void Grid::uneven_linear(Draw& d) {
  const auto beside_a_power = [&d](double least, double most) {
    const double octaves = std::floor(d.uniform() * (most - least + 1.0));
    return static_cast<std::int64_t>(std::exp2(least + octaves)) + d.of<std::int64_t>({-1, 0, 1});
  };
  const std::int64_t m = d.between(64.0, 65536.0);
  const std::int64_t k = beside_a_power(2.0, 12.0);
  const std::int64_t n = beside_a_power(2.0, 12.0);
  for (const Type& type : matrix_types()) bounded_linear(m, k, n, index_ % 4 < 2, true, type);
}

void Grid::unaligned_matmul(Draw& d) {
  const auto extent = [&d] {
    return d.of<std::int64_t>({21, 49, 50, 60, 65, 77, 90, 98, 100, 145, 180, 257, 300, 394});
  };
  const std::int64_t m = extent();
  const std::int64_t k = d.uniform() < 0.5 ? 64 : extent();
  const std::int64_t n = d.uniform() < 0.5 ? m : extent();
  matmul_of(d.between(8.0, 4096.0), m, k, n);
}

std::int64_t Grid::attention_batch(Draw& d, std::int64_t work) const {
  const double most = most_attention_work / static_cast<double>(work);
  return std::min(any_batch(d, 7.0), static_cast<std::int64_t>(most));
}

void Grid::language_attention(Draw& d) {
  const auto length = d.of<std::int64_t>({64, 128, 256, 384, 512, 512, 1024, 1024, 2048, 4096});
  const auto heads = d.of<std::int64_t>({8, 12, 12, 16, 20, 32});
  const auto depth = d.of<std::int64_t>({32, 64, 64, 64, 80, 128});
  const std::int64_t n = attention_batch(d, heads * length * length * depth);
  // Half of them causal, a quarter masked, a quarter whole.
  const bool causal = index_ % 4 < 2;
  const bool masked = index_ % 4 == 2;
  if (!causal && !masked && length < 1024) return;  // attention() has the short ones
  attention_of(n, heads, length, depth, causal, masked);
}

void Grid::uneven_attention(Draw& d) {
  const auto length = d.of<std::int64_t>({145, 257, 257, 321, 401, 513, 577, 577, 785, 1025, 1370});
  const auto heads = d.of<std::int64_t>({4, 8, 12, 12, 16});
  const auto depth = d.of<std::int64_t>({32, 64, 64, 64, 80, 128});
  const std::int64_t n = attention_batch(d, heads * length * length * depth);
  constexpr std::int64_t tile = 64;
  for (const std::int64_t shown : {length, length / tile * tile}) {
    attention_of(n, heads, shown, depth, false, false);
  }
}

void Grid::attention_of(std::int64_t n, std::int64_t heads, std::int64_t length, std::int64_t depth,
                        bool causal, bool masked) {
  if (too_large(static_cast<double>(n * heads * length * depth) * 2.0)) return;
  const double work = static_cast<double>(n * heads * length * length * depth);
  if (work > most_attention_work) return;
  if (masked && too_large(static_cast<double>(n * length * length))) return;
  for (const Type& type : matrix_types()) {
    for (const bool gradients : {false, true}) {
      GraphBuilder b("op");
      std::vector<ValueId> operands;
      for (const char* name : {"q", "k", "v"}) {
        // As attention modules hand them over: heads inside the sequence.
        const ValueId x = b.parameter(name, {n, length, heads, depth}, type.dtype);
        operands.push_back(b.transpose(x, {0, 2, 1, 3}, format("{}_heads", name)));
      }
      if (masked) operands.push_back(b.buffer("mask", {n, 1, length, length}, type.dtype));
      const ValueId y = b.add(graph::Attention{causal}, operands, "op");
      add(std::move(b), y, type.precision, false, gradients);
    }
  }
}

void Grid::recurrent(Draw& d) {
  using enum graph::RecurrentCell;
  graph::Recurrent op;
  const graph::RecurrentCell plain = index_ % 2 == 0 ? rnn_tanh : rnn_relu;
  op.cell = index_ % 3 == 0 ? lstm : index_ % 3 == 1 ? gru : plain;
  op.layers = d.of<std::int64_t>({1, 1, 1, 2, 2, 3, 4});
  op.bidirectional = d.uniform() < 0.3;
  const auto hidden =
      d.of<std::int64_t>({32, 64, 100, 128, 200, 256, 320, 512, 512, 650, 1024, 1024, 1500, 2048});
  const std::int64_t features =
      d.uniform() < 0.5 ? hidden : d.of<std::int64_t>({40, 80, 161, 256, 300, 512, 1024});
  const auto steps = d.of<std::int64_t>({8, 20, 35, 35, 50, 70, 100, 128, 200, 256, 512});
  std::int64_t n = any_batch(d);
  const auto inside = [&] {  // the gates and the cell of every unit
    const std::int64_t units = steps * n * op.layers * op.directions() * hidden;
    return static_cast<double>(units) * static_cast<double>(op.gates() + 1);
  };
  while (n > 1 && too_large(inside())) n /= 2;
  const std::int64_t width = op.directions() * hidden;
  const double weights =
      static_cast<double>(op.gates() * width) *
      static_cast<double>(features + (op.layers - 1) * width + op.layers * hidden);
  const double flops = 2.0 * static_cast<double>(steps * n) * weights;
  if (too_large(inside()) || too_large(weights)) return;
  for (const Type& type : matrix_types()) {
    const bool full = type.dtype == DType::f32 && type.precision == Precision::fp32;
    if (flops / (options_.flops_per_s * (full ? 1.0 : 6.0)) > 0.015) continue;
    GraphBuilder b("op");
    const ValueId x = b.parameter("x", {steps, n, features}, type.dtype);
    std::vector<ValueId> states;
    for (std::size_t i = 0; i < op.states(); ++i) {
      states.push_back(
          b.buffer(i == 0 ? "h0" : "c0", {op.layers * op.directions(), n, hidden}, type.dtype));
    }
    const ValueId y = b.recurrent(x, "op", op, hidden, states).front();
    add(std::move(b), y, type.precision, false, true);
  }
}

void Grid::embedding(Draw& d) {
  const auto rows = d.of<std::int64_t>({2, 512, 1024, 30522, 50257, 50257, 128256, 250002});
  const auto width = d.of<std::int64_t>({64, 256, 512, 768, 768, 1024, 2048, 4096});
  const std::int64_t n = batch(d);
  const auto length = d.of<std::int64_t>({1, 128, 512, 512, 1024});
  if (too_large(static_cast<double>(rows * width)) ||
      too_large(static_cast<double>(n * length * width))) {
    return;
  }
  for (const DType dtype : data_types()) {
    GraphBuilder b("op");
    const ValueId table = b.parameter("table", {rows, width}, dtype);
    const ValueId indices = b.constant("indices", {n, length}, DType::i64);
    const ValueId y = b.add(graph::Gather{0}, {table, indices}, "op");
    add(std::move(b), y, Precision::fp32, false, true);
  }
}

void Grid::scatter(Draw& d) {
  const std::int64_t rows = d.between(64.0, 1e5);
  const std::int64_t width = d.of<std::int64_t>({16, 64, 128, 256, 768});
  const std::int64_t chosen = d.between(16.0, 1e5);
  if (too_large(static_cast<double>(rows * width)) ||
      too_large(static_cast<double>(chosen * width))) {
    return;
  }
  for (const DType dtype : data_types()) {
    GraphBuilder gather("op");
    const ValueId data = gather.parameter("x", {rows, width}, dtype);
    ValueId places = gather.constant("places", {chosen, width}, DType::i64);
    ValueId y = gather.add(graph::GatherElements{}, {data, places}, "op");
    add(std::move(gather), y, Precision::fp32, false, true);
    // Sums at places of a tensor: index_add of graph networks, scatter_add of detectors.
    GraphBuilder scatter("op");
    const ValueId into = scatter.parameter("x", {rows, width}, dtype);
    places = scatter.constant("places", {chosen, width}, DType::i64);
    const ValueId updates = scatter.parameter("updates", {chosen, width}, dtype);
    graph::Scatter op;
    op.reduction = graph::ScatterReduction::add;
    y = scatter.add(op, {into, places, updates}, "op");
    add(std::move(scatter), y, Precision::fp32, false, false);
  }
}

void Grid::wide_rows(Draw& d) {
  const bool vocabulary = index_ % 2 == 0;
  const std::int64_t width =
      vocabulary
          ? d.of<std::int64_t>({1001, 10000, 21841, 30522, 32000, 50257, 50257, 50264, 128256})
          : d.of<std::int64_t>({49, 64, 65, 128, 197, 256, 257, 384, 512, 1024, 2048, 4096});
  const std::int64_t rows = vocabulary ? d.between(16.0, 16384.0) : d.between(64.0, 1e6);
  if (too_large(static_cast<double>(rows * width))) return;
  for (const DType dtype : data_types()) softmax_of(rows, width, dtype, vocabulary, true);
}

}  // namespace rooflab::probe
