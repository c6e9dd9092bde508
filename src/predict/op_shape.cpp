// Kind and sizes of scheduled ops.
//
// Kinds are kept apart where libraries run other kernels: dense, grouped and depthwise convolution;
// forward and each gradient; arithmetic type; memory layout of images; batch norm over a batch and
// with stored statistics; elementwise work by function, broadcast or not; copies by whether rows
// stay whole. Sizes are those by which such kernels' times vary: for a convolution the extents of
// the implicit product, M = batch * pixels, N = out_channels, K = in_channels * kernel.

#include <algorithm>

#include "product_type.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/graph/grouped_product.hpp"
#include "rooflab/graph/op_facts.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/predict/op_model.hpp"

namespace rooflab::predict {
namespace {

using namespace graph;
using schedule::Pass;
using schedule::Schedule;
using schedule::ScheduledOp;
using schedule::Strides;
using schedule::TensorId;

/// A few queries over many keys are bound by reading keys and values: libraries have kernels of
/// their own for them, which cut the keys into pieces. The most queries, the least keys for each.
constexpr double most_decoded = 64.0;
constexpr double keys_of_decoded = 8.0;

/// Ops whose gradients with respect to data and weight are kinds of their own; a gradient of a
/// product of two tensors is such a product whichever it is for, and norms give all at once.
bool splits_gradients(std::string_view op) {
  return op.starts_with("conv") || op == "linear" || is_recurrent(op);
}

std::string_view type_name(DType dtype) { return rooflab::name_of(dtype); }

double product(std::span<const std::int64_t> extents) {
  double result = 1.0;
  for (const std::int64_t extent : extents) result *= static_cast<double>(extent);
  return result;
}

/// One scheduled op, seen through its schedule.
class Shaper {
 public:
  Shaper(const Schedule& schedule, const ScheduledOp& op, const device::Device& device)
      : schedule_(schedule), op_(op), device_(device) {}

  std::optional<OpShape> shape() {
    if (op_.writes.empty()) return std::nullopt;
    std::visit(*this, op_.work);
    if (shape_.op.empty()) return std::nullopt;
    for (double& size : shape_.sizes) size = std::max(size, 1.0);
    return std::move(shape_);
  }

  // ---- kinds of work, called by std::visit
  void operator()(schedule::NodeWork) {
    std::visit(
        [this]<class Struct>(const Struct& op) {
          constexpr Sizes sizes = facts<Struct>.sizes;
          if constexpr (sizes == Sizes::own) {
            node(op);
          } else if constexpr (sizes == Sizes::elements) {
            by_elements();
          }
        },
        op());
  }
  void operator()(schedule::ViewWork) {}
  void operator()(schedule::BiasAddWork) { elementwise("add_broadcast", "forward"); }
  void operator()(schedule::BiasGradientWork) { sum(read(0).type.shape, read(0).strides); }
  void operator()(schedule::BroadcastGradientWork) { sum(read(0).type.shape, read(0).strides); }
  void operator()(schedule::AccumulateWork) { elementwise("add", "forward"); }
  void operator()(schedule::CastWork) { cast(); }
  void operator()(schedule::CopyWork) { copy(); }
  void operator()(schedule::FillWork) {
    begin("fill", "forward", type_name(write(0).type.dtype));
    shape_.sizes = {all_written()};
  }
  void operator()(schedule::RandomWork) { elementwise("random", "forward"); }
  void operator()(schedule::CounterWork) {}  // measured together with its batch norm
  void operator()(schedule::LogSoftmaxWork) {
    rows("log_softmax", op_.reads.size() > 1 ? "backward" : "forward");
  }
  void operator()(schedule::NegativeLogLikelihoodWork) { elementwise("fill", "forward"); }
  void operator()(const schedule::OptimizerWork&) {
    begin(format("optimizer_{}", name_of(schedule_.optimizer)), "step",
          type_name(write(0).type.dtype));
    shape_.sizes = {all_written(), static_cast<double>(op_.writes.size())};
  }
  void operator()(const schedule::GradScalerWork& work) {
    // One multi-tensor pass multiplies all gradients; everything else is a number or two.
    const bool unscales = op_.pass == Pass::optimizer && work.flops_per_element > 0;
    begin(unscales ? "unscale" : "fill", "forward", type_name(write(0).type.dtype));
    shape_.sizes = {all_written()};
  }
  void operator()(const schedule::CollectiveWork&) {}  // its time is the link's

