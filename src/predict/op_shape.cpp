// Kind and sizes of scheduled ops.
//
// Kinds are kept apart where libraries run other kernels: dense, grouped and depthwise convolution;
// forward and each gradient; arithmetic type; memory layout of images; batch norm over a batch and
// with stored statistics; elementwise work by function, broadcast or not; copies by whether rows
// stay whole. Sizes are those by which such kernels' times vary: for a convolution the extents of
// the implicit product, M = batch * pixels, N = out_channels, K = in_channels * kernel.

#include <algorithm>

#include "base/format.hpp"
#include "op_shaper.hpp"
#include "product_type.hpp"
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

}  // namespace

std::optional<OpShape> OpShaper::shape() {
  if (op_.writes.empty()) return std::nullopt;
  std::visit(*this, op_.work);
  if (shape_.op.empty()) return std::nullopt;
  for (double& size : shape_.sizes) size = std::max(size, 1.0);
  return std::move(shape_);
}

void OpShaper::operator()(schedule::NodeWork) {
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

void OpShaper::operator()(schedule::FillWork) {
  begin("fill", "forward", type_name(write(0).type.dtype));
  shape_.sizes = {all_written()};
}

void OpShaper::operator()(schedule::LogSoftmaxWork) {
  rows("log_softmax", op_.reads.size() > 1 ? "backward" : "forward");
}

void OpShaper::operator()(const schedule::OptimizerWork&) {
  begin(format("optimizer_{}", name_of(schedule_.optimizer)), "step",
        type_name(write(0).type.dtype));
  shape_.sizes = {all_written(), static_cast<double>(op_.writes.size())};
}

void OpShaper::operator()(const schedule::GradScalerWork& work) {
  // One multi-tensor pass multiplies all gradients; everything else is a number or two.
  const bool unscales = op_.pass == Pass::optimizer && work.flops_per_element > 0;
  begin(unscales ? "unscale" : "fill", "forward", type_name(write(0).type.dtype));
  shape_.sizes = {all_written()};
}

void OpShaper::node(const BatchNorm&) {
  const Shape& x = value(0).shape;
  const bool stored = schedule_.phase == Phase::inference;
  begin(stored ? "batch_norm_eval" : "batch_norm", pass(), type_name(value(0).dtype));
  lay_out();
  shape_.sizes = {static_cast<double>(x[0]), static_cast<double>(x[1]),
                  product_of_extents(x.dims()) / std::max(static_cast<double>(x[0] * x[1]), 1.0)};
}

void OpShaper::node(const LayerNorm& norm) {
  double width = 1.0;
  const Shape& x = value(0).shape;
  for (std::int64_t i = 1; i <= norm.normalized_rank; ++i) {
    width *= static_cast<double>(x.from_end(static_cast<std::size_t>(i)));
  }
  begin_rows("layer_norm", pass(), value(0), width);
}

void OpShaper::node(const GroupNorm& norm) {
  const Shape& x = value(0).shape;
  begin_rows("group_norm", pass(), value(0),
             product_of_extents(x.dims()) / std::max(static_cast<double>(x[0] * norm.groups), 1.0));
}

void OpShaper::node(const Softmax& softmax) {
  const Shape& x = value(0).shape;
  const auto rank = static_cast<std::int64_t>(x.rank());
  const std::int64_t axis = softmax.axis < 0 ? softmax.axis + rank : softmax.axis;
  begin_rows(softmax.log ? "log_softmax" : "softmax", pass(), value(0),
             static_cast<double>(x[static_cast<std::size_t>(axis)]));
}

void OpShaper::node(const Binary& binary) {
  const std::string name(graph::name_of(binary.function));
  if (is_gradient(op_.pass)) return elementwise(name, "backward");
  const bool broadcast = value(0).shape != value(1).shape;
  const bool mixed = value(0).dtype != value(1).dtype;
  elementwise(name + (broadcast ? "_broadcast" : mixed ? "_mixed" : ""), "forward");
}

void OpShaper::node(const Pool& pool) {
  begin(pool.kind == PoolKind::max ? "max_pool" : "average_pool", pass(),
        type_name(value(0).dtype));
  lay_out();
  planes(product_of_extents(pool.kernel), product_of_extents(pool.stride));
}

void OpShaper::node(const AdaptivePool& pool) {
  const Shape& x = value(0).shape;
  const Shape& y = result().shape;
  const double window = product_of_extents(x.dims()) / std::max(product_of_extents(y.dims()), 1.0);
  const double pixels = product_of_extents(std::span(y.dims()).subspan(2));
  if (pool.kind == PoolKind::average && pixels == 1.0) {
    if (is_gradient(op_.pass)) return elementwise("mul_broadcast", "forward");
    return sum(x, read(0).strides);
  }
  begin(pool.kind == PoolKind::max ? "adaptive_max_pool" : "adaptive_average_pool", pass(),
        type_name(value(0).dtype));
  lay_out();
  planes(window, window);
}

void OpShaper::node(const Opaque& opaque) {
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

void OpShaper::node(const Reduce&) {
  if (is_gradient(op_.pass)) return elementwise("mul_broadcast", "forward");
  sum(value(0).shape, read(0).strides);
}

void OpShaper::by_elements() {
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

void OpShaper::elementwise(std::string name, std::string_view pass) {
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

void OpShaper::sum(const Shape& full, const Strides& strides) {
  const double all = product_of_extents(full.dims());
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

bool OpShaper::keeps(const Shape& full, const Shape& small, std::size_t axis) const {
  if (small.rank() == full.rank()) return small[axis] == full[axis];
  if (std::holds_alternative<schedule::BiasGradientWork>(op_.work)) {
    return axis == (full.rank() > 2 && is_convolution() ? 1 : full.rank() - 1);
  }
  if (const auto* reduce = std::get_if<Reduce>(&op())) {
    return std::ranges::find(reduce->axes, static_cast<std::int64_t>(axis)) == reduce->axes.end();
  }
  return axis + small.rank() >= full.rank();
}

void OpShaper::begin_rows(std::string name, std::string_view pass, const TensorType& x,
                          double width) {
  begin(std::move(name), pass, type_name(x.dtype));
  shape_.sizes = {product_of_extents(x.shape.dims()) / std::max(width, 1.0), width};
}

void OpShaper::rows(std::string name, std::string_view pass) {
  const schedule::Tensor& x = write(0);
  begin_rows(std::move(name), pass, x.type, static_cast<double>(x.type.shape.from_end(1)));
}

void OpShaper::planes(double window, double stride) {
  const Shape& y = result().shape;
  const double count = static_cast<double>(y[0]) * static_cast<double>(y[1]);
  shape_.sizes = {count, product_of_extents(y.dims()) / std::max(count, 1.0), window, stride};
}

void OpShaper::lay_out() {
  const schedule::Tensor& tensor = op_.reads.empty() ? write(0) : read(0);
  shape_.layout =
      tensor.type.shape.rank() >= 4 && schedule::is_channels_last(tensor.type.shape, tensor.strides)
          ? "nhwc"
          : "nchw";
}

double OpShaper::all_written() const {
  double elements = 0.0;
  for (const TensorId id : op_.writes) elements += elements_of(schedule_.tensor(id));
  return elements;
}

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
  return OpShaper(schedule, op, device).shape();
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
