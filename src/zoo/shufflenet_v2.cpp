// ShuffleNet v2, "Practical Guidelines for Efficient CNN Architecture Design" (Ma et al. 2018,
// arXiv:1807.11164), as torchvision 0.19 defines it. A block works on half of the channels and then
// interleaves both halves: a view, a transpose and the copy that `contiguous` makes.
#include <array>
#include <string>

#include "family.hpp"
#include "torchvision_blocks.hpp"

namespace rooflab::zoo {
namespace {

struct Config {
  std::array<std::int64_t, 3> channels;  ///< per stage
  std::int64_t last_channels;
};

constexpr std::array<int, 3> stage_blocks = {4, 8, 4};

ValueId depthwise(GraphBuilder& b, ValueId x, std::string_view leaf, std::int64_t stride) {
  const std::int64_t channels = b.shape(x)[1];
  return b.conv(x, leaf,
                {.out_channels = channels,
                 .kernel = 3,
                 .stride = stride,
                 .padding = 1,
                 .groups = channels,
                 .bias = false});
}

ValueId downsampling_branch(GraphBuilder& b, ValueId x, std::int64_t channels) {
  const auto scope = b.scope("branch1");
  x = depthwise(b, x, "0", 2);
  x = b.batch_norm(x, "1");
  x = b.conv(x, "2", {.out_channels = channels, .bias = false});
  x = b.batch_norm(x, "3");
  return b.unary(x, UnaryFunction::relu, "4", true);
}

ValueId main_branch(GraphBuilder& b, ValueId x, std::int64_t channels, std::int64_t stride) {
  const auto scope = b.scope("branch2");
  x = b.conv(x, "0", {.out_channels = channels, .bias = false});
  x = b.batch_norm(x, "1");
  x = b.unary(x, UnaryFunction::relu, "2", true);
  x = depthwise(b, x, "3", stride);
  x = b.batch_norm(x, "4");
  x = b.conv(x, "5", {.out_channels = channels, .bias = false});
  x = b.batch_norm(x, "6");
  return b.unary(x, UnaryFunction::relu, "7", true);
}

ValueId channel_shuffle(GraphBuilder& b, ValueId x) {
  const std::int64_t channels = b.shape(x)[1];
  const std::int64_t height = b.shape(x)[2];
  const std::int64_t width = b.shape(x)[3];
  x = b.reshape(x, {-1, 2, channels / 2, height, width}, "view");
  x = b.transpose(x, {0, 2, 1, 3, 4}, "transpose");
  x = b.add(graph::Contiguous{}, {x}, "contiguous");
  return b.reshape(x, {-1, channels, height, width}, "view");
}

ValueId block(GraphBuilder& b, ValueId x, std::int64_t out_channels, bool downsample) {
  const std::int64_t half = out_channels / 2;
  ValueId left = x;
  ValueId right = x;
  if (downsample) {
    left = downsampling_branch(b, x, half);
    right = main_branch(b, x, half, 2);
  } else {
    const std::vector<ValueId> halves = b.add_all(graph::Split{1, {half, half}}, {x}, "chunk");
    left = halves[0];
    right = main_branch(b, halves[1], half, 1);
  }
  return channel_shuffle(b, b.concat({left, right}, 1, "cat"));
}

ValueId shufflenet(GraphBuilder& b, ValueId x, const Request& request, const Config& config) {
  x = conv_norm_activation(b, x, "conv1",
                           {.out_channels = 24, .stride = 2, .activation = UnaryFunction::relu});
  x = b.pool(x, PoolKind::max, "maxpool", {.kernel = 3, .stride = 2, .padding = 1});
  for (std::size_t stage = 0; stage < stage_blocks.size(); ++stage) {
    const auto scope = b.scope("stage" + std::to_string(stage + 2));
    for (int i = 0; i < stage_blocks[stage]; ++i) {
      const auto inside = b.scope(i);
      x = block(b, x, config.channels[stage], i == 0);
    }
  }
  x = conv_norm_activation(
      b, x, "conv5",
      {.out_channels = config.last_channels, .kernel = 1, .activation = UnaryFunction::relu});
  x = b.add(graph::Reduce{graph::ReduceFunction::mean, {2, 3}, false}, {x}, "mean");
  return b.linear(x, "fc", request.classes);
}

Model model(const char* name, const Config& config) {
  return {.name = name, .forward = [config](GraphBuilder& b, ValueId x, const Request& request) {
            return shufflenet(b, x, request, config);
          }};
}

}  // namespace

Family shufflenet_v2_family() {
  return {"shufflenet_v2",
          {model("shufflenet_v2_x0_5", {{48, 96, 192}, 1024}),
           model("shufflenet_v2_x1_0", {{116, 232, 464}, 1024}),
           model("shufflenet_v2_x1_5", {{176, 352, 704}, 1024}),
           model("shufflenet_v2_x2_0", {{244, 488, 976}, 2048})}};
}

}  // namespace rooflab::zoo
