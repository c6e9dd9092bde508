// Reductions, scans, selections and pooling.

#include <algorithm>
#include <array>

#include "rules.hpp"

namespace rooflab::recording {
namespace {

using graph::ReduceFunction;

struct ReductionName {
  std::string_view name;
  ReduceFunction function;
};
constexpr std::array reduction_names = {
    ReductionName{"sum", ReduceFunction::sum},
    ReductionName{"nansum", ReduceFunction::sum},
    ReductionName{"count_nonzero", ReduceFunction::sum},
    ReductionName{"mean", ReduceFunction::mean},
    ReductionName{"amax", ReduceFunction::maximum},
    ReductionName{"amin", ReduceFunction::minimum},
    ReductionName{"any", ReduceFunction::maximum},
    ReductionName{"all", ReduceFunction::minimum},
    ReductionName{"prod", ReduceFunction::product},
    ReductionName{"argmax", ReduceFunction::arg_max},
    ReductionName{"argmin", ReduceFunction::arg_min},
    ReductionName{"norm", ReduceFunction::l2},
    ReductionName{"linalg_vector_norm", ReduceFunction::l2},
    ReductionName{"logsumexp", ReduceFunction::log_sum_exp},
    ReductionName{"_logsumexp", ReduceFunction::log_sum_exp},
    // larger_or_smaller() asks for these by the names above
    ReductionName{"max", ReduceFunction::maximum},
    ReductionName{"min", ReduceFunction::minimum},
};

bool reduce(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor x = view.in(0);
  const STensor y = view.out(0);
  if (x == no_tensor || y == no_tensor) return false;
  const auto named = std::ranges::find(reduction_names, view.name(), &ReductionName::name);
  graph::Reduce op;
  op.function = named == reduction_names.end() ? ReduceFunction::sum : named->function;
  if (op.function == ReduceFunction::l2 && view.number_or("ord", view.number_or("p", 2.0)) == 1.0) {
    op.function = ReduceFunction::l1;
  }
  const graph::Shape& full = l.shape(x);
  for (const std::int64_t axis : view.integers("dim")) op.axes.push_back(axis_of(axis, full));
  if (op.axes.empty()) {
    for (std::size_t i = 0; i < full.rank(); ++i) op.axes.push_back(static_cast<std::int64_t>(i));
  }
  std::ranges::sort(op.axes);
  op.keep_dims = view.flag("keepdim", false);
  emit_node(view, std::move(op), {l.value(x)}, {x}, view.all_out(), view.plain_pass());
  return true;
}

bool cumulative(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor x = view.in(0);
  if (x == no_tensor || view.out(0) == no_tensor) return false;
  emit_node(view, graph::CumulativeSum{.axis = axis_of(view.integer("dim", 0), l.shape(x))},
            {l.value(x)}, {x}, view.all_out(), view.plain_pass());
  return true;
}

bool top_k(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor x = view.in(0);
  if (x == no_tensor || view.out(0) == no_tensor) return false;
  emit_node(
      view,
      graph::TopK{.k = view.integer("k", 1), .axis = axis_of(view.integer("dim", -1), l.shape(x))},
      {l.value(x)}, {x}, view.all_out(), view.plain_pass());
  return true;
}

/// Spatial dimensions by the name: max_pool2d_with_indices has two.
std::size_t dimensions_of(std::string_view name) {
  const std::size_t digit = name.find_first_of("123");
  return digit == std::string_view::npos ? 2 : static_cast<std::size_t>(name[digit] - '0');
}

graph::Pool pool_of(const OpView& view) {
  const std::size_t rank = dimensions_of(view.name());
  graph::Pool pool;
  pool.kind = view.name().find("max") != std::string_view::npos ? graph::PoolKind::max
                                                                : graph::PoolKind::average;
  pool.kernel = view.spatial("kernel_size", rank, 1);
  pool.stride = view.integers("stride").empty() ? pool.kernel : view.spatial("stride", rank, 1);
  pool.padding_begin = pool.padding_end = view.spatial("padding", rank, 0);
  pool.dilation = view.spatial("dilation", rank, 1);
  pool.ceil_mode = view.flag("ceil_mode", false);
  pool.padding_counts = view.flag("count_include_pad", true);
  return pool;
}

graph::AdaptivePool adaptive_pool_of(const OpView& view, const graph::Shape& result) {
  graph::AdaptivePool pool;
  pool.kind = view.name().find("max") != std::string_view::npos ? graph::PoolKind::max
                                                                : graph::PoolKind::average;
  const std::size_t rank = std::min(dimensions_of(view.name()), result.rank());
  pool.output_size.assign(result.dims().end() - static_cast<std::ptrdiff_t>(rank),
                          result.dims().end());
  return pool;
}

bool lower_pool(const OpView& view, bool adaptive) {
  Lowerer& l = view.lowerer();
  const STensor x = view.in(0);
  const STensor y = view.out(0);
  if (x == no_tensor || y == no_tensor || l.shape(y).rank() < 3) return false;
  graph::Op op = pool_of(view);
  if (adaptive) op = adaptive_pool_of(view, l.shape(y));
  emit_node(view, std::move(op), {l.value(x)}, {x}, view.all_out(), view.plain_pass());
  return true;
}

bool lower_pool_backward(const OpView& view, bool adaptive) {
  Lowerer& l = view.lowerer();
  const STensor dy = view.in(0);
  const STensor x = view.in(1);
  const STensor dx = view.out(0);
  if (dy == no_tensor || x == no_tensor || dx == no_tensor || l.shape(dy).rank() < 3) return false;
  graph::Op op = pool_of(view);
  if (adaptive) op = adaptive_pool_of(view, l.shape(dy));
  const graph::NodeId node = gradient_node(view, std::move(op), {l.value(x)}, l.value(dy));
  // Max pooling reads its indices, not its input; average pooling only the gradient.
  l.emit(schedule::NodeWork{}, node, Pass::data_gradient, present({dy, view.in(2)}), {dx});
  return true;
}

bool pool(const OpView& view) { return lower_pool(view, false); }
bool adaptive_pool(const OpView& view) { return lower_pool(view, true); }
bool pool_backward(const OpView& view) { return lower_pool_backward(view, false); }
bool adaptive_pool_backward(const OpView& view) { return lower_pool_backward(view, true); }

constexpr std::array reduction_table = {
    NamedRule{"sum", reduce},
    NamedRule{"nansum", reduce},
    NamedRule{"count_nonzero", reduce},
    NamedRule{"mean", reduce},
    NamedRule{"amax", reduce},
    NamedRule{"amin", reduce},
    NamedRule{"any", reduce},
    NamedRule{"all", reduce},
    NamedRule{"prod", reduce},
    NamedRule{"argmax", reduce},
    NamedRule{"argmin", reduce},
    NamedRule{"norm", reduce},
    NamedRule{"linalg_vector_norm", reduce},
    NamedRule{"logsumexp", reduce},
    NamedRule{"_logsumexp", reduce},
    NamedRule{"cumsum", cumulative},
    NamedRule{"cumprod", cumulative},
    NamedRule{"_cummax_helper", cumulative},
    NamedRule{"logcumsumexp", cumulative},
    NamedRule{"topk", top_k},
    NamedRule{"max_pool1d", pool},
    NamedRule{"max_pool2d", pool},
    NamedRule{"max_pool3d", pool},
    NamedRule{"mkldnn_max_pool2d", pool},
    NamedRule{"mkldnn_max_pool3d", pool},
    NamedRule{"max_pool2d_with_indices", pool},
    NamedRule{"max_pool3d_with_indices", pool},
    NamedRule{"avg_pool1d", pool},
    NamedRule{"avg_pool2d", pool},
    NamedRule{"avg_pool3d", pool},
    NamedRule{"max_pool2d_with_indices_backward", pool_backward},
    NamedRule{"max_pool3d_with_indices_backward", pool_backward},
    NamedRule{"avg_pool2d_backward", pool_backward},
    NamedRule{"avg_pool3d_backward", pool_backward},
    NamedRule{"_adaptive_avg_pool2d", adaptive_pool},
    NamedRule{"_adaptive_avg_pool3d", adaptive_pool},
    NamedRule{"adaptive_avg_pool1d", adaptive_pool},
    NamedRule{"adaptive_avg_pool2d", adaptive_pool},
    NamedRule{"adaptive_max_pool2d", adaptive_pool},
    NamedRule{"adaptive_max_pool3d", adaptive_pool},
    NamedRule{"_adaptive_avg_pool2d_backward", adaptive_pool_backward},
    NamedRule{"_adaptive_avg_pool3d_backward", adaptive_pool_backward},
    NamedRule{"adaptive_max_pool2d_backward", adaptive_pool_backward},
    NamedRule{"adaptive_max_pool3d_backward", adaptive_pool_backward},
};

}  // namespace

std::span<const NamedRule> reduction_rules() { return reduction_table; }

}  // namespace rooflab::recording
