// ConvNeXt, "A ConvNet for the 2020s" (Liu et al. 2022, arXiv:2201.03545), as torchvision 0.19
// defines it.
//
// The block works on channels-last data by permuting views: layer norm and both linear layers run
// on [N, H, W, C], and the result is permuted back without a copy, so activations keep
// channels-last strides from the first block on. The layer scale is a parameter [C, 1, 1] and the
// left operand of its product; the residual sum overwrites the scaled branch. Whole samples are
// dropped in training with a probability that grows linearly over the blocks; where it is 0 the
// framework runs nothing.
#include <array>
#include <string>

#include "family.hpp"

namespace rooflab::zoo {
namespace {

struct Config {
  std::array<int, 4> blocks;
  std::int64_t channels;    ///< channels of the first stage; they double with every stage
  double drop_probability;  ///< probability in the last block
};

/// Layer norm over the channels of [N, C, H, W] (LayerNorm2d).
ValueId layer_norm_2d(GraphBuilder& b, ValueId x, std::string_view name) {
  const auto scope = b.scope(name);
  const std::int64_t channels = b.shape(x)[1];
  const ValueId weight = b.parameter("weight", {channels});
  const ValueId bias = b.parameter("bias", {channels});
  x = b.transpose(x, {0, 2, 3, 1}, "permute");
  x = b.add(graph::LayerNorm{1, b.norm_epsilon()}, {x, weight, bias}, "layer_norm");
  return b.transpose(x, {0, 3, 1, 2}, "permute");
}

ValueId block(GraphBuilder& b, ValueId x, double drop_probability) {
  const std::int64_t channels = b.shape(x)[1];
  const ValueId layer_scale = b.parameter("layer_scale", {channels, 1, 1});
  ValueId out = x;
  {
    const auto scope = b.scope("block");
    out =
        b.conv(out, "0", {.out_channels = channels, .kernel = 7, .padding = 3, .groups = channels});
    out = b.transpose(out, {0, 2, 3, 1}, "1");
    out = b.layer_norm(out, "2");
    out = b.linear(out, "3", 4 * channels);
    out = b.unary(out, UnaryFunction::gelu, "4");
    out = b.linear(out, "5", channels);
    out = b.transpose(out, {0, 3, 1, 2}, "6");
  }
  out = b.binary(layer_scale, out, BinaryFunction::mul, "mul");
  if (drop_probability > 0) {
    out = b.add(graph::StochasticDepth{drop_probability}, {out}, "stochastic_depth");
  }
  return b.binary(out, x, BinaryFunction::add, "add", true);
}

ValueId convnext(GraphBuilder& b, ValueId x, const Request& request, const Config& config) {
  b.set_norm_constants(1e-6);
  int total_blocks = 0;
  for (const int blocks : config.blocks) total_blocks += blocks;
  {
    const auto scope = b.scope("features");
    {
      const auto stem = b.scope("0");
      x = b.conv(x, "0", {.out_channels = config.channels, .kernel = 4, .stride = 4});
      x = layer_norm_2d(b, x, "1");
    }
    int index = 1;
    int done = 0;
    std::int64_t channels = config.channels;
    for (std::size_t stage = 0; stage < config.blocks.size(); ++stage) {
      {
        const auto stage_scope = b.scope(index++);
        for (int i = 0; i < config.blocks[stage]; ++i, ++done) {
          const auto block_scope = b.scope(i);
          x = block(b, x, config.drop_probability * done / (total_blocks - 1));
        }
      }
      if (stage + 1 < config.blocks.size()) {
        const auto downsampling = b.scope(index++);
        channels *= 2;
        x = layer_norm_2d(b, x, "0");
        x = b.conv(x, "1", {.out_channels = channels, .kernel = 2, .stride = 2});
      }
    }
  }
  x = b.adaptive_pool(x, "avgpool", 1);
  const auto scope = b.scope("classifier");
  x = layer_norm_2d(b, x, "0");
  x = b.flatten(x, 1, "1");
  return b.linear(x, "2", request.classes);
}

Model model(const char* name, const Config& config) {
  return {.name = name,
          .smallest_image = 32,
          .forward = [config](GraphBuilder& b, ValueId x, const Request& request) {
            return convnext(b, x, request, config);
          }};
}

}  // namespace

Family convnext_family() {
  return {"convnext",
          {model("convnext_tiny", {{3, 3, 9, 3}, 96, 0.1}),
           model("convnext_small", {{3, 3, 27, 3}, 96, 0.4}),
           model("convnext_base", {{3, 3, 27, 3}, 128, 0.5}),
           model("convnext_large", {{3, 3, 27, 3}, 192, 0.5})}};
}

}  // namespace rooflab::zoo
