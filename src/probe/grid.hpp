#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "draw.hpp"
#include "op_grid.hpp"
#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::probe {

/// Storage type and precision of a product.
struct Type {
  DType dtype = DType::f32;
  Precision precision = Precision::fp32;
};

/// The grid of single ops: a function per family draws one shape and adds its items. The essay is
/// at the head of op_grid.cpp.
class Grid {
 public:
  explicit Grid(const GridOptions& options) : options_(options) {
    matrix_types_.push_back({DType::f32, Precision::fp32});
    if (options.tf32) matrix_types_.push_back({DType::f32, Precision::tf32});
    if (options.half) matrix_types_.push_back({DType::bf16, Precision::fp32});
    data_types_.push_back(DType::f32);
    if (options.half) data_types_.push_back(DType::bf16);
    any_half_ = options.half;
  }

  std::vector<engine::ProbeItem> items();

 private:
  struct Placed {
    double place;
    engine::ProbeItem item;
  };

  struct Family {
    std::uint64_t number;
    int count;  ///< number of its shapes
    void (Grid::*draw_one)(Draw&);
  };
  static const std::array<Family, 69> families;

  /// Draws the shapes of a family; what they add is spread evenly over the list.
  void family(const Family& of);

  /// Types of the current shape. fp16 runs on the units of bf16 with equal bytes, so it is measured
  /// only for every second shape of a product and every third of the others.
  [[nodiscard]] std::vector<Type> matrix_types() const;
  [[nodiscard]] std::vector<DType> data_types() const;

  void add(graph::GraphBuilder&& builder, graph::ValueId output, Precision precision,
           bool channels_last, bool gradients);
  [[nodiscard]] bool too_large(double elements) const {
    return elements * 4.0 * 3.0 > options_.memory_bytes || elements > 4.5e8;
  }
  [[nodiscard]] std::int64_t batch(Draw& d) const;
  /// Draws a number from 1 to 2^doublings, uniformly in its logarithm.
  [[nodiscard]] std::int64_t any_batch(Draw& d, double doublings = 8.0) const;
  /// Side of an image, and typical channels at that side.
  struct Image {
    std::int64_t side;
    std::int64_t channels;
  };
  static Image image(Draw& d);
  /// Sides in most convolutional networks: 224 pixels, halved repeatedly.
  static constexpr std::int64_t common_sides[] = {56, 28, 14, 7, 112, 224};
  [[nodiscard]] bool too_large(std::int64_t n, const Image& at) const {
    return too_large(static_cast<double>(n * at.channels * at.side * at.side));
  }

  struct Convolution {
    std::int64_t n, in, out, side;
    std::int64_t kernel_h = 1, kernel_w = 1, stride = 1, groups = 1, padding = -1;
  };
  void convolution(const Convolution& c, const Type& type, bool channels_last);
  void convolution_in_all_types(const Convolution& c, bool channels_last);
  /// Adds 3x3 and 1x1 convolutions with typical channels at that side.
  void lattice_at(std::int64_t n, std::int64_t side, bool channels_last);
  /// A convolution of any rank, also transposed, which is added in all types.
  struct Volume {
    std::int64_t n, in, out;
    std::vector<std::int64_t> sides;
    graph::Conv op;  ///< kernel and stride; padding follows from them
  };
  void volume_convolution(Volume v, bool channels_last);

  void matmul_of(std::int64_t b, std::int64_t m, std::int64_t k, std::int64_t n);
  /// Samples of an attention, each of which has that work: up to 128, as the largest op allows.
  [[nodiscard]] std::int64_t attention_batch(Draw& d, std::int64_t work) const;
  void attention_of(std::int64_t n, std::int64_t heads, std::int64_t length, std::int64_t depth,
                    bool causal, bool masked);
  struct Window {
    std::int64_t size, stride, padding;
  };
  void pool_of(std::int64_t n, const Image& at, graph::PoolKind kind, const Window& window,
               bool channels_last);

