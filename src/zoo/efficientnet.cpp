// EfficientNet, "Rethinking Model Scaling for Convolutional Neural Networks" (Tan and Le 2019,
// arXiv:1905.11946), and EfficientNetV2 (Tan and Le 2021, arXiv:2104.00298), as torchvision 0.19
// defines them.
//
// B1 to B7 are B0 with wider layers and more blocks. A residual block drops whole samples in
// training with a probability that grows linearly from 0 over the blocks to 0.2; where it is 0 the
// framework runs nothing, so the graph has no node. The residual sum overwrites the block's result.
#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "torchvision_blocks.hpp"

namespace rooflab::zoo {
namespace {

struct Stage {
  bool fused;  ///< expansion and depthwise convolution as one dense convolution (v2)
  std::int64_t expansion;
  std::int64_t kernel;
  std::int64_t stride;  ///< stride of the first block
  std::int64_t in_channels;
  std::int64_t out_channels;
  int blocks;
};

constexpr Stage b0_stages[] = {
    {false, 1, 3, 1, 32, 16, 1},   {false, 6, 3, 2, 16, 24, 2},  {false, 6, 5, 2, 24, 40, 2},
    {false, 6, 3, 2, 40, 80, 3},   {false, 6, 5, 1, 80, 112, 3}, {false, 6, 5, 2, 112, 192, 4},
    {false, 6, 3, 1, 192, 320, 1},
};
constexpr Stage v2_s_stages[] = {
    {true, 1, 3, 1, 24, 24, 2},   {true, 4, 3, 2, 24, 48, 4},    {true, 4, 3, 2, 48, 64, 4},
    {false, 4, 3, 2, 64, 128, 6}, {false, 6, 3, 1, 128, 160, 9}, {false, 6, 3, 2, 160, 256, 15},
};
constexpr Stage v2_m_stages[] = {
    {true, 1, 3, 1, 24, 24, 3},    {true, 4, 3, 2, 24, 48, 5},     {true, 4, 3, 2, 48, 80, 5},
    {false, 4, 3, 2, 80, 160, 7},  {false, 6, 3, 1, 160, 176, 14}, {false, 6, 3, 2, 176, 304, 18},
    {false, 6, 3, 1, 304, 512, 5},
};
constexpr Stage v2_l_stages[] = {
    {true, 1, 3, 1, 32, 32, 4},    {true, 4, 3, 2, 32, 64, 7},     {true, 4, 3, 2, 64, 96, 7},
    {false, 4, 3, 2, 96, 192, 10}, {false, 6, 3, 1, 192, 224, 19}, {false, 6, 3, 2, 224, 384, 25},
    {false, 6, 3, 1, 384, 640, 7},
};

struct Config {
  std::span<const Stage> stages;
  double width = 1.0;  ///< factor of every channel count
  double depth = 1.0;  ///< factor of every block count
  double dropout = 0.2;
  std::int64_t last_channels = 0;  ///< 0: four times the last stage's
  double norm_epsilon = 1e-5;
  double norm_momentum = 0.1;
};

constexpr double last_drop_probability = 0.2;
constexpr UnaryFunction silu = UnaryFunction::silu;

ValueId mobile_block(GraphBuilder& b, ValueId x, const Stage& stage, std::int64_t stride,
                     std::int64_t out_channels) {
  const auto scope = b.scope("block");
  const std::int64_t in_channels = b.shape(x)[1];
  const std::int64_t expanded = make_divisible(static_cast<double>(in_channels * stage.expansion));
  int index = 0;
  if (expanded != in_channels) {
    x = conv_norm_activation(b, x, std::to_string(index++),
                             {.out_channels = expanded, .kernel = 1, .activation = silu});
  }
  x = conv_norm_activation(b, x, std::to_string(index++),
                           {.out_channels = expanded,
                            .kernel = stage.kernel,
                            .stride = stride,
                            .groups = expanded,
                            .activation = silu});
  x = squeeze_excitation(b, x, std::to_string(index++),
                         {.squeeze_channels = std::max<std::int64_t>(1, in_channels / 4),
                          .activation = silu,
                          .activation_inplace = true});
  return conv_norm_activation(b, x, std::to_string(index),
                              {.out_channels = out_channels, .kernel = 1});
}

ValueId fused_block(GraphBuilder& b, ValueId x, const Stage& stage, std::int64_t stride,
                    std::int64_t out_channels) {
  const auto scope = b.scope("block");
  const std::int64_t in_channels = b.shape(x)[1];
  const std::int64_t expanded = make_divisible(static_cast<double>(in_channels * stage.expansion));
  const bool expands = expanded != in_channels;
  x = conv_norm_activation(b, x, "0",
                           {.out_channels = expands ? expanded : out_channels,
                            .kernel = stage.kernel,
                            .stride = stride,
                            .activation = silu});
  if (!expands) return x;
  return conv_norm_activation(b, x, "1", {.out_channels = out_channels, .kernel = 1});
}

ValueId residual_block(GraphBuilder& b, ValueId x, const Stage& stage, std::int64_t stride,
                       std::int64_t out_channels, double drop_probability) {
  const bool residual = stride == 1 && b.shape(x)[1] == out_channels;
  ValueId out = stage.fused ? fused_block(b, x, stage, stride, out_channels)
                            : mobile_block(b, x, stage, stride, out_channels);
  if (!residual) return out;
  if (drop_probability > 0) {
    out = b.add(graph::StochasticDepth{drop_probability}, {out}, "stochastic_depth");
  }
  return b.binary(out, x, BinaryFunction::add, "add", true);
}

ValueId efficientnet(GraphBuilder& b, ValueId x, const Request& request, const Config& config) {
  b.set_norm_constants(config.norm_epsilon, config.norm_momentum);
  const auto channels = [&](std::int64_t base) {
    return make_divisible(static_cast<double>(base) * config.width);
  };
  const auto blocks = [&](const Stage& stage) {
    return static_cast<int>(std::ceil(stage.blocks * config.depth));
  };
  int total_blocks = 0;
  for (const Stage& stage : config.stages) total_blocks += blocks(stage);
  const std::int64_t last_stage_channels = channels(config.stages.back().out_channels);
  {
    const auto scope = b.scope("features");
    x = conv_norm_activation(b, x, "0",
                             {.out_channels = channels(config.stages.front().in_channels),
                              .stride = 2,
                              .activation = silu});
    int index = 1;
    int block = 0;
    for (const Stage& stage : config.stages) {
      const auto stage_scope = b.scope(index++);
      for (int i = 0; i < blocks(stage); ++i, ++block) {
        const auto block_scope = b.scope(i);
        x = residual_block(b, x, stage, i == 0 ? stage.stride : 1, channels(stage.out_channels),
                           last_drop_probability * block / total_blocks);
      }
    }
    x = conv_norm_activation(
        b, x, std::to_string(index),
        {.out_channels = config.last_channels > 0 ? config.last_channels : 4 * last_stage_channels,
         .kernel = 1,
         .activation = silu});
  }
  x = b.adaptive_pool(x, "avgpool", 1);
  x = b.flatten(x, 1, "flatten");
  const auto scope = b.scope("classifier");
  x = b.dropout(x, "0", config.dropout, true);
  return b.linear(x, "1", request.classes);
}

Model model(const char* name, std::int64_t input_size, const Config& config) {
  return {.name = name,
          .input_size = input_size,
          .forward = [config](GraphBuilder& b, ValueId x, const Request& request) {
            return efficientnet(b, x, request, config);
          }};
}

}  // namespace

Family efficientnet_family() {
  return {"efficientnet",
          {model("efficientnet_b0", 224, {b0_stages, 1.0, 1.0, 0.2}),
           model("efficientnet_b1", 240, {b0_stages, 1.0, 1.1, 0.2}),
           model("efficientnet_b2", 288, {b0_stages, 1.1, 1.2, 0.3}),
           model("efficientnet_b3", 300, {b0_stages, 1.2, 1.4, 0.3}),
           model("efficientnet_b4", 380, {b0_stages, 1.4, 1.8, 0.4}),
           model("efficientnet_b5", 456, {b0_stages, 1.6, 2.2, 0.4, 0, 1e-3, 0.01}),
           model("efficientnet_b6", 528, {b0_stages, 1.8, 2.6, 0.5, 0, 1e-3, 0.01}),
           model("efficientnet_b7", 600, {b0_stages, 2.0, 3.1, 0.5, 0, 1e-3, 0.01})}};
}

Family efficientnet_v2_family() {
  return {"efficientnet_v2",
          {model("efficientnet_v2_s", 384, {v2_s_stages, 1.0, 1.0, 0.2, 1280, 1e-3}),
           model("efficientnet_v2_m", 480, {v2_m_stages, 1.0, 1.0, 0.3, 1280, 1e-3}),
           model("efficientnet_v2_l", 480, {v2_l_stages, 1.0, 1.0, 0.4, 1280, 1e-3})}};
}

}  // namespace rooflab::zoo