 private:
  // ---- families of ops
  void node(const Conv& conv) {
    const Shape& x = value(0).shape;
    const Shape& weight = value(1).shape;
    const Shape& y = result().shape;
    const std::int64_t groups = conv.groups;
    const std::int64_t in = x[1] / groups;
    const std::int64_t out = y[1] / groups;
    std::string name = format("{}{}d", conv.transposed ? "conv_transpose" : "conv", x.rank() - 2);
    if (groups > 1) name += in == 1 ? "_depthwise" : "_grouped";
    begin_matrix(std::move(name), value(0).dtype);
    lay_out();
    double stride = 1.0;
    for (const std::int64_t step : conv.stride) stride *= static_cast<double>(step);
    const double pixels =
        product((conv.transposed ? x : y).dims()) /
        (static_cast<double>(x[0]) * static_cast<double>((conv.transposed ? x : y)[1]));
    shape_.sizes = {static_cast<double>(x[0]),
                    pixels,
                    static_cast<double>(in),
                    static_cast<double>(out),
                    static_cast<double>(groups),
                    product(std::span(weight.dims()).subspan(2)),
                    stride};
  }
  void node(const Linear&) {
    begin_matrix("linear", value(0).dtype);
    const double in = static_cast<double>(value(0).shape.from_end(1));
    const double out = static_cast<double>(result().shape.from_end(1));
    shape_.sizes = {product(value(0).shape.dims()) / std::max(in, 1.0), in, out};
  }
  void node(const MatMul&) {
    const Shape& a = value(0).shape;
    const Shape& b = value(1).shape;
    if (a.rank() == 0 || b.rank() == 0) return;
    if (grouped_product(a, b)) return;
    begin_matrix("matmul", value(0).dtype);
    // FP8 multiplies by stored weights, as linear layers do.
    if (shape_.type == "fp8" && a.rank() == 2 && b.rank() == 2) {
      shape_.op = "linear";
      shape_.sizes = {static_cast<double>(a[0]), static_cast<double>(a[1]),
                      static_cast<double>(b[1])};
      return;
    }
    // A vector is a matrix of one row, or of one column.
    const double rows = a.rank() < 2 ? 1.0 : static_cast<double>(a.from_end(2));
    const double inner = static_cast<double>(a.from_end(1));
    const double columns = b.rank() < 2 ? 1.0 : static_cast<double>(b.from_end(1));
    // A gradient is a product of the same three extents.
    shape_.sizes = {product(result().shape.dims()) / std::max(rows * columns, 1.0), rows, inner,
                    columns};
  }
  void node(const Attention& attention) {
    const Shape& q = value(0).shape;
    const Shape& k = value(1).shape;
    const double queries = static_cast<double>(q.from_end(2));
    const double keys = static_cast<double>(k.from_end(2));
    const double depth = static_cast<double>(q.from_end(1));
    const double heads = product(q.dims()) / std::max(queries * depth, 1.0);
    const double group = q.rank() < 3 ? 1.0
                                      : static_cast<double>(q.from_end(3)) /
                                            std::max(static_cast<double>(k.from_end(3)), 1.0);
    const bool masked = graph_node().inputs.size() > 3;
    // Of few queries each kernel is one that reads keys and values; a causal one hides all keys
    // but the first of a single query, so that nothing of the kind is such a step.
    const bool decodes = !is_gradient(op_.pass) && !attention.causal && queries <= most_decoded &&
                         keys >= keys_of_decoded * queries;
    if (decodes) {
      begin_matrix(masked ? "attention_decode_masked" : "attention_decode", value(0).dtype);
      shape_.sizes = {heads, group, queries, keys, depth};
      return;
    }
    std::string name = attention.causal ? "attention_causal"
                       : masked         ? "attention_masked"
                                        : "attention";
    shape_.sizes = {heads, queries, keys, depth};
    if (group > 1.0) {
      name += "_grouped";
      shape_.sizes.insert(shape_.sizes.begin() + 1, group);
    }
    begin_matrix(std::move(name), value(0).dtype);
  }
  void node(const Recurrent& recurrent) {
    const Shape& x = value(0).shape;
    const bool plain = recurrent.gates() == 1;
    begin_matrix(std::string(plain ? "rnn" : rooflab::name_of(recurrent.cell)), value(0).dtype);
    shape_.sizes = {static_cast<double>(x[recurrent.batch_first ? 0 : 1]),
                    static_cast<double>(x[recurrent.batch_first ? 1 : 0]),
                    static_cast<double>(x[2]),
                    static_cast<double>(value(recurrent.first_weight() + 1).shape[1]),
                    static_cast<double>(recurrent.layers),
                    static_cast<double>(recurrent.directions())};
  }
  void node(const BatchNorm&) {
    const Shape& x = value(0).shape;
    const bool stored = schedule_.phase == Phase::inference;
    begin(stored ? "batch_norm_eval" : "batch_norm", pass(), type_name(value(0).dtype));
    lay_out();
    shape_.sizes = {static_cast<double>(x[0]), static_cast<double>(x[1]),
                    product(x.dims()) / std::max(static_cast<double>(x[0] * x[1]), 1.0)};
  }
  void node(const LayerNorm& norm) {
    double width = 1.0;
    const Shape& x = value(0).shape;
    for (std::int64_t i = 1; i <= norm.normalized_rank; ++i) {
      width *= static_cast<double>(x.from_end(static_cast<std::size_t>(i)));
    }
    begin_rows("layer_norm", pass(), value(0), width);
  }
  void node(const RmsNorm&) {
    begin_rows("rms_norm", pass(), value(0), static_cast<double>(value(0).shape.from_end(1)));
  }
  void node(const GroupNorm& norm) {
    const Shape& x = value(0).shape;
    begin_rows("group_norm", pass(), value(0),
               product(x.dims()) / std::max(static_cast<double>(x[0] * norm.groups), 1.0));
  }
  void node(const Softmax& softmax) {
    const Shape& x = value(0).shape;
    const auto rank = static_cast<std::int64_t>(x.rank());
    const std::int64_t axis = softmax.axis < 0 ? softmax.axis + rank : softmax.axis;
    begin_rows(softmax.log ? "log_softmax" : "softmax", pass(), value(0),
               static_cast<double>(x[static_cast<std::size_t>(axis)]));
  }
  void node(const Unary& unary) {
    elementwise(std::string(graph::name_of(unary.function)), pass());
  }
  void node(const Binary& binary) {
    const std::string name(graph::name_of(binary.function));
    if (is_gradient(op_.pass)) return elementwise(name, "backward");
    const bool broadcast = value(0).shape != value(1).shape;
    const bool mixed = value(0).dtype != value(1).dtype;
    elementwise(name + (broadcast ? "_broadcast" : mixed ? "_mixed" : ""), "forward");
  }
  void node(const Dropout&) { elementwise("dropout", pass()); }
  void node(const StochasticDepth&) { elementwise("mul_broadcast", "forward"); }
  void node(const Cast&) { cast(); }
  void node(const Contiguous&) { copy(); }
  void node(const Reshape&) { copy(); }
  void node(const Split&) { copy(); }
  void node(const Slice&) { copy(); }
  void node(const Transpose&) { copy(); }
  void node(const Concat& concat) {
    if (is_gradient(op_.pass)) return copy();
    begin("concat", "forward", type_name(write(0).type.dtype));
    // Parts along the channels lie in one piece a sample in NCHW, in one a pixel in NHWC.
    lay_out();
    if (shape_.layout == "nchw") shape_.layout = has_short_pieces(concat) ? "nhwc" : "";
    shape_.sizes = {elements_of(write(0)), static_cast<double>(op_.reads.size())};
  }
  void node(const Pool& pool) {
    begin(pool.kind == PoolKind::max ? "max_pool" : "average_pool", pass(),
          type_name(value(0).dtype));
    lay_out();
    planes(product(pool.kernel), product(pool.stride));
  }
  void node(const AdaptivePool& pool) {
    const Shape& x = value(0).shape;
    const Shape& y = result().shape;
    const double window = product(x.dims()) / std::max(product(y.dims()), 1.0);
    const double pixels = product(std::span(y.dims()).subspan(2));
    if (pool.kind == PoolKind::average && pixels == 1.0) {
      if (is_gradient(op_.pass)) return elementwise("mul_broadcast", "forward");
      return sum(x, read(0).strides);
    }
    begin(pool.kind == PoolKind::max ? "adaptive_max_pool" : "adaptive_average_pool", pass(),
          type_name(value(0).dtype));
    lay_out();
    planes(window, window);
  }
  /// Rows picked from a table; the gradient of the table is as large as the table.
  void node(const Gather& gather) {
    const Shape& table = value(0).shape;
    const double rows = static_cast<double>(table[static_cast<std::size_t>(gather.axis)]);
    const double picked = product(value(1).shape.dims());
    begin("gather", pass(), type_name(value(0).dtype));
    shape_.sizes = {picked, product(result().shape.dims()) / std::max(picked, 1.0), rows};
  }
  /// The time of the op that its importer names, for as many bytes; a sort by its rows.
  void node(const Opaque& opaque) {
    if (opaque.like.empty()) return;
    if (opaque.like == "sort" && !op_.reads.empty() && read(0).type.shape.rank() > 0) {
      const TensorType& x = read(0).type;
      return begin_rows(opaque.like, "forward", x, static_cast<double>(x.shape.from_end(1)));
    }
    double bytes = 0.0;
    for (const std::vector<TensorId>* list : {&op_.reads, &op_.writes}) {
      for (const TensorId id : *list) bytes += schedule_.tensor(id).distinct_bytes().as_double();
    }
    elementwise(opaque.like, "forward");
    const double elements = bytes / element_bytes(shape_.type);
    if (opaque.like == "sum") {
      shape_.sizes = {1.0, 1.0, elements};
    } else {
      const OpWork one = work_of({opaque.like, "forward", shape_.type, "", {1.0}});
      shape_.sizes = {bytes / one.bytes};
    }
  }
  void node(const Reduce&) {
    if (is_gradient(op_.pass)) return elementwise("mul_broadcast", "forward");
    sum(value(0).shape, read(0).strides);
  }

