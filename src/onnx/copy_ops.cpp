// Ops that write their input's elements to new places: concatenation, padding, repetition,
// resampling, triangles. Source: ONNX operators Concat-13, Pad-19, Tile-13, Resize-19, Upsample-9,
// GridSample-16, GridSample-20, Trilu-14.

#include <algorithm>
#include <array>
#include <cmath>

#include "base/format.hpp"
#include "limits.hpp"
#include "op_table.hpp"
#include "rooflab/base/quantity.hpp"

namespace rooflab::onnx {
namespace {

using graph::Shape;
using graph::ValueId;
using Integers = std::vector<std::int64_t>;

void import_concat(NodeImport& node) {
  std::vector<ValueId> parts = node.operands();
  if (parts.empty()) node.fail("a concatenation of nothing");
  // Exporters concatenate to empty tensors of rank 1, which any part fits.
  const auto is_blank = [&node](ValueId id) { return node.shape_of(id) == Shape{0}; };
  if (!std::ranges::all_of(parts, is_blank)) std::erase_if(parts, is_blank);
  if (parts.size() == 1) return node.set_result(0, parts[0]);
  const std::size_t axis =
      node.axis(node.attributes.integer("axis", 1), node.shape_of(parts[0]).rank());
  node.set_result(0, node.emit(graph::Concat{static_cast<std::int64_t>(axis)}, std::move(parts)));
}

void import_pad(NodeImport& node) {
  const std::size_t rank = node.shape(0).rank();
  const Integers pads = node.integers_of("pads", 1).value_or(Integers{});
  Integers axes;
  if (node.has(3)) axes = node.integers(3, "axes");
  for (std::size_t axis = 0; !node.has(3) && axis < rank; ++axis) {
    axes.push_back(static_cast<std::int64_t>(axis));
  }
  if (pads.size() != 2 * axes.size()) {
    node.fail(format("{} pads for {} axes", pads.size(), axes.size()));
  }
  graph::Pad op{Integers(rank, 0), Integers(rank, 0)};
  const std::string_view mode = node.attributes.text("mode", "constant");
  if (mode == "reflect") op.mode = graph::PadMode::reflect;
  if (mode == "edge") op.mode = graph::PadMode::edge;
  op.value = node.attributes.number("value", 0.0);
  if (mode == "wrap") node.note_values("that wraps around runs as one with a constant");
  if (node.has(2) && op.mode == graph::PadMode::constant) {
    const ConstantTensor* value = node.data(2);
    const bool known = value != nullptr && value->size() == 1;
    if (known) op.value = value->number(0);
    if (!known) node.note_values("with a value known at run time only runs with 0");
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = node.axis(axes[i], rank);
    op.begin[axis] = pads[i];
    op.end[axis] = pads[i + axes.size()];
  }
  const bool nothing = std::ranges::all_of(pads, [](std::int64_t pad) { return pad == 0; });
  node.set_result(0, nothing ? node.operand(0) : node.emit(std::move(op), {node.operand(0)}));
}

/// Every axis to be repeated gets a new axis before it, which is expanded and merged.
void import_tile(NodeImport& node) {
  const Shape shape = node.shape(0);
  const Integers repeats = node.integers(1, "repeats");
  if (repeats.size() != shape.rank()) {
    node.fail(format("{} repeats for {}", repeats.size(), shape.to_string()));
  }
  Integers apart;
  Integers repeated;
  Integers merged;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (repeats[i] < 0) node.fail(format("an axis is repeated {} times", repeats[i]));
    merged.push_back(checked_multiply(shape[i], repeats[i]));
    if (repeats[i] != 1 && shape[i] != 1) {
      apart.push_back(1);
      repeated.push_back(repeats[i]);
    }
    apart.push_back(shape[i]);
    repeated.push_back(shape[i] == 1 ? repeats[i] : shape[i]);
  }
  ValueId x = node.operand(0);
  if (merged == shape.dims()) return node.set_result(0, x);
  if (apart.size() > max_rank) throw NotExpressible{"it repeats too many axes"};
  x = node.reshape(x, std::move(apart));
  x = node.emit(graph::Expand{std::move(repeated)}, {x});
  node.set_result(0, node.reshape(x, std::move(merged)));
}

// ---- resampling -------------------------------------------------------------------------------

std::int64_t scaled_extent(const NodeImport& node, std::int64_t extent, double scale) {
  // Single precision as in ONNX Runtime: 7 x 1.7142857 is 12.
  const float product = static_cast<float>(extent) * static_cast<float>(scale);
  if (!(product >= 0.0F) || product > static_cast<float>(max_extent)) {
    node.fail(format("an extent of {} is resized by {}", extent, scale));
  }
  return static_cast<std::int64_t>(std::floor(product));
}

/// Values given for some axes, by full rank; `otherwise` for the rest.
template <class Number>
std::vector<Number> by_axis(const NodeImport& node, const std::vector<Number>& given,
                            std::size_t rank, const std::vector<Number>& otherwise) {
  const std::optional<Integers> axes = node.attributes.integers("axes");
  if (given.size() != (axes ? axes->size() : rank)) {
    node.fail(format("{} numbers for a resize of rank {}", given.size(), rank));
  }
  if (!axes) return given;
  std::vector<Number> full = otherwise;
  for (std::size_t i = 0; i < axes->size(); ++i) full[node.axis((*axes)[i], rank)] = given[i];
  return full;
}

std::vector<double> full_scales(const NodeImport& node, const std::vector<double>& given) {
  const std::size_t rank = node.shape(0).rank();
  return by_axis(node, given, rank, std::vector<double>(rank, 1.0));
}

Integers extents_from_scales(const NodeImport& node, const std::vector<double>& scales) {
  const Shape& shape = node.shape(0);
  Integers extents;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    extents.push_back(scaled_extent(node, shape[i], scales[i]));
  }
  return extents;
}

