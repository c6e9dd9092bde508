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
  }

  std::vector<engine::ProbeItem> items();

 private:
  struct Placed {
    double place;
    engine::ProbeItem item;
  };

  /// Draws `count` shapes of a family; what they add is spread evenly over the list.
  void family(std::uint64_t number, int count, void (Grid::*draw_one)(Draw&));

  void add(graph::GraphBuilder&& builder, graph::ValueId output, Precision precision,
           bool channels_last, bool gradients);
  [[nodiscard]] bool too_large(double elements) const {
    return elements * 4.0 * 3.0 > options_.memory_bytes || elements > 4.5e8;
  }
  [[nodiscard]] std::int64_t batch(Draw& d) const;
  /// Side of an image, and the channels that networks have there.
  struct Image {
    std::int64_t side;
    std::int64_t channels;
  };
  static Image image(Draw& d);
  [[nodiscard]] bool too_large(std::int64_t n, const Image& at) const {
    return too_large(static_cast<double>(n * at.channels * at.side * at.side));
  }

  struct Convolution {
    std::int64_t n, in, out, side;
    std::int64_t kernel_h = 1, kernel_w = 1, stride = 1, groups = 1, padding = -1;
  };
  void convolution(const Convolution& c, const Type& type, bool channels_last);
  void convolution_in_all_types(const Convolution& c, bool channels_last);

  // Families, each a shape a call.
  void dense_convolution(Draw& d);
  /// 3x3 and 1x1 with stride 1 on the powers of two that most convolutional networks stand on:
  /// libraries choose other algorithms (Winograd, FFT) for neighbouring shapes of these, so that
  /// interpolation between them is unsure.
  void lattice_convolution(Draw&);
  void stem(Draw& d);
  void depthwise_convolution(Draw& d);
  void grouped_convolution(Draw& d);

  void linear(Draw& d);
  void matmul(Draw& d);
  void attention(Draw& d);
  /// What evaluation runs as one call; under autocast its ops run one by one, so fp32 data only.
  void attention_module(Draw& d);
  /// Padding and rows picked by index: what moves data by kernels of its own.
  void movement(Draw& d);

  void batch_norm(Draw& d);
  void rows(Draw& d);
  void pool(Draw& d);
  /// Windows of unequal size, or of one pixel, by a kernel of its own.
  void adaptive_pool(Draw& d);
  void sum(Draw& d);
  /// One size of every function.
  void elementwise(Draw& d);
  void broadcast(Draw& d);
  void strided_copy(Draw& d);
  void concat(Draw& d);
  void optimizer(Draw& d);

  GridOptions options_;
  std::vector<Type> matrix_types_;
  std::vector<DType> data_types_;
  std::vector<Placed> placed_;
  double place_ = 0.0;
  int index_ = 0;
};

}  // namespace rooflab::probe
