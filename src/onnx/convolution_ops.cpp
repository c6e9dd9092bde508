// Conv and ConvTranspose. Source: ONNX operators Conv-11, ConvTranspose-11.

#include <algorithm>

#include "base/format.hpp"
#include "limits.hpp"
#include "op_table.hpp"
#include "window.hpp"

namespace rooflab::onnx {
namespace {

using graph::Shape;
using graph::ValueId;

std::vector<std::int64_t> kernel_of(const NodeImport& node, const Shape& weight) {
  if (weight.rank() < 3) {
    node.fail(format("a convolution weight of {} has no spatial dimensions", weight.to_string()));
  }
  return {weight.dims().begin() + 2, weight.dims().end()};
}

void import_conv(NodeImport& node) {
  node.set_result(0, node.emit(read_conv(node), node.operands()));
}

/// output_shape and auto_pad SAME fix the extents and leave the padding to be found:
/// total = stride * (in - 1) + output_padding + reach - out.
void fit_padding(const NodeImport& node, graph::Conv& op) {
  const std::size_t spatial = op.kernel.size();
  const std::string_view auto_pad = node.attributes.text("auto_pad", "NOTSET");
  std::vector<std::int64_t> wanted = spatial_attribute(node, "output_shape", spatial, 0);
  if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
    for (std::size_t i = 0; i < spatial; ++i) {
      if (wanted[i] == 0) wanted[i] = node.shape(0)[i + 2] * op.stride[i];
    }
  }
  for (std::size_t i = 0; i < spatial; ++i) {
    if (wanted[i] <= 0) continue;
    const std::int64_t reach = op.dilation[i] * (op.kernel[i] - 1) + 1;
    const std::int64_t full =
        op.stride[i] * (node.shape(0)[i + 2] - 1) + op.output_padding[i] + reach;
    const std::int64_t total = std::max<std::int64_t>(0, full - wanted[i]);
    op.output_padding[i] += std::max<std::int64_t>(0, wanted[i] - full);
    const std::int64_t less = total / 2;
    op.padding_begin[i] = auto_pad == "SAME_UPPER" ? less : total - less;
    op.padding_end[i] = total - op.padding_begin[i];
  }
}

void import_conv_transpose(NodeImport& node) {
  graph::Conv op = read_conv(node);
  op.transposed = true;
  op.output_padding = spatial_attribute(node, "output_padding", op.kernel.size(), 0);
  fit_padding(node, op);
  node.set_result(0, node.emit(std::move(op), node.operands()));
}

}  // namespace

graph::Conv read_conv(const NodeImport& node, std::size_t weight_at) {
  Window window = read_window(node, node.shape(0), kernel_of(node, node.shape(weight_at)));
  graph::Conv op;
  op.kernel = std::move(window.kernel);
  op.stride = std::move(window.stride);
  op.padding_begin = std::move(window.padding_begin);
  op.padding_end = std::move(window.padding_end);
  op.dilation = std::move(window.dilation);
  op.groups = node.attributes.integer("group", 1);
  if (op.groups <= 0 || op.groups > max_window_attribute) {
    node.fail(format("a convolution in {} groups", op.groups));
  }
  return op;
}

void add_convolution_rules(RuleTable& table) {
  table["Conv"] = import_conv;
  table["ConvTranspose"] = import_conv_transpose;
}

}  // namespace rooflab::onnx