  /// Number of elements of the current one of `shapes` sizes, from 2^10 to 2^28.5.
  [[nodiscard]] std::int64_t rung(int shapes) const;
  void unary(graph::UnaryFunction function, std::int64_t elements, DType dtype);
  void binary(graph::BinaryFunction function, std::int64_t elements, DType dtype);

  // Families; each call adds one shape.
  void dense_convolution(Draw& d);
  /// Adds 3x3 and 1x1 convolutions with stride 1 on the powers of two of most convolutional
  /// networks: libraries choose other algorithms (Winograd, FFT) for neighbouring shapes, so that
  /// interpolation between them is uncertain.
  void lattice_convolution(Draw&);
  /// Adds lattice convolutions (3x3 and 1x1, stride 1, powers of two) in channels-last order, also
  /// on the sides that follow from images of 144 to 384 pixels.
  void channels_last_lattice_convolution(Draw&);
  void other_side_lattice_convolution(Draw&);
  void stem(Draw& d);
  void depthwise_convolution(Draw& d);
  void grouped_convolution(Draw& d);
  /// Adds convolutions on other image sides than 224 pixels halved: 160 to 384 pixels and their
  /// halves.
  void other_side_convolution(Draw& d);
  /// Adds convolutions with channels that are not multiples of 8.
  void unaligned_convolution(Draw& d);
  void channels_last_convolution(Draw& d);
  /// Adds convolutions with groups of 8 to 264 channels.
  void wide_group_convolution(Draw& d);
  /// Adds 3x3 convolutions over usual batches, for which FP32 has several kinds of algorithms.
  void square_convolution(Draw&);
  void transposed_convolution(Draw& d);
  void sequence_convolution(Draw& d);
  void video_convolution(Draw& d);

  void linear(Draw& d);
  /// Adds linear layers with features that are not multiples of 8, including vocabularies.
  void unaligned_linear(Draw& d);
  /// Adds linear layers with powers of two as features, and one more or less, on both sides.
  void uneven_linear(Draw& d);
  void matmul(Draw& d);
  void unaligned_matmul(Draw& d);
  void attention(Draw& d);
  /// Adds causal and masked attention, and long sequences.
  void language_attention(Draw& d);
  /// Adds attention with lengths that do not fill tiles, as for images in patches with a class
  /// token, and with the whole tiles below.
  void uneven_attention(Draw& d);
  /// Adds the attention module that evaluation runs as one call, only on fp32 data: under autocast
  /// its ops run one by one.
  void attention_module(Draw& d);
  /// Adds padding and rows picked by index, which have separate kernels for moving data.
  void movement(Draw& d);
  /// Adds LSTM, GRU and plain cells in turn, from a given state, as large as their product allows.
  void recurrent(Draw& d);
  void embedding(Draw& d);
  void scatter(Draw& d);
  void resize(Draw& d);

  void batch_norm(Draw& d);
  void rows(Draw& d);
  /// Adds log softmax over vocabularies and softmax over long sequences.
  void wide_rows(Draw& d);
  void group_norm(Draw& d);
  void pool(Draw& d);
  void average_pool(Draw& d);
  /// Adds adaptive pooling with windows of unequal size or of one pixel, which have a separate
  /// kernel.
  void adaptive_pool(Draw& d);
  void sum(Draw& d);
  /// Adds one size of every common elementwise function.
  void elementwise(Draw& d);
  /// Adds one size of every rarer elementwise function.
  void other_elementwise(Draw& d);
  void broadcast(Draw& d);
  void strided_copy(Draw& d);
  /// Adds copies of windows, shuffled channels and transposed matrices.
  void permuted_copy(Draw& d);
  void concat(Draw& d);
  void optimizer(Draw& d);

