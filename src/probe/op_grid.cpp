// The grid of single ops.
//
// Shapes are drawn, with a fixed seed, from what networks have in common and not from any of them:
// images of 7 to 224 pixels a side, channels that double as sides halve, times a factor; kernels
// mostly 3x3 and 1x1; batches of 1 to 256. Products, attention, norms and elementwise ops likewise
// from ranges. Every family is a list; the lists are merged so that each first part of the grid
// holds the same share of every family.

#include "rooflab/probe/op_grid.hpp"

#include <algorithm>
#include <cmath>

#include "rooflab/base/text.hpp"
#include "rooflab/graph/attention_module.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/graph/text_form.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::probe {
namespace {

using engine::ProbeItem;
using engine::ProbeKind;
using graph::GraphBuilder;
using graph::Shape;
using graph::ValueId;

/// Numbers that are the same on every machine. Source: Steele, Lea, Flood, "Fast splittable
/// pseudorandom number generators", 2014 (splitmix64).
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  template <class T>
  T of(std::initializer_list<T> choices) {
    return choices.begin()[next() % choices.size()];
  }
  /// About evenly spread over the logarithm, a multiple of `step`.
  std::int64_t between(double least, double most, std::int64_t step = 1) {
    const double value = least * std::pow(most / least, uniform());
    return std::max(
        step, static_cast<std::int64_t>(std::llround(value / static_cast<double>(step))) * step);
  }

 private:
  std::uint64_t state_;
};

struct Type {
  DType dtype = DType::f32;
  Precision precision = Precision::fp32;
};

class Grid {
 public:
  explicit Grid(const GridOptions& options) : options_(options) {
    matrix_types_.push_back({DType::f32, Precision::fp32});
    if (options.tf32) matrix_types_.push_back({DType::f32, Precision::tf32});
    if (options.half) matrix_types_.push_back({DType::bf16, Precision::fp32});
    data_types_.push_back(DType::f32);
    if (options.half) data_types_.push_back(DType::bf16);
  }

  std::vector<ProbeItem> items() {
    // A family's number seeds its draws: shapes stay the same when another family is added.
    family(1, 900, &Grid::dense_convolution);
    family(2, 130, &Grid::stem);
    family(3, 230, &Grid::depthwise_convolution);
    family(4, 150, &Grid::grouped_convolution);
    family(5, 260, &Grid::linear);
    family(6, 70, &Grid::matmul);
    family(7, 90, &Grid::attention);
    family(8, 50, &Grid::attention_module);
    family(9, 16, &Grid::movement);
    family(10, 150, &Grid::batch_norm);
    family(11, 60, &Grid::rows);
    family(12, 70, &Grid::pool);
    family(13, 25, &Grid::adaptive_pool);
    family(14, 70, &Grid::sum);
    family(15, 16, &Grid::elementwise);
    family(16, 30, &Grid::broadcast);
    family(17, 40, &Grid::strided_copy);
    family(18, 30, &Grid::concat);
    family(19, 30, &Grid::optimizer);
    family(20, 30, &Grid::lattice_convolution);
    std::ranges::stable_sort(placed_, {}, &Placed::place);
    std::vector<ProbeItem> all;
    for (Placed& one : placed_) all.push_back(std::move(one.item));
    return all;
  }

 private:
  struct Placed {
    double place;
    ProbeItem item;
  };

  /// Draws `count` shapes of a family; what they add is spread evenly over the list.
  void family(std::uint64_t number, int count, void (Grid::*draw_one)(Draw&)) {
    constexpr std::uint64_t seed = 20090401;
    const int shapes = options_.quick ? std::max(5, count / 12) : count;
    Draw draw(seed + 1000 * number);
    for (int i = 0; i < shapes; ++i) {
      place_ = (i + 0.5) / shapes;
      (this->*draw_one)(draw);
      ++index_;
    }
    index_ = 0;
  }