/// Sizes as given, or, to keep the aspect ratio, all scaled by the smallest or largest factor.
Integers extents_from_sizes(const NodeImport& node, const Integers& given) {
  const Shape& shape = node.shape(0);
  const std::string_view policy = node.attributes.text("keep_aspect_ratio_policy", "stretch");
  Integers extents = by_axis(node, given, shape.rank(), shape.dims());
  if (policy != "not_larger" && policy != "not_smaller") return extents;
  std::optional<double> scale;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (extents[i] == shape[i] || shape[i] == 0) continue;
    const double factor = static_cast<double>(extents[i]) / static_cast<double>(shape[i]);
    if (!scale) scale = factor;
    scale = policy == "not_larger" ? std::min(*scale, factor) : std::max(*scale, factor);
  }
  for (std::size_t i = 0; i < shape.rank() && scale; ++i) {
    if (extents[i] == shape[i]) continue;
    const double extent = std::nearbyint(*scale * static_cast<double>(shape[i]));
    if (!(extent >= 0.0 && extent <= static_cast<double>(max_extent))) node.fail("absurd sizes");
    extents[i] = static_cast<std::int64_t>(extent);
  }
  return extents;
}

/// Where output position `i` of an axis falls in the input, as the operator defines it.
struct Sampling {
  std::string_view transformation;
  double in = 1.0;
  double out = 1.0;
  double scale = 1.0;

  [[nodiscard]] double at(double i) const {
    if (transformation == "align_corners") return out > 1.0 ? i * (in - 1.0) / (out - 1.0) : 0.0;
    if (transformation == "asymmetric") return i / scale;
    if (transformation == "tf_half_pixel_for_nn") return (i + 0.5) / scale;
    if (transformation == "pytorch_half_pixel" && out <= 1.0) return 0.0;
    if (transformation == "half_pixel_symmetric") {
      const double adjustment = out / (scale * in);
      return in / 2.0 * (1.0 - adjustment) + (i + 0.5) / scale - 0.5;
    }
    return (i + 0.5) / scale - 0.5;
  }
};

double nearest_of(double x, std::string_view rounding) {
  if (rounding == "floor") return std::floor(x);
  if (rounding == "ceil") return std::ceil(x);
  if (rounding == "round_prefer_ceil") return std::floor(x + 0.5);
  return std::ceil(x - 0.5);
}

/// Does the graph's op, which samples as PyTorch does, take the same places? Nearest is
/// floor(i * in / out) there, the others have pixel centres or aligned corners.
/// Source: ONNX, Resize-19; PyTorch, torch.nn.functional.interpolate.
bool samples_alike(const graph::Resize& op, const Sampling& sampling, std::string_view rounding) {
  constexpr double longest = 65536.0;
  constexpr double tolerance = 1e-3;  // of a pixel
  if (sampling.out > longest) return false;
  const double last = std::max(sampling.in - 1.0, 0.0);
  const auto inside = [last](double x) { return std::clamp(x, 0.0, last); };
  const Sampling own{op.align_corners ? "align_corners" : "half_pixel", sampling.in, sampling.out,
                     sampling.out / sampling.in};
  const bool nearest = op.mode == graph::ResizeMode::nearest;
  for (double i = 0.0; i < sampling.out; ++i) {
    double theirs = sampling.at(i);
    double ours = own.at(i);
    if (nearest) {
      theirs = nearest_of(theirs, rounding);
      ours = std::floor(i * sampling.in / sampling.out);
    }
    if (std::fabs(inside(theirs) - inside(ours)) > tolerance) return false;
  }
  return true;
}

