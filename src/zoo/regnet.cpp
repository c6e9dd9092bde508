// RegNet, "Designing Network Design Spaces" (Radosavovic et al. 2020, arXiv:2003.13678), as
// torchvision 0.19 defines it. Y networks are X networks with squeeze-and-excitation.
//
// Four numbers give all widths. Block j of d has the continuous width u_j = w_0 + w_a j, quantised
// to w_0 w_m^s with s = round(log(u_j / w_0) / log(w_m)) and then to a multiple of 8; blocks of
// equal width form a stage. A stage's width is rounded once more so that the group width divides
// it. The framework evaluates this in single precision, and so does this file: a rounding could
// differ.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "torchvision_blocks.hpp"

namespace rooflab::zoo {
namespace {

struct Config {
  int depth;  ///< d, blocks
  int w_0;
  double w_a;
  double w_m;
  std::int64_t group_width;
  bool squeeze_excite = false;
};

struct Stage {
  std::int64_t width;
  std::int64_t group_width;
  int blocks;
};

std::vector<Stage> stages_of(const Config& config) {
  std::vector<Stage> stages;
  for (int j = 0; j < config.depth; ++j) {
    const float continuous =
        static_cast<float>(j) * static_cast<float>(config.w_a) + static_cast<float>(config.w_0);
    const float capacity = std::nearbyint(std::log(continuous / static_cast<float>(config.w_0)) /
                                          static_cast<float>(std::log(config.w_m)));
    const float quantised =
        static_cast<float>(config.w_0) * std::pow(static_cast<float>(config.w_m), capacity);
    const std::int64_t width = static_cast<std::int64_t>(std::nearbyint(quantised / 8.0F)) * 8;
    if (stages.empty() || stages.back().width != width) stages.push_back({width, 0, 0});
    ++stages.back().blocks;
  }
  for (Stage& stage : stages) {
    stage.group_width = std::min(config.group_width, stage.width);
    stage.width = make_divisible(static_cast<double>(stage.width), stage.group_width);
  }
  return stages;
}

ValueId block(GraphBuilder& b, ValueId x, const Stage& stage, std::int64_t stride,
              bool squeeze_excite) {
  const std::int64_t in_channels = b.shape(x)[1];
  const bool projects = in_channels != stage.width || stride != 1;
  const ValueId identity =
      projects ? conv_norm_activation(b, x, "proj",
                                      {.out_channels = stage.width, .kernel = 1, .stride = stride})
               : x;
  ValueId out = x;
  {
    const auto scope = b.scope("f");
    out = conv_norm_activation(
        b, out, "a", {.out_channels = stage.width, .kernel = 1, .activation = UnaryFunction::relu});
    out = conv_norm_activation(b, out, "b",
                               {.out_channels = stage.width,
                                .stride = stride,
                                .groups = stage.width / stage.group_width,
                                .activation = UnaryFunction::relu});
    if (squeeze_excite) {
      const auto quarter = std::nearbyint(0.25 * static_cast<double>(in_channels));
      out = squeeze_excitation(b, out, "se",
                               {.squeeze_channels = static_cast<std::int64_t>(quarter)});
    }
    out = conv_norm_activation(b, out, "c", {.out_channels = stage.width, .kernel = 1});
  }
  out = b.binary(identity, out, BinaryFunction::add, "add");
  return b.unary(out, UnaryFunction::relu, "activation", true);
}

ValueId regnet(GraphBuilder& b, ValueId x, const Request& request, const Config& config) {
  x = conv_norm_activation(b, x, "stem",
                           {.out_channels = 32, .stride = 2, .activation = UnaryFunction::relu});
  int index = 1;
  for (const Stage& stage : stages_of(config)) {
    const std::string name = "block" + std::to_string(index++);
    const auto scope = b.scope("trunk_output." + name);
    for (int i = 0; i < stage.blocks; ++i) {
      const auto inside = b.scope(name + "-" + std::to_string(i));
      x = block(b, x, stage, i == 0 ? 2 : 1, config.squeeze_excite);
    }
  }
  x = b.adaptive_pool(x, "avgpool", 1);
  x = b.flatten(x, 1, "flatten");
  return b.linear(x, "fc", request.classes);
}

Model model(const char* name, const Config& config, std::int64_t input_size = 224) {
  return {.name = name,
          .input_size = input_size,
          .forward = [config](GraphBuilder& b, ValueId x, const Request& request) {
            return regnet(b, x, request, config);
          }};
}

}  // namespace

Family regnet_x_family() {
  return {"regnet_x",
          {model("regnet_x_400mf", {22, 24, 24.48, 2.54, 16}),
           model("regnet_x_800mf", {16, 56, 35.73, 2.28, 16}),
           model("regnet_x_1_6gf", {18, 80, 34.01, 2.25, 24}),
           model("regnet_x_3_2gf", {25, 88, 26.31, 2.25, 48}),
           model("regnet_x_8gf", {23, 80, 49.56, 2.88, 120}),
           model("regnet_x_16gf", {22, 216, 55.59, 2.1, 128}),
           model("regnet_x_32gf", {23, 320, 69.86, 2.0, 168})}};
}

Family regnet_y_family() {
  return {"regnet_y",
          {model("regnet_y_400mf", {16, 48, 27.89, 2.09, 8, true}),
           model("regnet_y_800mf", {14, 56, 38.84, 2.4, 16, true}),
           model("regnet_y_1_6gf", {27, 48, 20.71, 2.65, 24, true}),
           model("regnet_y_3_2gf", {21, 80, 42.63, 2.66, 24, true}),
           model("regnet_y_8gf", {17, 192, 76.82, 2.19, 56, true}),
           model("regnet_y_16gf", {18, 200, 106.23, 2.48, 112, true}),
           model("regnet_y_32gf", {20, 232, 115.89, 2.53, 232, true}),
           model("regnet_y_128gf", {27, 456, 160.83, 2.52, 264, true}, 384)}};
}

}  // namespace rooflab::zoo
