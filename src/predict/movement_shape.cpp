// Sizes of ops that move data: how many elements, and how many of them lie in one piece.

#include "base/format.hpp"
#include "op_shaper.hpp"

namespace rooflab::predict {
namespace {

using graph::Shape;

}  // namespace

void OpShaper::node(const graph::Concat& concat) {
  if (is_gradient(op_.pass)) return copy();
  begin("concat", "forward", type_name(write(0).type.dtype));
  // Parts along the channels lie in one piece a sample in NCHW, in one a pixel in NHWC.
  lay_out();
  if (shape_.layout == "nchw") shape_.layout = has_short_pieces(concat) ? "nhwc" : "";
  shape_.sizes = {elements_of(write(0)), static_cast<double>(op_.reads.size())};
}

void OpShaper::node(const graph::Gather& gather) {
  const Shape& table = value(0).shape;
  const double rows = static_cast<double>(table[static_cast<std::size_t>(gather.axis)]);
  const double picked = product_of_extents(value(1).shape.dims());
  begin("gather", pass(), type_name(value(0).dtype));
  shape_.sizes = {picked, product_of_extents(result().shape.dims()) / std::max(picked, 1.0), rows};
}

bool OpShaper::moves_updates() {
  const auto* const scatter = std::get_if<graph::Scatter>(&op());
  if (scatter == nullptr || is_gradient(op_.pass) || op_.reads.size() > 2) return false;
  const Shape& into = value(0).shape;
  const Shape& updates = value(2).shape;
  const double moved = product_of_extents(updates.dims());
  const bool adds = scatter->reduction != graph::ScatterReduction::none;
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
  shape_.sizes = {moved / width, width, product_of_extents(into.dims()) / width};
  return true;
}

void OpShaper::cast() {
  const bool strided = read(0).strides != write(0).strides;
  begin(format("cast_{}{}", type_name(write(0).type.dtype), strided ? "_strided" : ""), "forward",
        type_name(read(0).type.dtype));
  shape_.sizes = {elements_of(write(0))};
}

void OpShaper::copy() {
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

double OpShaper::distinct_elements(const schedule::Tensor& tensor) {
  return std::max(
      tensor.distinct_bytes().as_double() / static_cast<double>(size_of(tensor.type.dtype)), 1.0);
}

double OpShaper::common_run() const {
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

bool OpShaper::has_short_pieces(const graph::Concat& concat) const {
  constexpr double short_piece = 256.0;
  const Shape& whole = result().shape;
  const auto rank = static_cast<std::int64_t>(whole.rank());
  const auto axis = static_cast<std::size_t>(concat.axis < 0 ? concat.axis + rank : concat.axis);
  double longest = 0.0;
  for (const graph::ValueId id : graph_node().inputs) {
    const Shape& part = schedule_.graph.type(id).shape;
    if (part.rank() != whole.rank()) return false;
    longest = std::max(longest, product_of_extents(std::span(part.dims()).subspan(axis)));
  }
  return longest < short_piece &&
         product_of_extents(std::span(whole.dims()).first(axis)) > short_piece;
}

}  // namespace rooflab::predict