/// Before operator set 11 positions are i / scale, rounded down.
void note_sampling(NodeImport& node, const graph::Resize& op, const std::vector<double>& scales) {
  const bool old = node.op_type() == "Upsample" || node.opset() < 11;
  const std::string_view transformation =
      old ? "asymmetric" : node.attributes.text("coordinate_transformation_mode", "half_pixel");
  const std::string_view rounding =
      old ? "floor" : node.attributes.text("nearest_mode", "round_prefer_floor");
  bool alike = transformation != "tf_crop_and_resize";
  for (std::size_t i = 0; i < op.output.size() && alike; ++i) {
    const auto in = static_cast<double>(node.shape(0)[i]);
    const auto out = static_cast<double>(op.output[i]);
    if (node.shape(0)[i] == op.output[i] && (scales.empty() || scales[i] == 1.0)) continue;
    alike = samples_alike(op, {transformation, in, out, scales.empty() ? out / in : scales[i]},
                          rounding);
  }
  if (!alike) node.note_values("samples at other places than PyTorch's interpolate");
  const bool cubic = op.mode == graph::ResizeMode::cubic;
  const bool filtered =
      node.attributes.integer("antialias", 0) != 0 && op.mode != graph::ResizeMode::nearest;
  const bool other_weights = cubic && (node.attributes.number("cubic_coeff_a", -0.75) != -0.75 ||
                                       node.attributes.integer("exclude_outside", 0) != 0);
  if (filtered || other_weights) node.note_values("weighs its neighbours in another way");
}

void import_resize(NodeImport& node) {
  const bool upsample = node.op_type() == "Upsample";
  const std::size_t scales_at = upsample || node.opset() < 11 ? 1 : 2;
  graph::Resize op;
  const std::string_view mode = node.attributes.text("mode", "nearest");
  if (mode == "linear" || mode == "bilinear" || mode == "trilinear") {
    op.mode = graph::ResizeMode::linear;
  }
  if (mode == "cubic") op.mode = graph::ResizeMode::cubic;
  op.align_corners =
      node.attributes.text("coordinate_transformation_mode", "half_pixel") == "align_corners";
  // An absent choice may also be written as an empty tensor.
  const bool by_sizes = !upsample && node.has(3) && node.shape(3).elements() > 0;
  std::vector<double> scales_used;
  if (by_sizes) {
    op.output = extents_from_sizes(node, node.integers(3, "sizes"));
  } else if (const auto scales = node.attributes.numbers("scales")) {
    scales_used = full_scales(node, *scales);
    op.output = extents_from_scales(node, scales_used);
  } else {
    scales_used = full_scales(node, node.numbers(scales_at, "scales"));
    op.output = extents_from_scales(node, scales_used);
  }
  note_sampling(node, op, scales_used);
  const bool same = op.output == node.shape(0).dims();
  node.set_result(0, same ? node.operand(0) : node.emit(std::move(op), {node.operand(0)}));
}

/// `names` in the order of an enumeration; the first is the default.
template <class Enum, std::size_t count>
Enum choice_of(const NodeImport& node, std::string_view attribute,
               const std::array<std::string_view, count>& names) {
  const std::string_view name = node.attributes.text(attribute, names[0]);
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) node.fail(format("'{}' is not a {}", name, attribute));
  return static_cast<Enum>(found - names.begin());
}

/// Kept as unknown, but with the right shape: images of one or more than three dimensions, cubes of
/// cubics, and types that PyTorch's grid_sample does not take.
void import_grid_sample(NodeImport& node) {
  using Words = std::array<std::string_view, 3>;
  const Shape& x = node.shape(0);
  const Shape& grid = node.shape(1);
  if (x.rank() < 3 || grid.rank() != x.rank()) node.fail("the grid does not fit the input");
  graph::GridSample op;
  op.mode =
      choice_of<graph::GridSampleMode>(node, "mode",
                                       node.opset() < 20 ? Words{"bilinear", "nearest", "bicubic"}
                                                         : Words{"linear", "nearest", "cubic"});
  op.padding_mode = choice_of<graph::GridSamplePadding>(node, "padding_mode",
                                                        Words{"zeros", "border", "reflection"});
  op.align_corners = node.attributes.integer("align_corners", 0) != 0;
  const std::size_t most = op.mode == graph::GridSampleMode::bicubic ? 4 : 5;
  const DType dtype = node.type(0).dtype;
  if (x.rank() < 4 || x.rank() > most || !is_floating(dtype) || node.type(1).dtype != dtype) {
    std::vector<std::int64_t> dims = {x[0], x[1]};
    dims.insert(dims.end(), grid.dims().begin() + 1, grid.dims().end() - 1);
    return node.keep_opaque({{dtype, Shape(std::move(dims))}});
  }
  node.set_result(0, node.emit(op, {node.operand(0), node.operand(1)}));
}

void import_trilu(NodeImport& node) {
  const bool upper = node.attributes.integer("upper", 1) != 0;
  graph::Triangle op{upper};
  if (node.has(1)) {
    const ConstantTensor* diagonal = node.data(1);
    const bool known = diagonal != nullptr && diagonal->size() == 1;
    if (known) op.diagonal = diagonal->integer(0);
    if (!known) node.note_values("with a diagonal known at run time only runs at the main one");
  }
  node.set_result(0, node.emit(op, {node.operand(0)}));
}

}  // namespace

void add_copy_rules(RuleTable& table) {
  table["Concat"] = import_concat;
  table["Pad"] = import_pad;
  table["Tile"] = import_tile;
  table["Resize"] = import_resize;
  table["Upsample"] = import_resize;
  table["GridSample"] = import_grid_sample;
  table["Trilu"] = import_trilu;
}

}  // namespace rooflab::onnx
