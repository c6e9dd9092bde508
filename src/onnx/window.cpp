#include "window.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "limits.hpp"

namespace rooflab::onnx {
namespace {

void require_modest(const NodeImport& node, std::string_view name,
                    const std::vector<std::int64_t>& values) {
  for (const std::int64_t value : values) {
    if (value < -max_window_attribute || value > max_window_attribute) {
      node.fail(format("attribute '{}' is {}, beyond any network", name, value));
    }
  }
}

}  // namespace

std::vector<std::int64_t> spatial_attribute(const NodeImport& node, std::string_view name,
                                            std::size_t count, std::int64_t otherwise) {
  std::optional<std::vector<std::int64_t>> values = node.attributes.integers(name);
  if (!values || values->empty()) return std::vector<std::int64_t>(count, otherwise);
  if (values->size() != count) {
    node.fail(format("attribute '{}' has {} entries, not {}", name, values->size(), count));
  }
  require_modest(node, name, *values);
  return *values;
}

// auto_pad SAME keeps ceil(in / stride) positions; what is needed for that is split in half, the
// odd element at the end (SAME_UPPER) or at the begin (SAME_LOWER). Source: ONNX, Conv-11.
Window read_window(const NodeImport& node, const graph::Shape& input,
                   std::vector<std::int64_t> kernel) {
  const std::size_t spatial = kernel.size();
  if (input.rank() != spatial + 2) {
    node.fail(format("a window of {} dimensions on {}", spatial, input.to_string()));
  }
  require_modest(node, "kernel_shape", kernel);
  Window window;
  window.kernel = std::move(kernel);
  window.stride = spatial_attribute(node, "strides", spatial, 1);
  window.dilation = spatial_attribute(node, "dilations", spatial, 1);
  for (std::size_t i = 0; i < spatial; ++i) {
    if (window.kernel[i] <= 0 || window.stride[i] <= 0 || window.dilation[i] <= 0) {
      node.fail("kernel, strides and dilations must be positive");
    }
  }
  const std::string_view auto_pad = node.attributes.text("auto_pad", "NOTSET");
  if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
    for (std::size_t i = 0; i < spatial; ++i) {
      const std::int64_t extent = input[i + 2];
      const std::int64_t positions = (extent + window.stride[i] - 1) / window.stride[i];
      const std::int64_t reach = (window.kernel[i] - 1) * window.dilation[i] + 1;
      const std::int64_t total =
          std::max<std::int64_t>(0, (positions - 1) * window.stride[i] + reach - extent);
      const std::int64_t less = total / 2;
      window.padding_begin.push_back(auto_pad == "SAME_UPPER" ? less : total - less);
      window.padding_end.push_back(auto_pad == "SAME_UPPER" ? total - less : less);
    }
    return window;
  }
  const std::vector<std::int64_t> pads = auto_pad == "VALID"
                                             ? std::vector<std::int64_t>(2 * spatial, 0)
                                             : spatial_attribute(node, "pads", 2 * spatial, 0);
  const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(spatial);
  window.padding_begin.assign(pads.begin(), middle);
  window.padding_end.assign(middle, pads.end());
  return window;
}

}  // namespace rooflab::onnx