  void add(GraphBuilder&& builder, ValueId output, Precision precision, bool channels_last,
           bool gradients) {
    placed_.push_back({place_,
                       {ProbeKind::op,
                        graph::to_text(std::move(builder).finish({output})),
                        precision,
                        channels_last,
                        gradients,
                        {}}});
  }
  [[nodiscard]] bool too_large(double elements) const {
    return elements * 4.0 * 3.0 > options_.memory_bytes || elements > 4.5e8;
  }
  [[nodiscard]] std::int64_t batch(Draw& d) const {
    const std::int64_t n = d.of<std::int64_t>({1, 1, 4, 8, 16, 32, 32, 64, 64, 128, 256, 256});
    return std::min<std::int64_t>(n, options_.image_batch);
  }
  /// Side of an image, and the channels that networks have there.
  struct Image {
    std::int64_t side;
    std::int64_t channels;
  };
  static Image image(Draw& d) {
    const auto side = d.of<std::int64_t>(
        {7, 7, 7, 8, 13, 14, 14, 14, 14, 17, 28, 28, 28, 28, 35, 56, 56, 56, 27, 112, 112, 224});
    const double typical =
        64.0 * 56.0 / static_cast<double>(std::clamp<std::int64_t>(side, 7, 112));
    const double factor = d.of<double>({0.25, 0.5, 0.5, 0.75, 1.0, 1.0, 1.0, 1.5, 2.0, 2.0, 4.0});
    const std::int64_t step = d.of<std::int64_t>({8, 16, 32, 32, 64});
    const auto exact = static_cast<std::int64_t>(typical * factor);
    return {side, std::max<std::int64_t>(step, exact / step * step)};
  }

  struct Convolution {
    std::int64_t n, in, out, side;
    std::int64_t kernel_h = 1, kernel_w = 1, stride = 1, groups = 1, padding = -1;
  };
  void convolution(const Convolution& c, const Type& type, bool channels_last) {
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
    const double flops = 2.0 * n * pixels / stride * static_cast<double>(c.in / c.groups) *
                         static_cast<double>(c.out * c.kernel_h * c.kernel_w);
    const double speed =
        options_.flops_per_s *
        (type.dtype == DType::f32 && type.precision == Precision::fp32 ? 1.0 : 6.0);
    if (flops / speed > 0.015) return;
    if (too_large(n * pixels * static_cast<double>(c.in)) ||
        too_large(n * pixels / stride * static_cast<double>(c.out))) {
      return;
    }
    GraphBuilder b("op");
    const ValueId x = b.parameter("x", {c.n, c.in, c.side, c.side}, type.dtype);
    const ValueId w =
        b.parameter("w", {c.out, c.in / c.groups, c.kernel_h, c.kernel_w}, type.dtype);
    const ValueId y = b.add(std::move(op), {x, w}, "op");
    add(std::move(b), y, type.precision, channels_last, true);
  }
  void convolution_in_all_types(const Convolution& c, bool channels_last) {
    for (const Type& type : matrix_types_) convolution(c, type, channels_last);
  }

