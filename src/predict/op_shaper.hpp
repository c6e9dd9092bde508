#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rooflab/graph/op.hpp"
#include "rooflab/predict/op_model.hpp"

namespace rooflab::predict {

[[nodiscard]] inline std::string_view type_name(DType dtype) { return rooflab::name_of(dtype); }

[[nodiscard]] inline double product_of_extents(std::span<const std::int64_t> extents) {
  double result = 1.0;
  for (const std::int64_t extent : extents) result *= static_cast<double>(extent);
  return result;
}

/// One scheduled op, seen through its schedule.
class OpShaper {
 public:
  OpShaper(const schedule::Schedule& schedule, const schedule::ScheduledOp& op,
           const device::Device& device)
      : schedule_(schedule), op_(op), device_(device) {}

  std::optional<OpShape> shape();

  // ---- kinds of work, called by std::visit
  void operator()(schedule::NodeWork);
  void operator()(schedule::ViewWork) {}
  void operator()(schedule::BiasAddWork) { elementwise("add_broadcast", "forward"); }
  void operator()(schedule::BiasGradientWork) { sum(read(0).type.shape, read(0).strides); }
  void operator()(schedule::BroadcastGradientWork) { sum(read(0).type.shape, read(0).strides); }
  void operator()(schedule::AccumulateWork) { elementwise("add", "forward"); }
  void operator()(schedule::CastWork) { cast(); }
  void operator()(schedule::CopyWork) { copy(); }
  void operator()(schedule::FillWork);
  void operator()(schedule::RandomWork) { elementwise("random", "forward"); }
  void operator()(schedule::CounterWork) {}  // measured together with its batch norm
  void operator()(schedule::LogSoftmaxWork);
  void operator()(schedule::NegativeLogLikelihoodWork) { elementwise("fill", "forward"); }
  void operator()(const schedule::OptimizerWork&);
  void operator()(const schedule::GradScalerWork& work);
  void operator()(const schedule::CollectiveWork&) {}  // its time is the link's

 private:
  // ---- families of ops
  void node(const graph::Conv& conv);
  void node(const graph::Linear&);
  void node(const graph::MatMul&);
  void node(const graph::Attention& attention);
  void node(const graph::Recurrent& recurrent);
  void node(const graph::BatchNorm&);
  void node(const graph::LayerNorm& norm);
  void node(const graph::RmsNorm&) {
    begin_rows("rms_norm", pass(), value(0), static_cast<double>(value(0).shape.from_end(1)));
  }
  void node(const graph::GroupNorm& norm);
  void node(const graph::Softmax& softmax);
  void node(const graph::Unary& unary) {
    elementwise(std::string(graph::name_of(unary.function)), pass());
  }
  void node(const graph::Binary& binary);
  void node(const graph::Dropout&) { elementwise("dropout", pass()); }
  void node(const graph::StochasticDepth&) { elementwise("mul_broadcast", "forward"); }
  void node(const graph::Cast&) { cast(); }
  void node(const graph::Contiguous&) { copy(); }
  void node(const graph::Reshape&) { copy(); }
  void node(const graph::Split&) { copy(); }
  void node(const graph::Slice&) { copy(); }
  void node(const graph::Transpose&) { copy(); }
  void node(const graph::Concat& concat);
  void node(const graph::Pool& pool);
  void node(const graph::AdaptivePool& pool);
  /// Rows picked from a table; the gradient of the table is as large as the table.
  void node(const graph::Gather& gather);
  /// The time of the op that its importer names, for as many bytes; a sort by its rows.
  void node(const graph::Opaque& opaque);
  void node(const graph::Reduce&);

  /// Whatever has no other sizes: by its name and elements. Along an axis, by rows.
  void by_elements();

  /// Updates that go into a tensor in place, a new token into a cache: they move alone, as a gather
  /// the other way round. Where each has its own index or is added, as that number of elements.
  bool moves_updates();
  void elementwise(std::string name, std::string_view pass);
  void cast();

  /// A copy keeps rows whole, or scatters them: the shorter run of neighbours on the two sides.
  void copy();

  /// Elements that the tensor has in memory: an expanded dimension repeats them.
  [[nodiscard]] static double distinct_elements(const schedule::Tensor& tensor);

  /// Elements that lie side by side in both the operand and the result.
  [[nodiscard]] double common_run() const;

  /// A sum that keeps some elements: where in memory order the summed ones lie.
  void sum(const graph::Shape& full, const schedule::Strides& strides);

  /// The result has this dimension: by position where ranks agree, else aligned as the op says.
  [[nodiscard]] bool keeps(const graph::Shape& full, const graph::Shape& small,
                           std::size_t axis) const;

  /// The largest part lies in many pieces as short as the channels of a pixel: halves of the heads'
  /// depth are joined so.
  [[nodiscard]] bool has_short_pieces(const graph::Concat& concat) const;

  /// Rows of several groups, each group times its own matrix: [rows, inner] by [groups, inner,
  /// columns]. In the gradient of the matrices the groups share the rows, which are summed.
  bool grouped_product(const graph::Shape& a, const graph::Shape& b);

  // ---- pieces
  void begin(std::string name, std::string_view pass, std::string_view type) {
    shape_.op = std::move(name);
    shape_.pass = pass;
    shape_.type = type;
  }
  void begin_matrix(std::string name, DType dtype);
  void begin_rows(std::string name, std::string_view pass, const graph::TensorType& x,
                  double width);
  void rows(std::string name, std::string_view pass);
  void planes(double window, double stride);
  void lay_out();
  [[nodiscard]] std::string_view pass() const {
    return is_gradient(op_.pass) ? "backward" : "forward";
  }
  [[nodiscard]] const graph::Node& graph_node() const {
    return schedule_.graph.nodes[static_cast<std::size_t>(op_.node)];
  }
  [[nodiscard]] const graph::Op& op() const { return graph_node().op; }
  [[nodiscard]] bool is_convolution() const {
    return op_.node >= 0 && std::holds_alternative<graph::Conv>(op());
  }
  [[nodiscard]] const graph::TensorType& value(std::size_t input) const {
    return schedule_.graph.type(graph_node().inputs[input]);
  }
  [[nodiscard]] const graph::TensorType& result() const {
    return schedule_.graph.type(graph_node().outputs[0]);
  }
  [[nodiscard]] const schedule::Tensor& read(std::size_t i) const {
    return schedule_.tensor(op_.reads.empty() ? op_.writes[i] : op_.reads[i]);
  }
  [[nodiscard]] const schedule::Tensor& write(std::size_t i) const {
    return schedule_.tensor(op_.writes[i]);
  }
  [[nodiscard]] double all_written() const;
  [[nodiscard]] static double elements_of(const schedule::Tensor& tensor) {
    return product_of_extents(tensor.type.shape.dims());
  }

  const schedule::Schedule& schedule_;
  const schedule::ScheduledOp& op_;
  const device::Device& device_;
  OpShape shape_;
};

}  // namespace rooflab::predict
