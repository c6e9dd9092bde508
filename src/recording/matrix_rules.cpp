// Products and convolutions.

#include <algorithm>
#include <array>

#include "rules.hpp"

namespace rooflab::recording {
namespace {

using graph::Conv;
using graph::Linear;
using graph::MatMul;
using graph::ValueId;

/// A product of two matrices, and what is added to it.
struct Product {
  STensor a;
  STensor b;
  STensor added = no_tensor;
  STensor result;
};

bool linear_forward(const OpView& view, const Product& product) {
  Lowerer& l = view.lowerer();
  const std::int64_t rows = l.shape(product.a)[0];
  const std::int64_t in = l.shape(product.b)[0];
  const std::int64_t out = l.shape(product.b)[1];
  const ValueId weight = *l.weight(product.b);
  const graph::Shape& own = l.type_of(weight).shape;
  const bool in_by_out = own.rank() == 2 && own[0] == in && l.tensor(product.b).strides[1] == 1;
  std::vector<ValueId> inputs = {l.value(product.a), weight};
  if (product.added != no_tensor) inputs.push_back(weight_value(l, product.added));
  const graph::NodeId node = l.node(view, Linear{.weight_in_by_out = in_by_out}, std::move(inputs),
                                    {l.value(product.result)});
  l.emit(schedule::NodeWork{}, node, view.plain_pass(),
         present({product.a, product.b, product.added}), {product.result});
  l.remember_linear(view, node, rows, in, out);
  return true;
}

bool linear_gradient(const OpView& view, const Product& product) {
  Lowerer& l = view.lowerer();
  const graph::Shape& a = l.shape(product.a);
  const graph::Shape& result = l.shape(product.result);
  std::optional<graph::NodeId> node;
  Pass pass = Pass::data_gradient;
  if (l.weight(product.b)) {
    const std::int64_t rows = a[0];
    const std::int64_t out = a[1];
    const std::int64_t in = result[1];
    node = l.find_linear(view, rows, in, out);
    if (!node) {
      node = l.node(view, Linear{}, {l.value(product.result), *l.weight(product.b)},
                    {l.value(product.a)});
    }
  } else {
    // dy^T x or x^T dy: rows are summed.
    const std::int64_t rows = a[1];
    node = l.find_linear(view, rows, result[1], result[0]);
    if (!node) node = l.find_linear(view, rows, result[0], result[1]);
    if (!node) return false;
    pass = Pass::weight_gradient;
  }
  l.emit(schedule::NodeWork{}, *node, pass, present({product.a, product.b, product.added}),
         {product.result});
  return true;
}

bool lower_product(const OpView& view, const Product& product) {
  Lowerer& l = view.lowerer();
  if (product.a == no_tensor || product.b == no_tensor || product.result == no_tensor) return false;
  const bool matrices = l.shape(product.a).rank() == 2 && l.shape(product.b).rank() == 2 &&
                        l.shape(product.result).rank() == 2;
  if (matrices && view.is_backward() && linear_gradient(view, product)) return true;
  if (matrices && !view.is_backward() && l.weight(product.b)) return linear_forward(view, product);
  const Pass pass = view.is_backward() ? Pass::data_gradient : view.plain_pass();
  emit_node(view, MatMul{}, {l.value(product.a), l.value(product.b)},
            present({product.a, product.b, product.added}), {product.result}, pass);
  return true;
}

/// mm, bmm, mv, dot: the first two tensors.
bool plain_product(const OpView& view) {
  return lower_product(view, {view.in(0), view.in(1), no_tensor, view.out(0)});
}

/// addmm, baddbmm, addmv: what is added comes first, and is not read where its factor is 0.
bool added_product(const OpView& view) {
  const STensor added = view.number_or("beta", 1.0) == 0.0 ? no_tensor : view.in(0);
  return lower_product(view, {view.in(1), view.in(2), added, view.out(0)});
}

/// Products of groups of rows, and of scaled numbers: _grouped_mm(a, b, ends, bias), _scaled_mm(a,
/// b, scale_a, scale_b, bias, scale_result). A row is of one group. Where both are matrices, the
/// groups share the dimension that is summed: [m, k] times [k, n] in all.
bool large_product(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor a = view.in(0);
  const STensor b = view.in(1);
  const STensor result = view.out(0);
  if (a == no_tensor || b == no_tensor || result == no_tensor) return false;
  if (l.shape(a).rank() < 2 || l.shape(b).rank() < 2) return false;
  const bool sums_groups =
      l.shape(a).rank() == 2 && l.shape(b).rank() == 2 && l.shape(result).rank() == 3;
  const ValueId product =
      sums_groups ? l.described({l.tensor(result).type.dtype, {l.shape(a)[0], l.shape(b)[1]}})
                  : l.value(result);
  const graph::NodeId node = l.node(view, MatMul{}, {l.value(a), l.value(b)}, {product});
  l.emit(schedule::NodeWork{}, node, view.is_backward() ? Pass::data_gradient : view.plain_pass(),
         view.all_in(), {result});
  return true;
}

/// linear(x, weight, bias), where a backend keeps it whole.
bool whole_linear(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor x = view.in(0);
  const STensor weight = view.in(1);
  const STensor y = view.out(0);
  if (x == no_tensor || weight == no_tensor || y == no_tensor) return false;
  std::vector<ValueId> inputs = {l.value(x), weight_value(l, weight)};
  if (view.in(2) != no_tensor) inputs.push_back(weight_value(l, view.in(2)));
  const graph::NodeId node = l.node(view, Linear{}, std::move(inputs), {l.value(y)});
  const std::int64_t in = l.shape(x).from_end(1);
  l.emit(schedule::NodeWork{}, node, view.plain_pass(), present({x, weight, view.in(2)}), {y});
  l.remember_linear(view, node, in == 0 ? 0 : l.elements(x) / in, in, l.shape(y).from_end(1));
  return true;
}

Conv convolution_of(const OpView& view, STensor x, STensor weight) {
  const graph::Shape& kernel = view.lowerer().shape(weight);
  const std::size_t rank = view.lowerer().shape(x).rank() - 2;
  Conv conv;
  conv.kernel.assign(kernel.dims().begin() + 2, kernel.dims().end());
  conv.stride = view.spatial("stride", rank, 1);
  conv.padding_begin = conv.padding_end = view.spatial("padding", rank, 0);
  conv.dilation = view.spatial("dilation", rank, 1);
  conv.groups = view.integer("groups", 1);
  conv.transposed = view.flag("transposed", false);
  if (conv.transposed) conv.output_padding = view.spatial("output_padding", rank, 0);
  return conv;
}

/// The native depthwise kernel adds the bias itself; cuDNN's convolutions do not.
bool is_native_depthwise(const OpView& view, const Conv& conv, STensor x) {
  const schedule::Tensor& input = view.lowerer().tensor(x);
  return !conv.transposed && conv.groups > 1 && conv.groups == input.type.shape[1] &&
         input.type.shape.rank() >= 4 &&
         !schedule::is_channels_last(input.type.shape, input.strides);
}

bool convolution(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor x = view.in(0);
  const STensor weight = view.in(1);
  const STensor bias = view.in(2);
  const STensor y = view.out(0);
  if (x == no_tensor || weight == no_tensor || y == no_tensor) return false;
  if (l.shape(x).rank() < 3 || l.shape(weight).rank() != l.shape(x).rank()) return false;
  const Conv conv = convolution_of(view, x, weight);
  std::vector<ValueId> inputs = {l.value(x), weight_value(l, weight)};
  if (bias != no_tensor) inputs.push_back(weight_value(l, bias));
  const graph::NodeId node = l.node(view, conv, std::move(inputs), {l.value(y)});
  const bool takes_bias = bias != no_tensor && is_native_depthwise(view, conv, x);
  l.emit(schedule::NodeWork{}, node, view.plain_pass(),
         present({x, weight, takes_bias ? bias : no_tensor}), {y});
  if (bias != no_tensor && !takes_bias) {
    l.emit(schedule::BiasAddWork{}, node, view.plain_pass(), {y, bias}, {y});
  }
  return true;
}

bool convolution_backward(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor dy = view.in(0);
  const STensor x = view.in(1);
  const STensor weight = view.in(2);
  if (dy == no_tensor || x == no_tensor || weight == no_tensor) return false;
  if (l.shape(x).rank() < 3 || l.shape(weight).rank() != l.shape(x).rank()) return false;
  const graph::NodeId node = gradient_node(view, convolution_of(view, x, weight),
                                           {l.value(x), weight_value(l, weight)}, l.value(dy));
  const STensor dx = view.out(0);
  const STensor dw = view.out(1);
  const STensor db = view.out(2);
  if (dx != no_tensor) {
    l.emit(schedule::NodeWork{}, node, Pass::data_gradient, {dy, weight}, {dx});
  }
  if (dw != no_tensor) l.emit(schedule::NodeWork{}, node, Pass::weight_gradient, {dy, x}, {dw});
  if (db != no_tensor) {
    l.emit(schedule::BiasGradientWork{}, node, Pass::weight_gradient, {dy}, {db});
  }
  return true;
}

constexpr std::array matrix_table = {
    NamedRule{"mm", plain_product},
    NamedRule{"bmm", plain_product},
    NamedRule{"mv", plain_product},
    NamedRule{"dot", plain_product},
    NamedRule{"vdot", plain_product},
    NamedRule{"matmul", plain_product},
    NamedRule{"_int_mm", plain_product},
    NamedRule{"_scaled_mm", large_product},
    NamedRule{"_grouped_mm", large_product},
    NamedRule{"_scaled_grouped_mm", large_product},
    NamedRule{"addmm", added_product},
    NamedRule{"_addmm_activation", added_product},
    NamedRule{"baddbmm", added_product},
    NamedRule{"addbmm", added_product},
    NamedRule{"addmv", added_product},
    NamedRule{"linear", whole_linear},
    NamedRule{"mkldnn_linear", whole_linear},
    NamedRule{"convolution", convolution},
    NamedRule{"_convolution", convolution},
    NamedRule{"convolution_overrideable", convolution},
    NamedRule{"mkldnn_convolution", convolution},
    NamedRule{"cudnn_convolution", convolution},
    NamedRule{"convolution_backward", convolution_backward},
};

}  // namespace

std::span<const NamedRule> matrix_rules() { return matrix_table; }

}  // namespace rooflab::recording
