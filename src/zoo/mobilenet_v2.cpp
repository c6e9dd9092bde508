// MobileNet v2, "Inverted Residuals and Linear Bottlenecks" (Sandler et al. 2018,
// arXiv:1801.04381), table 2, as torchvision 0.19 defines it. The residual sum is a new tensor (`x
// + conv(x)`).
#include "torchvision_blocks.hpp"

namespace rooflab::zoo {
namespace {

struct Stage {
  std::int64_t expansion;
  std::int64_t channels;
  int blocks;
  std::int64_t stride;  ///< stride of the first block
};
constexpr Stage stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                            {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};

ValueId inverted_residual(GraphBuilder& b, ValueId x, std::int64_t out_channels,
                          std::int64_t stride, std::int64_t expansion) {
  const std::int64_t in_channels = b.shape(x)[1];
  const std::int64_t hidden = in_channels * expansion;
  ValueId out = x;
  {
    const auto scope = b.scope("conv");
    int index = 0;
    if (expansion != 1) {
      out = conv_norm_activation(
          b, out, std::to_string(index++),
          {.out_channels = hidden, .kernel = 1, .activation = UnaryFunction::relu6});
    }
    out = conv_norm_activation(b, out, std::to_string(index++),
                               {.out_channels = hidden,
                                .stride = stride,
                                .groups = hidden,
                                .activation = UnaryFunction::relu6});
    out = b.conv(out, std::to_string(index++), {.out_channels = out_channels, .bias = false});
    out = b.batch_norm(out, std::to_string(index));
  }
  const bool residual = stride == 1 && in_channels == out_channels;
  return residual ? b.binary(x, out, BinaryFunction::add, "add") : out;
}

ValueId mobilenet_v2(GraphBuilder& b, ValueId x, const Request& request) {
  {
    const auto scope = b.scope("features");
    x = conv_norm_activation(b, x, "0",
                             {.out_channels = 32, .stride = 2, .activation = UnaryFunction::relu6});
    int index = 1;
    for (const Stage& stage : stages) {
      for (int i = 0; i < stage.blocks; ++i) {
        const auto block = b.scope(index++);
        x = inverted_residual(b, x, stage.channels, i == 0 ? stage.stride : 1, stage.expansion);
      }
    }
    x = conv_norm_activation(
        b, x, std::to_string(index),
        {.out_channels = 1280, .kernel = 1, .activation = UnaryFunction::relu6});
  }
  x = b.adaptive_pool(x, "adaptive_avg_pool2d", 1);
  x = b.flatten(x, 1, "flatten");
  const auto scope = b.scope("classifier");
  x = b.dropout(x, "0", 0.2);
  return b.linear(x, "1", request.classes);
}

}  // namespace

Family mobilenet_v2_family() {
  return {"mobilenet_v2", {{.name = "mobilenet_v2", .forward = mobilenet_v2}}};
}

}  // namespace rooflab::zoo