  /// Whatever has no sizes of its own: by its name and elements. Along an axis, by rows.
  void by_elements() {
    if (moves_updates()) return;
    const std::string name = graph::name_of(op());
    std::optional<std::int64_t> axis;
    if (const auto* top = std::get_if<TopK>(&op())) axis = top->axis;
    if (const auto* sum = std::get_if<CumulativeSum>(&op())) axis = sum->axis;
    const Shape& x = value(0).shape;
    if (!axis || x.rank() == 0) return elementwise(name, pass());
    const auto place =
        static_cast<std::size_t>(*axis < 0 ? *axis + static_cast<std::int64_t>(x.rank()) : *axis);
    begin_rows(name, pass(), value(0), static_cast<double>(x[place]));
  }

  /// Updates that go into a tensor in place, a new token into a cache: they move alone, as a gather
  /// the other way round. Where each has an index of its own or is added, as so many elements.
  bool moves_updates() {
    const auto* const scatter = std::get_if<Scatter>(&op());
    if (scatter == nullptr || is_gradient(op_.pass) || op_.reads.size() > 2) return false;
    const Shape& into = value(0).shape;
    const Shape& updates = value(2).shape;
    const double moved = product(updates.dims());
    const bool adds = scatter->reduction != ScatterReduction::none;
    const bool one_by_one = value(1).shape == updates;
    const std::string_view type = type_name(write(0).type.dtype);
    if (adds || one_by_one) {
      begin(adds ? "scatter" : "gather_elements", "forward", type);
      shape_.sizes = {moved};
      return true;
    }
    double width = 1.0;
    for (std::size_t i = 1; i <= std::min(into.rank(), updates.rank()); ++i) {
      if (into.from_end(i) != updates.from_end(i)) break;
      width *= static_cast<double>(into.from_end(i));
    }
    begin("gather", "forward", type);
    shape_.sizes = {moved / width, width, product(into.dims()) / width};
    return true;
  }

