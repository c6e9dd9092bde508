// Families of what programs were seen to run that networks of images do not: copies and zeros,
// sorting, norms and losses over the widths of language models, sums, rarer functions, parameters
// in 16 bits, convolutions of generators, over long sequences and volumes.

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

void Grid::call(std::string kind, std::vector<double> sizes) {
  engine::ProbeItem item;
  item.kind = ProbeKind::call;
  item.graph = engine::text_of({std::move(kind), std::move(sizes)});
  placed_.push_back({place_, std::move(item)});
}

void Grid::copy_and_fill(Draw&) {
  const auto elements = static_cast<double>(rung(options_.quick ? 5 : 16));
  if (too_large(elements)) return;
  for (const DType dtype : data_types()) {
    for (const char* op : {"copy", "fill"}) {
      call(format("{}.forward.{}", op, rooflab::name_of(dtype)), {elements});
    }
  }
  if (index_ % 2 == 0) call("copy.forward.i64", {elements / 2.0});
  if (index_ % 2 == 1) call("fill.forward.i64", {elements / 2.0});
}

void Grid::selection(Draw& d) {
  const std::int64_t width = index_ % 2 == 0 ? d.of<std::int64_t>({32000, 50257, 128256, 151936})
                                             : d.between(16.0, 16384.0);
  const std::int64_t rows =
      d.between(1.0, std::max(2.0, std::min(65536.0, 3e7 / static_cast<double>(width))));
  if (too_large(static_cast<double>(rows * width))) return;
  call("sort.forward.f32", {static_cast<double>(rows), static_cast<double>(width)});
  {
    GraphBuilder b("op");
    const ValueId x = b.parameter("x", {rows, width});
    graph::TopK op;
    op.k = std::min<std::int64_t>(d.of<std::int64_t>({1, 8, 50}), width);
    const ValueId y = b.add_all(op, {x}, "op").front();
    add(std::move(b), y, Precision::fp32, false, false);
  }
  GraphBuilder b("op");
  const ValueId x = b.parameter("x", {rows, width});
  graph::CumulativeSum op;
  op.axis = 1;
  const ValueId y = b.add(op, {x}, "op");
  add(std::move(b), y, Precision::fp32, false, false);
}

void Grid::wide_norm(Draw& d) {
  const std::int64_t width =
      d.of<std::int64_t>({64, 128, 128, 256, 512, 1024, 2048, 2048, 3072, 4096, 4096, 5120, 8192});
  const std::int64_t count = d.between(1.0, 65536.0);
  if (too_large(static_cast<double>(width * count))) return;
  for (const DType dtype : data_types()) {
    GraphBuilder b("op");
    const ValueId x = b.parameter("x", {count, width}, dtype);
    const ValueId weight = b.parameter("weight", {width}, dtype);
    const ValueId y = b.add(graph::RmsNorm{}, {x, weight}, "op");
    add(std::move(b), y, Precision::fp32, false, true);
    if (index_ % 2 != 0) layer_norm_of(count, width, dtype);
  }
}

void Grid::vocabulary_loss(Draw& d) {
  const std::int64_t width = index_ % 2 == 0
                                 ? d.of<std::int64_t>({32000, 50257, 51200, 128256, 151936, 256000})
                                 : d.between(8192.0, 262144.0, 8);
  const std::int64_t rows = d.between(1.0, 16384.0);
  if (too_large(static_cast<double>(rows * width))) return;
  for (const DType dtype : data_types()) {
    for (const bool log : {true, false}) {
      if (log || index_ % 3 == 0) softmax_of(rows, width, dtype, log, log);
    }
  }
}

void Grid::large_embedding(Draw& d) {
  const std::int64_t rows = index_ % 2 == 0
                                ? d.of<std::int64_t>({32000, 50257, 128256, 151936, 256000})
                                : d.between(1e3, 4e6);
  const std::int64_t width = d.of<std::int64_t>({16, 64, 128, 1024, 2048, 2048, 4096, 5120});
  const std::int64_t picked = d.between(1.0, 65536.0);
  if (too_large(static_cast<double>(rows) * static_cast<double>(width)) ||
      too_large(static_cast<double>(picked * width))) {
    return;
  }
  for (const DType dtype : data_types()) {
    GraphBuilder b("op");
    const ValueId table = b.parameter("table", {rows, width}, dtype);
    const ValueId indices = b.constant("indices", {picked}, DType::i64);
    const ValueId y = b.add(graph::Gather{0}, {table, indices}, "op");
    add(std::move(b), y, Precision::fp32, false, true);
  }
}

