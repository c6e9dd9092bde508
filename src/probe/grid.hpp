#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "draw.hpp"
#include "op_grid.hpp"
#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::probe {

/// How a product's numbers are stored and multiplied.
struct Type {
  DType dtype = DType::f32;
  Precision precision = Precision::fp32;
};

/// The grid of single ops: a function for each family draws one of its shapes and adds the items.
/// The essay is at the head of op_grid.cpp.
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

  /// Draws `count` shapes of a family; what they add is spread evenly over the list.
  void family(std::uint64_t number, int count, void (Grid::*draw_one)(Draw&));

  /// Types of the present shape. fp16 runs on the units of bf16 with equal bytes: every second
  /// shape of a product and every third of the others shows how alike the two are.
  [[nodiscard]] std::vector<Type> matrix_types() const;
  [[nodiscard]] std::vector<DType> data_types() const;

  void add(graph::GraphBuilder&& builder, graph::ValueId output, Precision precision,
           bool channels_last, bool gradients);
  [[nodiscard]] bool too_large(double elements) const {
    return elements * 4.0 * 3.0 > options_.memory_bytes || elements > 4.5e8;
  }
  [[nodiscard]] std::int64_t batch(Draw& d) const;
  /// Any number from 1 to 2^doublings, evenly over its logarithm.
  [[nodiscard]] std::int64_t any_batch(Draw& d, double doublings = 8.0) const;
  /// Side of an image, and the channels that networks have there.
  struct Image {
    std::int64_t side;
    std::int64_t channels;
  };
  static Image image(Draw& d);
  /// Sides that most convolutional networks have: 224 pixels, halved.
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
  /// 3x3 and 1x1 with the channels that networks have at that side.
  void lattice_at(std::int64_t n, std::int64_t side, bool channels_last);
  /// A convolution of any rank, transposed ones too; added in all types.
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

  /// Number of elements of the present of `shapes` sizes, from 2^10 to 2^28.5.
  [[nodiscard]] std::int64_t rung(int shapes) const;
  void unary(graph::UnaryFunction function, std::int64_t elements, DType dtype);
  void binary(graph::BinaryFunction function, std::int64_t elements, DType dtype);

  // Families, each a shape a call.
  void dense_convolution(Draw& d);
  /// 3x3 and 1x1 with stride 1 on the powers of two that most convolutional networks stand on:
  /// libraries choose other algorithms (Winograd, FFT) for neighbouring shapes of these, so that
  /// interpolation between them is unsure.
  void lattice_convolution(Draw&);
  /// The same in channels-last order, and on the sides that images of 144 to 384 pixels lead to.
  void channels_last_lattice_convolution(Draw&);
  void other_side_lattice_convolution(Draw&);
  void stem(Draw& d);
  void depthwise_convolution(Draw& d);
  void grouped_convolution(Draw& d);
  /// Images whose sides are not those of 224 pixels halved: 160 to 384 pixels and their halves.
  void other_side_convolution(Draw& d);
  /// Channels that are not multiples of 8.
  void unaligned_convolution(Draw& d);
  void channels_last_convolution(Draw& d);
  /// Groups of 8 to 264 channels.
  void wide_group_convolution(Draw& d);
  /// 3x3 over the batches that people use, where FP32 has algorithms of several kinds.
  void square_convolution(Draw&);
  void transposed_convolution(Draw& d);
  void sequence_convolution(Draw& d);
  void video_convolution(Draw& d);

  void linear(Draw& d);
  /// Features that are not multiples of 8, vocabularies among them.
  void unaligned_linear(Draw& d);
  /// Features of powers of two, and of one more or less, on both sides.
  void uneven_linear(Draw& d);
  void matmul(Draw& d);
  void unaligned_matmul(Draw& d);
  void attention(Draw& d);
  /// Causal and masked attention, and long sequences.
  void language_attention(Draw& d);
  /// Lengths that fill no tile, as of images in patches with a class token, and the whole tiles
  /// below.
  void uneven_attention(Draw& d);
  /// What evaluation runs as one call; under autocast its ops run one by one, so fp32 data only.
  void attention_module(Draw& d);
  /// Padding and rows picked by index: what moves data by kernels of its own.
  void movement(Draw& d);
  /// LSTM, GRU and plain cells in turn, from a given state, as long as their product allows.
  void recurrent(Draw& d);
  void embedding(Draw& d);
  void scatter(Draw& d);
  void resize(Draw& d);

  void batch_norm(Draw& d);
  void rows(Draw& d);
  /// Logarithms of softmax over vocabularies, softmax over long sequences.
  void wide_rows(Draw& d);
  void group_norm(Draw& d);
  void pool(Draw& d);
  void average_pool(Draw& d);
  /// Windows of unequal size, or of one pixel, by a kernel of its own.
  void adaptive_pool(Draw& d);
  void sum(Draw& d);
  /// One size of every function.
  void elementwise(Draw& d);
  /// Likewise of those that are rarer.
  void other_elementwise(Draw& d);
  void broadcast(Draw& d);
  void strided_copy(Draw& d);
  /// Windows, shuffled channels, turned matrices.
  void permuted_copy(Draw& d);
  void concat(Draw& d);
  void optimizer(Draw& d);

  // Ops that several families have, with operands of the given sizes.
  void batch_norm_of(std::int64_t n, std::int64_t channels, std::int64_t side, DType dtype,
                     bool channels_last, bool training);
  void layer_norm_of(std::int64_t count, std::int64_t width, DType dtype);
  void softmax_of(std::int64_t count, std::int64_t width, DType dtype, bool log, bool gradients);
  void linear_of(std::int64_t m, std::int64_t k, std::int64_t n, bool bias, bool gradients,
                 const Type& type);

  // What language models run (decode_grid.cpp).
  /// Types of the present shape of what generation runs: all in bf16, a quarter each in fp16 and
  /// FP32; FP32 alone without 16-bit units.
  [[nodiscard]] std::vector<Type> generation_types() const;
  struct Heads {
    std::int64_t n, heads, group, queries, keys, depth;

    [[nodiscard]] std::int64_t key_elements() const { return n * heads / group * keys * depth; }
  };
  void attention_over(const Heads& at, bool causal, bool masked, const Type& type, bool gradients);
  /// Few queries over the keys of a cache; heads of a group share keys.
  void decode_attention(Draw& d);
  void masked_decode_attention(Draw& d);
  /// Causal attention of whole prompts, of single heads and of groups.
  void prompt_attention(Draw& d);
  /// Queries unlike keys: over an encoder's result, pieces of a prompt.
  void cross_attention(Draw& d);
  /// A product takes more than 10 ms on units that are `speed` times as fast as plain FP32.
  [[nodiscard]] bool takes_long(std::int64_t m, std::int64_t k, std::int64_t n,
                                double speed = 6.0) const;
  /// A linear layer that is neither too large nor takes long.
  void bounded_linear(std::int64_t m, std::int64_t k, std::int64_t n, bool bias, bool gradients,
                      const Type& type);
  /// 1 to 64 rows by large weights, which no cache holds.
  void few_row_linear(Draw& d);
  /// Widths of language models by the rows of a prompt.
  void wide_linear(Draw& d);
  /// One feature to 64 on one side.
  void narrow_linear(Draw& d);
  void large_matmul(Draw& d);
  /// Rows of several groups, each times its own matrix.
  void grouped_product(Draw& d);
  void fp8_linear(Draw& d);

  // What else programs run (program_grid.cpp).
  void call(std::string kind, std::vector<double> sizes);
  void copy_and_fill(Draw&);
  /// Sorting, the largest, sums along rows, over vocabularies too.
  void selection(Draw& d);
  /// Norms over the widths of language models.
  void wide_norm(Draw& d);
  void vocabulary_loss(Draw& d);
  void large_embedding(Draw& d);
  /// Sums along rows, over rows, and of everything.
  void wide_sum(Draw& d);
  void rare_elementwise(Draw&);
  /// A row, or a number for each row, with a matrix.
  void row_broadcast(Draw& d);
  void channels_last_batch_norm(Draw& d);
  /// A cache and what is appended; halves of the heads' depth.
  void append(Draw& d);
  /// Keys and values, repeated for the heads that share them.
  void expanded_copy(Draw& d);
  void half_optimizer(Draw& d);
  /// Image generators: few channels at the end, kernels of 2 to 5, large batches of small images.
  void generator_convolution(Draw& d);
  /// Over long sequences: dense, grouped, transposed.
  void long_sequence_convolution(Draw& d);
  /// Over volumes of 8 to 128 a side, and transposed.
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
