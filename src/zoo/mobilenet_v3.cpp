// MobileNet v3, "Searching for MobileNetV3" (Howard et al. 2019, arXiv:1905.02244), tables 1 and 2,
// as torchvision 0.19 defines it. The residual sum overwrites the block's result; the ReLU inside
// squeeze-and-excitation is the only activation that does not work in place.
#include <span>

#include "torchvision_blocks.hpp"

namespace rooflab::zoo {
namespace {

struct Block {
  std::int64_t kernel;
  std::int64_t expanded;  ///< channels
  std::int64_t out_channels;
  bool squeeze_excite;
  UnaryFunction activation;
  std::int64_t stride;
};
constexpr UnaryFunction re = UnaryFunction::relu;
constexpr UnaryFunction hs = UnaryFunction::hardswish;

constexpr Block large_blocks[] = {
    {3, 16, 16, false, re, 1},  {3, 64, 24, false, re, 2},  {3, 72, 24, false, re, 1},
    {5, 72, 40, true, re, 2},   {5, 120, 40, true, re, 1},  {5, 120, 40, true, re, 1},
    {3, 240, 80, false, hs, 2}, {3, 200, 80, false, hs, 1}, {3, 184, 80, false, hs, 1},
    {3, 184, 80, false, hs, 1}, {3, 480, 112, true, hs, 1}, {3, 672, 112, true, hs, 1},
    {5, 672, 160, true, hs, 2}, {5, 960, 160, true, hs, 1}, {5, 960, 160, true, hs, 1},
};
constexpr Block small_blocks[] = {
    {3, 16, 16, true, re, 2},  {3, 72, 24, false, re, 2}, {3, 88, 24, false, re, 1},
    {5, 96, 40, true, hs, 2},  {5, 240, 40, true, hs, 1}, {5, 240, 40, true, hs, 1},
    {5, 120, 48, true, hs, 1}, {5, 144, 48, true, hs, 1}, {5, 288, 96, true, hs, 2},
    {5, 576, 96, true, hs, 1}, {5, 576, 96, true, hs, 1},
};

ValueId inverted_residual(GraphBuilder& b, ValueId x, const Block& block) {
  const std::int64_t in_channels = b.shape(x)[1];
  ValueId out = x;
  {
    const auto scope = b.scope("block");
    int index = 0;
    if (block.expanded != in_channels) {
      out = conv_norm_activation(
          b, out, std::to_string(index++),
          {.out_channels = block.expanded, .kernel = 1, .activation = block.activation});
    }
    out = conv_norm_activation(b, out, std::to_string(index++),
                               {.out_channels = block.expanded,
                                .kernel = block.kernel,
                                .stride = block.stride,
                                .groups = block.expanded,
                                .activation = block.activation});
    if (block.squeeze_excite) {
      const std::int64_t quarter = block.expanded / 4;
      out = squeeze_excitation(b, out, std::to_string(index++),
                               {.squeeze_channels = make_divisible(static_cast<double>(quarter)),
                                .scale_activation = UnaryFunction::hardsigmoid});
    }
    out = conv_norm_activation(b, out, std::to_string(index),
                               {.out_channels = block.out_channels, .kernel = 1});
  }
  const bool residual = block.stride == 1 && in_channels == block.out_channels;
  return residual ? b.binary(out, x, BinaryFunction::add, "add", true) : out;
}

ValueId mobilenet_v3(GraphBuilder& b, ValueId x, const Request& request,
                     std::span<const Block> blocks, std::int64_t last_channels) {
  b.set_norm_constants(1e-3, 0.01);
  {
    const auto scope = b.scope("features");
    x = conv_norm_activation(b, x, "0", {.out_channels = 16, .stride = 2, .activation = hs});
    int index = 1;
    for (const Block& block : blocks) {
      const auto inside = b.scope(index++);
      x = inverted_residual(b, x, block);
    }
    x = conv_norm_activation(
        b, x, std::to_string(index),
        {.out_channels = 6 * blocks.back().out_channels, .kernel = 1, .activation = hs});
  }
  x = b.adaptive_pool(x, "avgpool", 1);
  x = b.flatten(x, 1, "flatten");
  const auto scope = b.scope("classifier");
  x = b.linear(x, "0", last_channels);
  x = b.unary(x, hs, "1", true);
  x = b.dropout(x, "2", 0.2, true);
  return b.linear(x, "3", request.classes);
}

}  // namespace

Family mobilenet_v3_family() {
  return {"mobilenet_v3",
          {{.name = "mobilenet_v3_small",
            .forward =
                [](GraphBuilder& b, ValueId x, const Request& request) {
                  return mobilenet_v3(b, x, request, small_blocks, 1024);
                }},
           {.name = "mobilenet_v3_large",
            .forward = [](GraphBuilder& b, ValueId x, const Request& request) {
              return mobilenet_v3(b, x, request, large_blocks, 1280);
            }}}};
}

}  // namespace rooflab::zoo