  void dense_convolution(Draw& d) {
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
      for (const Type& type : matrix_types_) {
        // FP32 without tensor cores gains nothing in this layout: it is rare.
        const bool plain = type.dtype == DType::f32 && type.precision == Precision::fp32;
        if (!plain || index_ % 10 == 0) convolution(c, type, true);
      }
    }
  }

  /// 3x3 and 1x1 with stride 1 on the powers of two that most convolutional networks stand on:
  /// libraries choose other algorithms (Winograd, FFT) for neighbouring shapes of these, so that
  /// interpolation between them is unsure.
  void lattice_convolution(Draw&) {
    constexpr std::int64_t sides[] = {56, 28, 14, 7, 112, 224};
    constexpr std::int64_t batches[] = {32, 1, 128, 256, 8};
    const std::int64_t side = sides[index_ % 6];
    const std::int64_t n = std::min<std::int64_t>(batches[index_ / 6 % 5], options_.image_batch);
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
      convolution_in_all_types(c, false);
    }
  }

  void stem(Draw& d) {
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

  void depthwise_convolution(Draw& d) {
    const auto side = d.of<std::int64_t>({7, 14, 28, 56, 112});
    const std::int64_t channels =
        d.between(2000.0 / static_cast<double>(side), 14000.0 / static_cast<double>(side), 8);
    Convolution c{batch(d), channels, channels, side};
    c.groups = channels;
    c.kernel_h = c.kernel_w = d.of<std::int64_t>({3, 3, 5, 7});
    c.stride = d.of<std::int64_t>({1, 1, 1, 2});
    const bool channels_last = index_ % 2 == 0;
    for (const Type& type : matrix_types_) {
      // The native kernel for images in NCHW knows no TF32.
      if (channels_last || type.precision != Precision::tf32) convolution(c, type, channels_last);
    }
  }

  void grouped_convolution(Draw& d) {
    const Image at = image(d);
    const auto width = d.of<std::int64_t>({4, 8, 16, 24, 32, 48, 64, 112});
    Convolution c{batch(d), 0, 0, std::min<std::int64_t>(at.side, 112)};
    c.groups = std::clamp<std::int64_t>(at.channels * d.of<std::int64_t>({1, 2}) / width, 2, 64);
    c.in = c.out = width * c.groups;
    c.kernel_h = c.kernel_w = 3;
    c.stride = d.of<std::int64_t>({1, 1, 1, 2});
    convolution_in_all_types(c, index_ % 5 == 0);
  }

  void linear(Draw& d) {
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
    for (const Type& type : matrix_types_) {
      const bool plain = type.dtype == DType::f32 && type.precision == Precision::fp32;
      if (flops / (options_.flops_per_s * (plain ? 1.0 : 6.0)) > 0.015) continue;
      if (too_large(static_cast<double>(m * std::max(k, n)))) continue;
      GraphBuilder b("op");
      const ValueId x = b.parameter("x", {m, k}, type.dtype);
      const ValueId w = b.parameter("w", {n, k}, type.dtype);
      const ValueId bias = b.parameter("b", {n}, type.dtype);
      const ValueId y = b.add(graph::Linear{}, {x, w, bias}, "op");
      add(std::move(b), y, type.precision, false, true);
    }
  }

  void matmul(Draw& d) {
    const std::int64_t b = d.between(1.0, 4096.0);
    const std::int64_t m = d.of<std::int64_t>({16, 49, 64, 128, 197, 512});
    const std::int64_t k = d.of<std::int64_t>({32, 64, 64, 128, 197, 49});
    const std::int64_t n = d.of<std::int64_t>({32, 49, 64, 128, 197, 512});
    if (too_large(static_cast<double>(b * m * n))) return;
    for (const Type& type : matrix_types_) {
      GraphBuilder builder("op");
      const ValueId x = builder.parameter("x", {b, m, k}, type.dtype);
      const ValueId w = builder.parameter("w", {b, k, n}, type.dtype);
      const ValueId y = builder.add(graph::MatMul{}, {x, w}, "op");
      add(std::move(builder), y, type.precision, false, true);
    }
  }

  void attention(Draw& d) {
    const std::int64_t n = batch(d);
    const auto heads = d.of<std::int64_t>({3, 6, 8, 12, 12, 16});
    const auto length = d.of<std::int64_t>({49, 64, 128, 197, 197, 256, 512, 1024});
    const auto depth = d.of<std::int64_t>({32, 64, 64, 64, 128});
    if (too_large(static_cast<double>(n * heads * length * depth) * 2.0)) return;
    if (static_cast<double>(n * heads * length * length * depth) > 8e10) return;
    for (const Type& type : matrix_types_) {
      for (const bool gradients : {false, true}) {
        GraphBuilder b("op");
        std::vector<ValueId> operands;
        for (const char* name : {"q", "k", "v"}) {
          // As attention modules hand them over: heads inside the sequence.
          const ValueId x = b.parameter(name, {n, length, heads, depth}, type.dtype);
          operands.push_back(b.transpose(x, {0, 2, 1, 3}, format("{}_heads", name)));
        }
        const ValueId y = b.add(graph::Attention{}, operands, "op");
        add(std::move(b), y, type.precision, false, gradients);
      }
    }
  }

  /// What evaluation runs as one call; under autocast its ops run one by one, so fp32 data only.
  void attention_module(Draw& d) {
    const std::int64_t n = batch(d);
    const auto heads = d.of<std::int64_t>({6, 8, 12, 12, 16});
    const auto length = d.of<std::int64_t>({50, 65, 128, 197, 197, 257, 512});
    const auto depth = d.of<std::int64_t>({32, 64, 64, 64, 80});
    if (too_large(static_cast<double>(n * heads * length) * static_cast<double>(length + depth))) {
      return;
    }
    for (const Type& type : matrix_types_) {
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

  /// Padding and rows picked by index: what moves data by kernels of its own.
  void movement(Draw& d) {
    const Image at = image(d);
    const std::int64_t n = batch(d);
    if (too_large(static_cast<double>(n * at.channels * at.side * at.side))) return;
    for (const DType dtype : data_types_) {
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

  void batch_norm(Draw& d) {
    const auto side = d.of<std::int64_t>({7, 7, 14, 14, 28, 28, 56, 56, 112});
    const auto channels = d.of<std::int64_t>(
        {16, 24, 32, 48, 64, 64, 96, 128, 128, 192, 256, 256, 384, 512, 512, 768, 1024, 2048});
    const std::int64_t n = batch(d);
    if (too_large(static_cast<double>(n * channels * side * side))) return;
    for (const DType dtype : data_types_) {
      for (const bool training : {false, true}) {
        GraphBuilder b("op");
        const ValueId x = b.parameter("x", {n, channels, side, side}, dtype);
        const ValueId weight = b.parameter("weight", {channels});
        const ValueId bias = b.parameter("bias", {channels});
        const ValueId mean = b.buffer("running_mean", {channels});
        const ValueId variance = b.buffer("running_var", {channels});
        const ValueId y = b.add(graph::BatchNorm{}, {x, weight, bias, mean, variance}, "op");
        add(std::move(b), y, Precision::fp32, index_ % 4 == 0, training);
      }
    }
  }

  void rows(Draw& d) {
    const auto width = d.of<std::int64_t>({64, 96, 128, 192, 256, 384, 512, 768, 768, 1024, 1280});
    const std::int64_t count = batch(d) * d.of<std::int64_t>({1, 49, 128, 197, 197, 784, 3136});
    if (too_large(static_cast<double>(width * count))) return;
    for (const DType dtype : data_types_) {
      GraphBuilder norm("op");
      ValueId x = norm.parameter("x", {count, width}, dtype);
      const ValueId weight = norm.parameter("weight", {width}, dtype);
      const ValueId bias = norm.parameter("bias", {width}, dtype);
      ValueId y = norm.add(graph::LayerNorm{}, {x, weight, bias}, "op");
      add(std::move(norm), y, Precision::fp32, false, true);
      const std::int64_t classes = index_ % 2 == 0 ? width : d.of<std::int64_t>({49, 197, 1000});
      if (too_large(static_cast<double>(classes * count))) continue;
      GraphBuilder softmax("op");
      x = softmax.parameter("x", {count, classes}, dtype);
      y = softmax.add(graph::Softmax{-1, index_ % 3 == 0}, {x}, "op");
      add(std::move(softmax), y, Precision::fp32, false, true);
    }
  }

  void pool(Draw& d) {
    const auto side = d.of<std::int64_t>({13, 14, 27, 28, 55, 56, 112, 112, 224});
    const Image at{side, d.of<std::int64_t>({32, 64, 64, 96, 128, 192, 256, 480, 512})};
    const std::int64_t n = batch(d);
    if (too_large(static_cast<double>(n * at.channels * side * side))) return;
    struct Window {
      std::int64_t size, stride, padding;
    };
    const auto window = d.of<Window>({{2, 2, 0}, {3, 2, 1}, {3, 2, 0}, {3, 1, 1}});
    for (const DType dtype : data_types_) {
      GraphBuilder b("op");
      const ValueId x = b.parameter("x", {n, at.channels, side, side}, dtype);
      const bool average = index_ % 3 == 2;
      const ValueId y =
          b.pool(x, average ? graph::PoolKind::average : graph::PoolKind::max, "op",
                 {.kernel = window.size, .stride = window.stride, .padding = window.padding});
      add(std::move(b), y, Precision::fp32, index_ % 5 == 0, true);
    }
  }

  /// Windows of unequal size, or of one pixel, by a kernel of its own.
  void adaptive_pool(Draw& d) {
    const auto size = d.of<std::int64_t>({6, 7, 7, 7});
    const auto side = size * d.of<std::int64_t>({1, 1, 2, 4});
    const std::int64_t channels = d.between(64.0, 1024.0, 32);
    const std::int64_t n = batch(d);
    if (too_large(static_cast<double>(n * channels * side * side))) return;
    for (const DType dtype : data_types_) {
      GraphBuilder b("op");
      const ValueId x = b.parameter("x", {n, channels, side, side}, dtype);
      const ValueId y = b.adaptive_pool(x, "op", size);
      add(std::move(b), y, Precision::fp32, false, true);
    }
  }

  void sum(Draw& d) {
    const Image at = image(d);
    const std::int64_t n = batch(d);
    if (too_large(static_cast<double>(n * at.channels * at.side * at.side))) return;
    for (const DType dtype : data_types_) {
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

  /// One size of every function.
  void elementwise(Draw& d) {
    const int shapes = options_.quick ? 5 : 16;
    // Sizes in a mixed order, so that a probe that stops early has large ones too.
    const int rung = options_.quick ? index_ * 3 % shapes : index_ * 7 % shapes;
    const double exponent = 10.0 + 18.5 * rung / (shapes - 1);
    const auto elements = static_cast<std::int64_t>(std::exp2(exponent)) / 8 * 8;
    if (too_large(static_cast<double>(elements))) return;
    using enum graph::UnaryFunction;
    for (const DType dtype : data_types_) {
      for (const graph::UnaryFunction function :
           {relu, gelu, silu, sigmoid, hardswish, hardsigmoid, tanh, relu6}) {
        if (function != relu && d.uniform() < 0.3) continue;
        GraphBuilder b("op");
        const ValueId x = b.parameter("x", {elements}, dtype);
        const ValueId y = b.unary(x, function, "op");
        add(std::move(b), y, Precision::fp32, false, true);
      }
      for (const graph::BinaryFunction function :
           {graph::BinaryFunction::add, graph::BinaryFunction::mul}) {
        GraphBuilder b("op");
        const ValueId x = b.parameter("x", {elements}, dtype);
        const ValueId w = b.parameter("w", {elements}, dtype);
        const ValueId y = b.binary(x, w, function, "op");
        add(std::move(b), y, Precision::fp32, false, true);
      }
      GraphBuilder dropout("op");
      ValueId x = dropout.parameter("x", {elements}, dtype);
      ValueId y = dropout.dropout(x, "op", 0.5);
      add(std::move(dropout), y, Precision::fp32, false, true);
      if (data_types_.size() < 2) continue;
      GraphBuilder cast("op");
      x = cast.parameter("x", {elements}, dtype);
      y = cast.add(graph::Cast{dtype == DType::f32 ? DType::bf16 : DType::f32}, {x}, "op");
      add(std::move(cast), y, Precision::fp32, false, false);
    }
    if (data_types_.size() < 2) return;
    GraphBuilder mixed("op");
    const ValueId x = mixed.parameter("x", {elements}, DType::bf16);
    const ValueId w = mixed.parameter("w", {elements}, DType::f32);
    const ValueId y = mixed.binary(x, w, graph::BinaryFunction::add, "op");
    add(std::move(mixed), y, Precision::fp32, false, false);
  }

  void broadcast(Draw& d) {
    const Image at = image(d);
    const std::int64_t n = batch(d);
    if (too_large(static_cast<double>(n * at.channels * at.side * at.side))) return;
    for (const DType dtype : data_types_) {
      GraphBuilder b("op");
      const ValueId x = b.parameter("x", {n, at.channels, at.side, at.side}, dtype);
      const bool scaled = index_ % 2 == 0;
      const ValueId w = b.parameter("w", {scaled ? n : 1, at.channels, 1, 1}, dtype);
      const ValueId y =
          b.binary(x, w, scaled ? graph::BinaryFunction::mul : graph::BinaryFunction::add, "op");
      add(std::move(b), y, Precision::fp32, index_ % 5 == 0, false);
    }
  }

  void strided_copy(Draw& d) {
    const Image at = image(d);
    const std::int64_t n = batch(d);
    if (too_large(static_cast<double>(n * at.channels * at.side * at.side))) return;
    for (const DType dtype : data_types_) {
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
          x = b.transpose(b.parameter("x", {n, at.side * at.side, heads, depth}, dtype),
                          {0, 2, 1, 3}, "turn");
        }
      }
      const ValueId y = b.add(graph::Contiguous{}, {x}, "op");
      add(std::move(b), y, Precision::fp32, false, false);
    }
  }

  void concat(Draw& d) {
    const Image at = image(d);
    const std::int64_t n = batch(d);
    const auto parts = d.of<std::int64_t>({2, 2, 3, 4, 6, 12, 24});
    if (too_large(static_cast<double>(n * at.channels * at.side * at.side))) return;
    for (const DType dtype : data_types_) {
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
      add(std::move(b), y, Precision::fp32, false, false);
    }
  }

  void optimizer(Draw& d) {
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
                        Precision::fp32, false, true, std::string(schedule::name_of(chosen))}});
  }

  GridOptions options_;
  std::vector<Type> matrix_types_;
  std::vector<DType> data_types_;
  std::vector<Placed> placed_;
  double place_ = 0.0;
  int index_ = 0;
};

}  // namespace

std::vector<ProbeItem> op_grid(const GridOptions& options) { return Grid(options).items(); }

}  // namespace rooflab::probe
