// DenseNet-BC, "Densely Connected Convolutional Networks" (Huang et al. 2016, arXiv:1608.06993), as
// torchvision 0.19 defines it. Every layer concatenates all features before it, so the copies grow
// with the square of a block's depth; the first layer of a block concatenates a single tensor,
// which the framework copies as well.
#include <array>
#include <string>

#include "family.hpp"

namespace rooflab::zoo {
namespace {

struct Config {
  std::int64_t growth = 32;
  std::array<int, 4> layers;  ///< per block
  std::int64_t stem = 64;     ///< channels
};

ValueId dense_layer(GraphBuilder& b, std::vector<ValueId> features, std::int64_t growth) {
  constexpr std::int64_t bottleneck = 4;
  const ValueId concatenated = b.concat(std::move(features), 1, "cat");
  ValueId x = b.batch_norm(concatenated, "norm1");
  x = b.unary(x, UnaryFunction::relu, "relu1", true);
  x = b.conv(x, "conv1", {.out_channels = bottleneck * growth, .bias = false});
  b.hold(concatenated);  // a local variable of bn_function, which ends here
  x = b.batch_norm(x, "norm2");
  x = b.unary(x, UnaryFunction::relu, "relu2", true);
  return b.conv(x, "conv2", {.out_channels = growth, .kernel = 3, .padding = 1, .bias = false});
}

ValueId dense_block(GraphBuilder& b, ValueId x, int layers, std::int64_t growth) {
  std::vector<ValueId> features = {x};
  for (int i = 1; i <= layers; ++i) {
    const auto scope = b.scope("denselayer" + std::to_string(i));
    features.push_back(dense_layer(b, features, growth));
  }
  return b.concat(std::move(features), 1, "cat");
}

ValueId transition(GraphBuilder& b, ValueId x) {
  const std::int64_t channels = b.shape(x)[1];
  x = b.batch_norm(x, "norm");
  x = b.unary(x, UnaryFunction::relu, "relu", true);
  x = b.conv(x, "conv", {.out_channels = channels / 2, .bias = false});
  return b.pool(x, PoolKind::average, "pool", {.kernel = 2, .stride = 2});
}

ValueId densenet(GraphBuilder& b, ValueId x, const Request& request, const Config& config) {
  {
    const auto scope = b.scope("features");
    x = b.conv(
        x, "conv0",
        {.out_channels = config.stem, .kernel = 7, .stride = 2, .padding = 3, .bias = false});
    x = b.batch_norm(x, "norm0");
    x = b.unary(x, UnaryFunction::relu, "relu0", true);
    x = b.pool(x, PoolKind::max, "pool0", {.kernel = 3, .stride = 2, .padding = 1});
    for (std::size_t i = 0; i < config.layers.size(); ++i) {
      {
        const auto inside = b.scope("denseblock" + std::to_string(i + 1));
        x = dense_block(b, x, config.layers[i], config.growth);
      }
      if (i + 1 < config.layers.size()) {
        const auto inside = b.scope("transition" + std::to_string(i + 1));
        x = transition(b, x);
      }
    }
    x = b.batch_norm(x, "norm5");
  }
  x = b.unary(x, UnaryFunction::relu, "relu", true);
  x = b.adaptive_pool(x, "adaptive_avg_pool2d", 1);
  x = b.flatten(x, 1, "flatten");
  return b.linear(x, "classifier", request.classes);
}

Model model(const char* name, const Config& config) {
  return {.name = name,
          .smallest_image = 29,
          .forward = [config](GraphBuilder& b, ValueId x, const Request& request) {
            return densenet(b, x, request, config);
          }};
}

}  // namespace

Family densenet_family() {
  return {"densenet",
          {model("densenet121", {32, {6, 12, 24, 16}, 64}),
           model("densenet169", {32, {6, 12, 32, 32}, 64}),
           model("densenet201", {32, {6, 12, 48, 32}, 64}),
           model("densenet161", {48, {6, 12, 36, 24}, 96})}};
}

}  // namespace rooflab::zoo