  void elementwise(std::string name, std::string_view pass) {
    DType type = write(0).type.dtype;
    for (const TensorId id : op_.reads) {
      const DType read_type = schedule_.tensor(id).type.dtype;
      if (is_floating(read_type)) {
        type = read_type;
        break;
      }
    }
    begin(std::move(name), pass, type_name(type));
    double elements = elements_of(write(0));
    for (const TensorId id : op_.reads) {
      elements = std::max(elements, elements_of(schedule_.tensor(id)));
    }
    shape_.sizes = {elements};
  }

  void cast() {
    const bool strided = read(0).strides != write(0).strides;
    begin(format("cast_{}{}", type_name(write(0).type.dtype), strided ? "_strided" : ""), "forward",
          type_name(read(0).type.dtype));
    shape_.sizes = {elements_of(write(0))};
  }

  /// A copy keeps rows whole, or scatters them: the shorter run of neighbours on the two sides.
  void copy() {
    if (op_.reads.size() > 1) {
      begin("concat", "forward", type_name(write(0).type.dtype));
      shape_.sizes = {elements_of(write(0)), static_cast<double>(op_.reads.size())};
      return;
    }
    if (op_.reads.empty()) return elementwise("fill", "forward");
    const double run = common_run();
    const double elements = std::min(elements_of(read(0)), elements_of(write(0)));
    const std::string_view type = type_name(write(0).type.dtype);
    const double copies = elements_of(read(0)) / distinct_elements(read(0));
    if (copies > 1.0) {
      begin("copy_expanded", "forward", type);
      shape_.sizes = {elements, copies, std::min(run, elements / copies)};
    } else if (run >= elements) {
      begin("copy", "forward", type);
      shape_.sizes = {elements};
    } else {
      begin("copy_strided", "forward", type);
      shape_.sizes = {elements, run};
    }
  }