  // Ops of several families, with operands of the given sizes.
  void batch_norm_of(std::int64_t n, std::int64_t channels, std::int64_t side, DType dtype,
                     bool channels_last, bool training);
  void layer_norm_of(std::int64_t count, std::int64_t width, DType dtype);
  void softmax_of(std::int64_t count, std::int64_t width, DType dtype, bool log, bool gradients);
  void linear_of(std::int64_t m, std::int64_t k, std::int64_t n, bool bias, bool gradients,
                 const Type& type);

  // Ops of language models (decode_grid.cpp).
  /// Types of the current shape for generation: all in bf16, a quarter each in fp16 and FP32; only
  /// FP32 without 16-bit units.
  [[nodiscard]] std::vector<Type> generation_types() const;
  struct Heads {
    std::int64_t n, heads, group, queries, keys, depth;

    [[nodiscard]] std::int64_t key_elements() const { return n * heads / group * keys * depth; }
  };
  void attention_over(const Heads& at, bool causal, bool masked, const Type& type, bool gradients);
  /// Adds attention of few queries over the keys of a cache; heads of a group share keys.
  void decode_attention(Draw& d);
  void masked_decode_attention(Draw& d);
  /// Adds causal attention of whole prompts, with single heads and groups.
  void prompt_attention(Draw& d);
  /// Adds attention with different numbers of queries and keys: over an encoder's result, parts of
  /// a prompt.
  void cross_attention(Draw& d);
  /// Whether a product takes more than 10 ms on units that are `speed` times as fast as plain FP32.
  [[nodiscard]] bool takes_long(std::int64_t m, std::int64_t k, std::int64_t n,
                                double speed = 6.0) const;
  /// Adds a linear layer unless it is too large or takes too long.
  void bounded_linear(std::int64_t m, std::int64_t k, std::int64_t n, bool bias, bool gradients,
                      const Type& type);
  /// Adds products of 1 to 64 rows with large weights, which do not fit in a cache.
  void few_row_linear(Draw& d);
  /// Adds linear layers with widths of language models and the rows of a prompt.
  void wide_linear(Draw& d);
  /// Adds linear layers with 1 to 64 features on one side.
  void narrow_linear(Draw& d);
  void large_matmul(Draw& d);
  /// Adds products of several groups of rows, each with a separate matrix.
  void grouped_product(Draw& d);
  void fp8_linear(Draw& d);

  // Other ops of programs (program_grid.cpp).
  void call(std::string kind, std::vector<double> sizes);
  void copy_and_fill(Draw&);
  /// Adds sorting, selection of the largest, and sums along rows, also over vocabularies.
  void selection(Draw& d);
  /// Adds norms over the widths of language models.
  void wide_norm(Draw& d);
  void vocabulary_loss(Draw& d);
  void large_embedding(Draw& d);
  /// Adds sums along rows, over rows, and of everything.
  void wide_sum(Draw& d);
  void rare_elementwise(Draw&);
  /// Adds elementwise ops of a matrix with a row, or with a number per row.
  void row_broadcast(Draw& d);
  void channels_last_batch_norm(Draw& d);
  /// Adds concatenations of a cache with new rows, and of halves of the heads' depth.
  void append(Draw& d);
  /// Adds copies of keys and values, repeated for the heads that share them.
  void expanded_copy(Draw& d);
  void half_optimizer(Draw& d);
  /// Adds convolutions of image generators: few channels at the end, kernels of 2 to 5, large
  /// batches of small images.
  void generator_convolution(Draw& d);
  /// Adds convolutions over long sequences: dense, grouped, transposed.
  void long_sequence_convolution(Draw& d);
  /// Adds convolutions over volumes with sides of 8 to 128, also transposed.
  void volume(Draw& d);

  GridOptions options_;
  std::vector<Type> matrix_types_;
  std::vector<DType> data_types_;
  bool any_half_ = false;
  std::vector<Placed> placed_;
  double place_ = 0.0;
  int index_ = 0;
};

}  // namespace rooflab::probe
