// MNASNet-B1, "Platform-Aware Neural Architecture Search for Mobile" (Tan et al. 2018,
// arXiv:1807.11626), as torchvision 0.19 defines it. The residual sum is a new tensor.
#include <array>
#include <string>

#include "torchvision_blocks.hpp"

namespace rooflab::zoo {
namespace {

struct Stack {
  std::int64_t kernel;
  std::int64_t stride;  ///< stride of the first block
  std::int64_t expansion;
  int blocks;
};
constexpr std::array stacks = {Stack{3, 2, 3, 3}, Stack{5, 2, 3, 3}, Stack{5, 2, 6, 3},
                               Stack{3, 1, 6, 2}, Stack{5, 2, 6, 4}, Stack{3, 1, 6, 1}};
/// The stem's, the separable convolution's, then one per stack.
constexpr std::array<std::int64_t, 8> base_channels = {32, 16, 24, 40, 80, 96, 192, 320};

/// Adds `index` (convolution), the next (batch norm) and, if asked, the next (ReLU in place).
ValueId conv_norm(GraphBuilder& b, ValueId x, int& index, GraphBuilder::ConvOptions options,
                  bool relu) {
  options.padding = options.kernel / 2;
  options.bias = false;
  x = b.conv(x, std::to_string(index++), options);
  x = b.batch_norm(x, std::to_string(index++));
  return relu ? b.unary(x, UnaryFunction::relu, std::to_string(index++), true) : x;
}

ValueId inverted_residual(GraphBuilder& b, ValueId x, const Stack& stack, std::int64_t stride,
                          std::int64_t out_channels) {
  const std::int64_t in_channels = b.shape(x)[1];
  const std::int64_t middle = in_channels * stack.expansion;
  ValueId out = x;
  {
    const auto scope = b.scope("layers");
    int index = 0;
    out = conv_norm(b, out, index, {.out_channels = middle}, true);
    out = conv_norm(
        b, out, index,
        {.out_channels = middle, .kernel = stack.kernel, .stride = stride, .groups = middle}, true);
    out = conv_norm(b, out, index, {.out_channels = out_channels}, false);
  }
  const bool residual = stride == 1 && in_channels == out_channels;
  return residual ? b.binary(out, x, BinaryFunction::add, "add") : out;
}

ValueId mnasnet(GraphBuilder& b, ValueId x, const Request& request, double width) {
  b.set_norm_constants(1e-5, 1.0 - 0.9997);
  std::array<std::int64_t, 8> channels{};
  for (std::size_t i = 0; i < channels.size(); ++i) {
    channels[i] = make_divisible(static_cast<double>(base_channels[i]) * width);
  }
  {
    const auto scope = b.scope("layers");
    int index = 0;
    x = conv_norm(b, x, index, {.out_channels = channels[0], .kernel = 3, .stride = 2}, true);
    x = conv_norm(b, x, index, {.out_channels = channels[0], .kernel = 3, .groups = channels[0]},
                  true);
    x = conv_norm(b, x, index, {.out_channels = channels[1]}, false);
    for (std::size_t i = 0; i < stacks.size(); ++i) {
      const auto stack = b.scope(index++);
      for (int block = 0; block < stacks[i].blocks; ++block) {
        const auto inside = b.scope(block);
        x = inverted_residual(b, x, stacks[i], block == 0 ? stacks[i].stride : 1, channels[i + 2]);
      }
    }
    x = conv_norm(b, x, index, {.out_channels = 1280}, true);
  }
  x = b.add(graph::Reduce{graph::ReduceFunction::mean, {2, 3}, false}, {x}, "mean");
  const auto scope = b.scope("classifier");
  x = b.dropout(x, "0", 0.2, true);
  return b.linear(x, "1", request.classes);
}

Model model(const char* name, double width) {
  return {.name = name, .forward = [width](GraphBuilder& b, ValueId x, const Request& request) {
            return mnasnet(b, x, request, width);
          }};
}

}  // namespace

Family mnasnet_family() {
  return {"mnasnet",
          {model("mnasnet0_5", 0.5), model("mnasnet0_75", 0.75), model("mnasnet1_0", 1.0),
           model("mnasnet1_3", 1.3)}};
}

}  // namespace rooflab::zoo