  /// Elements that the tensor has in memory: an expanded dimension repeats them.
  [[nodiscard]] static double distinct_elements(const schedule::Tensor& tensor) {
    return std::max(
        tensor.distinct_bytes().as_double() / static_cast<double>(size_of(tensor.type.dtype)), 1.0);
  }

  /// Elements that lie side by side in both the operand and the result.
  [[nodiscard]] double common_run() const {
    const schedule::Tensor& from = read(0);
    const schedule::Tensor& to = write(0);
    if (from.type.shape != to.type.shape) return elements_of(to);
    double run = 1.0;
    std::vector<bool> used(from.type.shape.rank(), false);
    while (true) {
      bool grown = false;
      for (std::size_t i = 0; i < used.size(); ++i) {
        if (used[i]) continue;
        const auto extent = static_cast<double>(from.type.shape[i]);
        const bool next = extent == 1.0 || (static_cast<double>(from.strides[i]) == run &&
                                            static_cast<double>(to.strides[i]) == run);
        if (!next) continue;
        used[i] = true;
        run *= extent;
        grown = true;
      }
      if (!grown) return run;
    }
  }

  /// A sum that keeps some elements: where in memory order the summed ones lie.
  void sum(const Shape& full, const Strides& strides) {
    const double all = product(full.dims());
    const double kept = std::max(elements_of(write(0)), 1.0);
    // The extent of the innermost summed dimensions: those that the result has lost.
    double inner = 1.0;
    const Shape& small = write(0).type.shape;
    std::vector<std::size_t> axes(full.rank());
    for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = i;
    std::ranges::sort(axes, {}, [&strides](std::size_t axis) { return strides[axis]; });
    for (const std::size_t axis : axes) {
      if (full[axis] == 1) continue;
      if (keeps(full, small, axis)) break;
      inner *= static_cast<double>(full[axis]);
    }
    inner = std::min(inner, all / kept);
    begin("sum", "forward", type_name(read(0).type.dtype));
    shape_.sizes = {all / kept / inner, kept, inner};
  }

