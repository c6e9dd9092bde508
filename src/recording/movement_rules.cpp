// Views, copies, concatenation, padding, resampling.

#include <algorithm>
#include <array>

#include "rules.hpp"

namespace rooflab::recording {
namespace {

using graph::ValueId;

std::vector<std::int64_t> extents_of(Lowerer& l, STensor id) { return l.shape(id).dims(); }

/// The op of a view, for its class of issue cost.
graph::Op view_op(const OpView& view, STensor result) {
  constexpr std::array<std::string_view, 4> parts = {"split", "unbind", "chunk", "tensor_split"};
  constexpr std::array<std::string_view, 6> turned = {"t",        "transpose", "permute",
                                                      "swapaxes", "movedim",   "numpy_T"};
  constexpr std::array<std::string_view, 3> ranges = {"slice", "select", "narrow"};
  const auto is = [&](const auto& names) {
    return std::ranges::any_of(names, [&](auto name) { return view.name() == name; });
  };
  const bool splits = std::ranges::any_of(parts, [&](std::string_view part) {
    return view.name().find(part) != std::string_view::npos;
  });
  if (splits) return graph::Split{};
  if (is(turned)) return graph::Transpose{};
  if (is(ranges)) return graph::Slice{};
  if (view.name() == "expand") return graph::Expand{extents_of(view.lowerer(), result)};
  return graph::Reshape{extents_of(view.lowerer(), result)};
}

/// A dense copy in the same type, or in another one.
bool lower_copy(const OpView& view, STensor from, STensor to) {
  Lowerer& l = view.lowerer();
  if (to == no_tensor) {  // to the host, which waits for it
    if (from == no_tensor) return false;
    schedule::ScheduledOp& op =
        emit_known(view, view.name(), 0, "copy", graph::OpClass::copy, {from}, {from});
    op.host_reads = !view.flag("non_blocking", false);
    return true;
  }
  if (from == no_tensor) {  // from the host: the device's part is that it is written
    emit_known(view, view.name(), 0, "fill", graph::OpClass::copy, {}, {to});
    return true;
  }
  const DType source = l.tensor(from).type.dtype;
  const DType target = l.tensor(to).type.dtype;
  if (!view.is_backward()) l.carry_weight(from, to);
  if (source != target) {
    emit_node(view, graph::Cast{target}, {l.value(from)}, {from}, {to}, view.plain_pass());
  } else {
    emit_node(view, graph::Contiguous{}, {l.value(from)}, {from}, {to}, view.plain_pass());
  }
  return true;
}

bool copy_to_new(const OpView& view) { return lower_copy(view, view.in(0), view.out(0)); }
bool copy_into(const OpView& view) { return lower_copy(view, view.in(1), view.in(0)); }

bool concat(const OpView& view) {
  Lowerer& l = view.lowerer();
  const std::vector<STensor> parts = view.list(0);
  const STensor y = view.out(0);
  if (parts.empty() || y == no_tensor) return false;
  emit_node(view, graph::Concat{axis_of(view.integer("dim", 0), l.shape(y))},
            values_of_tensors(l, parts), parts, {y}, view.plain_pass());
  return true;
}

graph::Pad pad_of(const OpView& view) {
  graph::Pad pad;
  if (view.name().starts_with("reflection")) pad.mode = graph::PadMode::reflect;
  if (view.name().starts_with("replication")) pad.mode = graph::PadMode::edge;
  return pad;
}

bool pad(const OpView& view) {
  const STensor x = view.in(0);
  const STensor y = view.out(0);
  if (x == no_tensor || y == no_tensor) return false;
  emit_node(view, pad_of(view), {view.lowerer().value(x)}, {x}, {y}, view.plain_pass());
  return true;
}

bool pad_backward(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor dy = view.in(0);
  const STensor dx = view.out(0);
  if (dy == no_tensor || dx == no_tensor) return false;
  const graph::NodeId node = gradient_node(view, pad_of(view), {l.value(dx)}, l.value(dy));
  l.emit(schedule::NodeWork{}, node, Pass::data_gradient, {dy}, {dx});
  return true;
}

graph::Resize resize_of(const OpView& view, const graph::Shape& large) {
  graph::Resize resize;
  const std::string_view name = view.name();
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("linear")) resize.mode = graph::ResizeMode::linear;
  if (has("cubic")) resize.mode = graph::ResizeMode::cubic;
  resize.output = large.dims();
  resize.align_corners = view.flag("align_corners", false);
  return resize;
}

bool resize(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor x = view.in(0);
  const STensor y = view.out(0);
  if (x == no_tensor || y == no_tensor || l.shape(x).rank() != l.shape(y).rank()) return false;
  emit_node(view, resize_of(view, l.shape(y)), {l.value(x)}, {x}, {y}, view.plain_pass());
  return true;
}

bool resize_backward(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor dy = view.in(0);
  const STensor dx = view.out(0);
  if (dy == no_tensor || dx == no_tensor || l.shape(dx).rank() != l.shape(dy).rank()) return false;
  const graph::NodeId node =
      gradient_node(view, resize_of(view, l.shape(dy)), {l.value(dx)}, l.value(dy));
  l.emit(schedule::NodeWork{}, node, Pass::data_gradient, {dy}, {dx});
  return true;
}

graph::GridSample sampling(const OpView& view) {
  graph::GridSample sample;
  sample.mode = static_cast<graph::GridSampleMode>(
      std::clamp<std::int64_t>(view.integer("interpolation_mode", 0), 0, 2));
  sample.padding_mode = static_cast<graph::GridSamplePadding>(
      std::clamp<std::int64_t>(view.integer("padding_mode", 0), 0, 2));
  sample.align_corners = view.flag("align_corners", false);
  return sample;
}

bool grid_sample(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor x = view.in(0);
  const STensor grid = view.in(1);
  const STensor y = view.out(0);
  if (x == no_tensor || grid == no_tensor || y == no_tensor) return false;
  emit_node(view, sampling(view), {l.value(x), l.value(grid)}, {x, grid}, {y}, view.plain_pass());
  return true;
}

bool grid_sample_backward(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor dy = view.in(0);
  const STensor x = view.in(1);
  const STensor grid = view.in(2);
  const std::vector<STensor> gradients = view.all_out();
  if (dy == no_tensor || x == no_tensor || grid == no_tensor || gradients.empty()) return false;
  const graph::NodeId node =
      gradient_node(view, sampling(view), {l.value(x), l.value(grid)}, l.value(dy));
  l.emit(schedule::NodeWork{}, node, Pass::data_gradient, {dy, x, grid}, gradients);
  return true;
}

bool roll(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor x = view.in(0);
  const STensor y = view.out(0);
  if (x == no_tensor || y == no_tensor) return false;
  graph::Roll op{.shifts = view.integers("shifts"), .axes = {}};
  for (const std::int64_t axis : view.integers("dims"))
    op.axes.push_back(axis_of(axis, l.shape(x)));
  if (op.axes.empty()) op.axes = {0};
  const std::size_t passes = op.axes.size();
  const graph::NodeId node = l.node(view, std::move(op), {l.value(x)}, {l.value(y)});
  // One pass over the data for each axis.
  for (std::size_t i = 0; i < passes; ++i) {
    l.emit(schedule::NodeWork{}, node, view.plain_pass(), {i == 0 ? x : y}, {y});
  }
  return true;
}

bool triangle(const OpView& view) {
  const STensor x = view.in(0);
  const STensor y = view.out(0);
  if (x == no_tensor || y == no_tensor) return false;
  emit_node(view, graph::Triangle{.upper = view.name() == "triu"}, {view.lowerer().value(x)}, {x},
            {y}, view.plain_pass());
  return true;
}

/// A view in place: the tensor itself gets other strides.
bool view_in_place(const OpView& view) {
  if (view.all_in().empty() || view.all_out().empty()) return false;
  return lower_view(view);
}

constexpr std::array movement_table = {
    NamedRule{"t", view_in_place},
    NamedRule{"transpose", view_in_place},
    NamedRule{"squeeze", view_in_place},
    NamedRule{"unsqueeze", view_in_place},
    NamedRule{"detach", view_in_place},
    NamedRule{"swapaxes", view_in_place},
    NamedRule{"swapdims", view_in_place},
    NamedRule{"as_strided", view_in_place},
    NamedRule{"_conj", view_in_place},
    NamedRule{"lift", view_in_place},
    NamedRule{"_to_copy", copy_to_new},
    NamedRule{"to", copy_to_new},
    NamedRule{"clone", copy_to_new},
    NamedRule{"contiguous", copy_to_new},
    NamedRule{"convert_element_type", copy_to_new},
    NamedRule{"copy", copy_into},
    NamedRule{"_copy_from", copy_to_new},
    NamedRule{"cat", concat},
    NamedRule{"_cat", concat},
    NamedRule{"stack", concat},
    NamedRule{"_chunk_cat", concat},
    NamedRule{"constant_pad_nd", pad},
    NamedRule{"reflection_pad1d", pad},
    NamedRule{"reflection_pad2d", pad},
    NamedRule{"reflection_pad3d", pad},
    NamedRule{"replication_pad1d", pad},
    NamedRule{"replication_pad2d", pad},
    NamedRule{"replication_pad3d", pad},
    NamedRule{"reflection_pad1d_backward", pad_backward},
    NamedRule{"reflection_pad2d_backward", pad_backward},
    NamedRule{"reflection_pad3d_backward", pad_backward},
    NamedRule{"replication_pad1d_backward", pad_backward},
    NamedRule{"replication_pad2d_backward", pad_backward},
    NamedRule{"replication_pad3d_backward", pad_backward},
    NamedRule{"upsample_nearest1d", resize},
    NamedRule{"upsample_nearest2d", resize},
    NamedRule{"upsample_nearest3d", resize},
    NamedRule{"_upsample_nearest_exact1d", resize},
    NamedRule{"_upsample_nearest_exact2d", resize},
    NamedRule{"_upsample_nearest_exact3d", resize},
    NamedRule{"upsample_linear1d", resize},
    NamedRule{"upsample_bilinear2d", resize},
    NamedRule{"upsample_trilinear3d", resize},
    NamedRule{"upsample_bicubic2d", resize},
    NamedRule{"_upsample_bilinear2d_aa", resize},
    NamedRule{"_upsample_bicubic2d_aa", resize},
    NamedRule{"upsample_nearest1d_backward", resize_backward},
    NamedRule{"upsample_nearest2d_backward", resize_backward},
    NamedRule{"upsample_nearest3d_backward", resize_backward},
    NamedRule{"_upsample_nearest_exact1d_backward", resize_backward},
    NamedRule{"_upsample_nearest_exact2d_backward", resize_backward},
    NamedRule{"_upsample_nearest_exact3d_backward", resize_backward},
    NamedRule{"upsample_linear1d_backward", resize_backward},
    NamedRule{"upsample_bilinear2d_backward", resize_backward},
    NamedRule{"upsample_trilinear3d_backward", resize_backward},
    NamedRule{"upsample_bicubic2d_backward", resize_backward},
    NamedRule{"_upsample_bilinear2d_aa_backward", resize_backward},
    NamedRule{"_upsample_bicubic2d_aa_backward", resize_backward},
    NamedRule{"grid_sampler_2d", grid_sample},
    NamedRule{"grid_sampler_3d", grid_sample},
    NamedRule{"cudnn_grid_sampler", grid_sample},
    NamedRule{"grid_sampler_2d_backward", grid_sample_backward},
    NamedRule{"grid_sampler_3d_backward", grid_sample_backward},
    NamedRule{"cudnn_grid_sampler_backward", grid_sample_backward},
    NamedRule{"roll", roll},
    NamedRule{"tril", triangle},
    NamedRule{"triu", triangle},
};

}  // namespace

bool is_view(const OpView& view) {
  if (view.in_place()) return false;
  const std::vector<STensor> results = view.all_out();
  const std::vector<STensor> operands = view.all_in();
  return !results.empty() && std::ranges::all_of(results, [&](STensor result) {
    return std::ranges::any_of(operands, [&](STensor operand) {
      return view.lowerer().tensor(operand).storage == view.lowerer().tensor(result).storage;
    });
  });
}

bool lower_view(const OpView& view) {
  Lowerer& l = view.lowerer();
  const std::vector<STensor> results = view.all_out();
  const STensor base = view.all_in().front();
  const graph::NodeId node =
      l.node(view, view_op(view, results.front()), {l.value(base)}, values_of_tensors(l, results));
  l.emit(schedule::ViewWork{}, node, view.plain_pass(), {base}, results);
  return true;
}

std::span<const NamedRule> movement_rules() { return movement_table; }

}  // namespace rooflab::recording