void Grid::wide_sum(Draw& d) {
  const std::int64_t width = d.between(32.0, 32768.0);
  const std::int64_t rows = d.between(1.0, std::min(262144.0, 4e8 / static_cast<double>(width)));
  const auto all = static_cast<std::int64_t>(std::exp2(10.0 + 18.5 * d.uniform()));
  for (const DType dtype : data_types()) {
    GraphBuilder b("op");
    ValueId y = -1;
    if (index_ % 3 == 2) {
      if (too_large(static_cast<double>(all))) return;
      const ValueId x = b.parameter("x", {all}, dtype);
      y = b.add(graph::Reduce{graph::ReduceFunction::sum, {0}, false}, {x}, "op");
    } else {
      if (too_large(static_cast<double>(rows * width))) return;
      const ValueId x = b.parameter("x", {rows, width}, dtype);
      const bool along = index_ % 3 == 0;
      y = b.add(graph::Reduce{along ? graph::ReduceFunction::mean : graph::ReduceFunction::sum,
                              {along ? 1 : 0},
                              along},
                {x}, "op");
    }
    add(std::move(b), y, Precision::fp32, false, false);
  }
}

void Grid::rare_elementwise(Draw&) {
  const std::int64_t elements = rung(options_.quick ? 5 : 12);
  if (too_large(static_cast<double>(elements))) return;
  using enum graph::UnaryFunction;
  for (const DType dtype : data_types()) {
    for (const graph::UnaryFunction function : {square, sin, cos, log, reciprocal, elu}) {
      unary(function, elements, dtype);
    }
    for (const graph::BinaryFunction function :
         {graph::BinaryFunction::div, graph::BinaryFunction::sub, graph::BinaryFunction::add,
          graph::BinaryFunction::mul}) {
      GraphBuilder b("op");
      const ValueId x = b.parameter("x", {elements}, dtype);
      const ValueId y = b.binary(x, b.parameter("number", {1}, dtype), function, "op");
      add(std::move(b), y, Precision::fp32, false, false);
    }
  }
  if (!any_half_) return;
  GraphBuilder mixed("op");
  const ValueId x = mixed.parameter("x", {elements});
  const ValueId w = mixed.parameter("w", {elements}, DType::bf16);
  const ValueId y = mixed.binary(x, w, graph::BinaryFunction::add, "op");
  add(std::move(mixed), y, Precision::fp32, false, false);
}

void Grid::row_broadcast(Draw& d) {
  const std::int64_t width = d.between(32.0, 16384.0, 8);
  const std::int64_t rows = d.between(1.0, std::min(262144.0, 3e8 / static_cast<double>(width)));
  if (too_large(static_cast<double>(rows * width))) return;
  const bool by_row = index_ % 2 == 0;
  for (const DType dtype : data_types()) {
    GraphBuilder b("op");
    const ValueId x = b.parameter("x", {rows, width}, dtype);
    const ValueId w = b.parameter("w", {by_row ? rows : 1, by_row ? 1 : width}, dtype);
    const ValueId y = b.binary(
        x, w, index_ % 4 < 3 ? graph::BinaryFunction::mul : graph::BinaryFunction::add, "op");
    add(std::move(b), y, Precision::fp32, false, false);
  }
}

void Grid::channels_last_batch_norm(Draw& d) {
  const auto side = d.of<std::int64_t>({7, 14, 14, 28, 28, 56, 56, 112, 112, 128});
  const std::int64_t channels = d.between(16.0, 2048.0, 8);
  const std::int64_t n = any_batch(d);
  if (too_large(n, {side, channels})) return;
  for (const DType dtype : data_types()) {
    for (const bool training : {false, true}) {
      batch_norm_of(n, channels, side, dtype, true, training);
    }
  }
}

void Grid::append(Draw& d) {
  const std::int64_t heads = d.of<std::int64_t>({4, 8, 8, 16, 32});
  const std::int64_t n = d.of<std::int64_t>({1, 1, 2, 4, 8, 16, 32, 64});
  const std::int64_t depth = d.of<std::int64_t>({64, 64, 128, 128, 256});
  const std::int64_t length = d.between(16.0, 32768.0);
  if (too_large(static_cast<double>(n * heads * length * depth))) return;
  const bool halves = index_ % 2 == 1;
  for (const DType dtype : data_types()) {
    GraphBuilder b("op");
    const std::int64_t width = halves ? depth / 2 : depth;
    const ValueId before = b.parameter("before", {n, heads, length, width}, dtype);
    const ValueId added = b.parameter("added", {n, heads, halves ? length : 1, width}, dtype);
    const ValueId y = b.concat({before, added}, halves ? 3 : 2, "op");
    add(std::move(b), y, Precision::fp32, false, false);
  }
}

void Grid::expanded_copy(Draw& d) {
  const auto copies = d.of<std::int64_t>({2, 4, 4, 6, 7, 8});
  const std::int64_t depth = d.of<std::int64_t>({64, 128, 128, 256});
  const std::int64_t heads =
      d.of<std::int64_t>({1, 2, 4, 8, 8}) * d.of<std::int64_t>({1, 1, 4, 16});
  const std::int64_t length = d.between(16.0, 32768.0);
  if (too_large(static_cast<double>(heads * copies * length * depth))) return;
  const auto size = [](std::int64_t extent) { return static_cast<double>(extent); };
  for (const DType dtype : data_types()) {
    call(format("copy_expanded.forward.{}", rooflab::name_of(dtype)),
         {size(heads * copies * length * depth), size(copies), size(length * depth)});
  }
}