  /// The result has this dimension: by position where ranks agree, else aligned as the op says.
  [[nodiscard]] bool keeps(const Shape& full, const Shape& small, std::size_t axis) const {
    if (small.rank() == full.rank()) return small[axis] == full[axis];
    if (std::holds_alternative<schedule::BiasGradientWork>(op_.work)) {
      return axis == (full.rank() > 2 && is_convolution() ? 1 : full.rank() - 1);
    }
    if (const auto* reduce = std::get_if<Reduce>(&op())) {
      return std::ranges::find(reduce->axes, static_cast<std::int64_t>(axis)) == reduce->axes.end();
    }
    return axis + small.rank() >= full.rank();
  }

  /// The largest part lies in many pieces as short as the channels of a pixel: halves of the heads'
  /// depth are joined so.
  [[nodiscard]] bool has_short_pieces(const Concat& concat) const {
    constexpr double short_piece = 256.0;
    const Shape& whole = result().shape;
    const auto rank = static_cast<std::int64_t>(whole.rank());
    const auto axis = static_cast<std::size_t>(concat.axis < 0 ? concat.axis + rank : concat.axis);
    double longest = 0.0;
    for (const ValueId id : graph_node().inputs) {
      const Shape& part = schedule_.graph.type(id).shape;
      if (part.rank() != whole.rank()) return false;
      longest = std::max(longest, product(std::span(part.dims()).subspan(axis)));
    }
    return longest < short_piece && product(std::span(whole.dims()).first(axis)) > short_piece;
  }

  /// Rows of several groups, each group times a matrix of its own: [rows, inner] by [groups, inner,
  /// columns]. In the gradient of the matrices the groups share the rows, which are summed.
  bool grouped_product(const Shape& a, const Shape& b) {
    const Shape& y = write(0).type.shape;
    const std::optional<std::int64_t> matrices = graph::matrices_read(a, b, y);
    const bool of_matrices = a.rank() == 2 && b.rank() == 2 && y.rank() == 3;
    if (!matrices && !of_matrices) return false;
    begin_matrix("grouped_matmul", value(0).dtype);
    shape_.pass = matrices ? "forward" : "weight_gradient";
    shape_.sizes = matrices ? std::vector{static_cast<double>(*matrices), static_cast<double>(a[0]),
                                          static_cast<double>(a[1]), static_cast<double>(b[2])}
                            : std::vector{static_cast<double>(y[0]), static_cast<double>(a[1]),
                                          static_cast<double>(a[0]), static_cast<double>(b[1])};
    return true;
  }

