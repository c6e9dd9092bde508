// Sizes of ops that multiply matrices: the extents of their products.

#include <algorithm>

#include "base/format.hpp"
#include "op_shaper.hpp"
#include "product_type.hpp"
#include "rooflab/graph/grouped_product.hpp"

namespace rooflab::predict {
namespace {

using graph::Shape;
using schedule::Pass;

/// A few queries over many keys are bound by reading keys and values: libraries have separate
/// kernels for them, which cut the keys into pieces. The most queries, the least keys for each.
constexpr double most_decoded = 64.0;
constexpr double keys_of_decoded = 8.0;

/// Ops whose gradients with respect to data and weight are separate kinds; a gradient of a
/// product of two tensors is such a product whichever it is for, and norms give all at once.
bool splits_gradients(std::string_view op) {
  return op.starts_with("conv") || op == "linear" || is_recurrent(op);
}

}  // namespace

void OpShaper::node(const graph::Conv& conv) {
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
      product_of_extents((conv.transposed ? x : y).dims()) /
      (static_cast<double>(x[0]) * static_cast<double>((conv.transposed ? x : y)[1]));
  shape_.sizes = {static_cast<double>(x[0]),
                  pixels,
                  static_cast<double>(in),
                  static_cast<double>(out),
                  static_cast<double>(groups),
                  product_of_extents(std::span(weight.dims()).subspan(2)),
                  stride};
}

void OpShaper::node(const graph::Linear&) {
  begin_matrix("linear", value(0).dtype);
  const double in = static_cast<double>(value(0).shape.from_end(1));
  const double out = static_cast<double>(result().shape.from_end(1));
  shape_.sizes = {product_of_extents(value(0).shape.dims()) / std::max(in, 1.0), in, out};
}

void OpShaper::node(const graph::MatMul&) {
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
  shape_.sizes = {product_of_extents(result().shape.dims()) / std::max(rows * columns, 1.0), rows,
                  inner, columns};
}

void OpShaper::node(const graph::Attention& attention) {
  const Shape& q = value(0).shape;
  const Shape& k = value(1).shape;
  const double queries = static_cast<double>(q.from_end(2));
  const double keys = static_cast<double>(k.from_end(2));
  const double depth = static_cast<double>(q.from_end(1));
  const double heads = product_of_extents(q.dims()) / std::max(queries * depth, 1.0);
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

void OpShaper::node(const graph::Recurrent& recurrent) {
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

bool OpShaper::grouped_product(const Shape& a, const Shape& b) {
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

void OpShaper::begin_matrix(std::string name, DType dtype) {
  // In the backward pass without being a gradient: a forward product that is computed again.
  const bool splits = splits_gradients(name) && op_.pass != Pass::backward;
  begin(std::move(name), splits ? name_of(op_.pass) : pass(),
        product_type(dtype, schedule_.precision_of(op_), device_));
}

}  // namespace rooflab::predict