void Grid::half_optimizer(Draw& d) {
  if (!any_half_) return;
  const std::int64_t tensors = d.of<std::int64_t>({4, 20, 60, 110, 160, 290});
  const std::int64_t elements = d.between(1e6, 1.5e9);
  const auto chosen =
      index_ % 3 == 2 ? schedule::Optimizer::sgd_momentum : schedule::Optimizer::adam;
  GraphBuilder b("op");
  std::vector<ValueId> used;
  for (std::int64_t i = 0; i < tensors; ++i) {
    const std::int64_t size = i % 2 == 0 ? 2 * elements / tensors : 2048;
    if (too_large(static_cast<double>(size))) return;
    used.push_back(b.parameter(format("p{}", i), {size}, DType::bf16));
  }
  const ValueId y = b.concat(used, 0, "op");
  engine::ProbeItem item;
  item.kind = ProbeKind::optimizer;
  item.graph = graph::to_text(std::move(b).finish({y}));
  item.gradients = true;
  item.optimizer = name_of(chosen);
  placed_.push_back({place_, std::move(item)});
}

void Grid::generator_convolution(Draw& d) {
  const auto side = d.of<std::int64_t>({1, 4, 4, 8, 8, 16, 16, 32, 32, 64, 128});
  const std::int64_t in = d.between(16.0, 1024.0, 8);
  const std::int64_t out = d.of<std::int64_t>({1, 3, 3, 4, 16, 32, 64, 128, 256, 512});
  // Generators' small images come in larger batches than photographs.
  const std::int64_t most = options_.image_batch < 256 ? options_.image_batch : 1024;
  const std::int64_t n = std::min(d.between(1.0, 1024.0), most);
  Volume v{n, in, std::min(in, out), {side, side}, {}};
  const auto kernel = d.of<std::int64_t>({2, 3, 4, 4, 4, 5});
  v.op.kernel = {kernel, kernel};
  const std::int64_t stride = kernel == 3 || kernel == 5 ? 1 : 2;
  v.op.stride = {stride, stride};
  v.op.transposed = true;
  volume_convolution(v, index_ % 3 == 0);
  if (index_ % 2 != 0) return;
  // What discriminators run: the same kernels the other way round.
  v.op.transposed = false;
  v.op.padding_begin.clear();
  v.op.dilation.clear();
  std::swap(v.in, v.out);
  for (std::int64_t& extent : v.sides) extent = std::max(extent * stride, kernel);
  volume_convolution(std::move(v), false);
}

void Grid::long_sequence_convolution(Draw& d) {
  const std::int64_t length = d.between(256.0, 262144.0, 8);
  const std::int64_t in = d.between(16.0, 1024.0, 16);
  Volume v{std::min<std::int64_t>(any_batch(d, 6.0), options_.image_batch),
           in,
           d.of<std::int64_t>({in, in, std::max<std::int64_t>(in / 2, 8), 2 * in}),
           {length},
           {}};
  if (index_ % 3 == 2) {
    const auto stride = d.of<std::int64_t>({2, 2, 4, 8});
    v.op.kernel = {2 * stride};
    v.op.stride = {stride};
    v.op.transposed = true;
    v.sides = {std::max<std::int64_t>(length / stride, 32)};
    v.out = std::max<std::int64_t>(in / 2, 8);
  } else if (index_ % 6 == 1) {
    v.op.groups = d.of<std::int64_t>({2, 4, 8, 16});
    v.in = v.out = std::max<std::int64_t>(in / v.op.groups, 8) * v.op.groups;
    v.op.kernel = {d.of<std::int64_t>({3, 5, 31, 128})};
    v.op.stride = {1};
  } else {
    v.op.kernel = {d.of<std::int64_t>({1, 1, 3, 3, 7, 11})};
    v.op.stride = {std::min(v.op.kernel[0], d.of<std::int64_t>({1, 1, 1, 2}))};
  }
  volume_convolution(std::move(v), false);
}

void Grid::volume(Draw& d) {
  const auto side = d.of<std::int64_t>({8, 16, 16, 32, 32, 64, 64, 96, 128});
  const auto typical = 4096 / side;
  const std::int64_t in = std::clamp<std::int64_t>(typical, 32, 320);
  Volume v{
      any_batch(d, 3.0), in, d.of<std::int64_t>({in, in, in / 2, 2 * in}), {side, side, side}, {}};
  if (index_ % 4 == 3) {
    v.op.kernel = v.op.stride = {2, 2, 2};
    v.op.transposed = true;
    v.out = std::max<std::int64_t>(in / 2, 16);
  } else {
    const auto kernel = d.of<std::int64_t>({3, 3, 3, 3, 1});
    const auto stride = kernel == 3 ? d.of<std::int64_t>({1, 1, 1, 2}) : 1;
    v.op.kernel = {kernel, kernel, kernel};
    v.op.stride = {stride, stride, stride};
  }
  volume_convolution(std::move(v), false);
}

}  // namespace rooflab::probe