  // ---- pieces
  void begin(std::string name, std::string_view pass, std::string_view type) {
    shape_.op = std::move(name);
    shape_.pass = pass;
    shape_.type = type;
  }
  void begin_matrix(std::string name, DType dtype) {
    // In the backward pass without being a gradient: a forward product that is computed again.
    const bool splits = splits_gradients(name) && op_.pass != Pass::backward;
    begin(std::move(name), splits ? name_of(op_.pass) : pass(),
          product_type(dtype, schedule_.precision_of(op_), device_));
  }
  void begin_rows(std::string name, std::string_view pass, const TensorType& x, double width) {
    begin(std::move(name), pass, type_name(x.dtype));
    shape_.sizes = {product(x.shape.dims()) / std::max(width, 1.0), width};
  }
  void rows(std::string name, std::string_view pass) {
    const schedule::Tensor& x = write(0);
    begin_rows(std::move(name), pass, x.type, static_cast<double>(x.type.shape.from_end(1)));
  }
  void planes(double window, double stride) {
    const Shape& y = result().shape;
    const double count = static_cast<double>(y[0]) * static_cast<double>(y[1]);
    shape_.sizes = {count, product(y.dims()) / std::max(count, 1.0), window, stride};
  }
  void lay_out() {
    const schedule::Tensor& tensor = op_.reads.empty() ? write(0) : read(0);
    shape_.layout = tensor.type.shape.rank() >= 4 &&
                            schedule::is_channels_last(tensor.type.shape, tensor.strides)
                        ? "nhwc"
                        : "nchw";
  }
  [[nodiscard]] std::string_view pass() const {
    return is_gradient(op_.pass) ? "backward" : "forward";
  }
  [[nodiscard]] const Node& graph_node() const {
    return schedule_.graph.nodes[static_cast<std::size_t>(op_.node)];
  }
  [[nodiscard]] const Op& op() const { return graph_node().op; }
  [[nodiscard]] bool is_convolution() const {
    return op_.node >= 0 && std::holds_alternative<Conv>(op());
  }
  [[nodiscard]] const TensorType& value(std::size_t input) const {
    return schedule_.graph.type(graph_node().inputs[input]);
  }
  [[nodiscard]] const TensorType& result() const {
    return schedule_.graph.type(graph_node().outputs[0]);
  }
  [[nodiscard]] const schedule::Tensor& read(std::size_t i) const {
    return schedule_.tensor(op_.reads.empty() ? op_.writes[i] : op_.reads[i]);
  }
  [[nodiscard]] const schedule::Tensor& write(std::size_t i) const {
    return schedule_.tensor(op_.writes[i]);
  }
  [[nodiscard]] double all_written() const {
    double elements = 0.0;
    for (const TensorId id : op_.writes) elements += elements_of(schedule_.tensor(id));
    return elements;
  }
  [[nodiscard]] static double elements_of(const schedule::Tensor& tensor) {
    return product(tensor.type.shape.dims());
  }

  const Schedule& schedule_;
  const ScheduledOp& op_;
  const device::Device& device_;
  OpShape shape_;
};

}  // namespace

std::string OpShape::kind() const {
  std::string name = op + "." + pass + "." + type;
  if (!layout.empty()) name += "." + layout;
  return name;
}

OpShape shape_of_kind(std::string_view kind) {
  std::vector<std::string> parts = split(kind, '.');
  parts.resize(4);
  return {parts[0], parts[1], parts[2], parts[3], {}};
}

std::optional<OpShape> shape_of(const Schedule& schedule, const ScheduledOp& op,
                                const device::Device& device) {
  return Shaper(schedule, op, device).shape();
}

OpShape shape_of(const Graph& graph, const AttentionModule& module, Precision precision,
                 const device::Device& device) {
  const TensorType& x = graph.type(module.x);
  const double heads = static_cast<double>(module.heads);
  return {"attention_module",
          "forward",
          std::string(product_type(x.dtype, precision, device)),
          "",
          {static_cast<double>(x.shape[0]), static_cast<double>(x.shape[1]), heads,
           static_cast<double>(module.width) / heads}};
}

}  // namespace rooflab::predict
