// Residual networks as torchvision 0.19 defines them.
//
// ResNet: "Deep Residual Learning for Image Recognition" (He et al. 2015, arXiv:1512.03385), with
// the stride of a bottleneck in its 3x3 convolution ("v1.5"), unlike the paper's first 1x1.
// ResNeXt: grouped 3x3 convolutions (Xie et al. 2016, arXiv:1611.05431).
// Wide ResNet: wider 3x3 convolutions (Zagoruyko and Komodakis 2016, arXiv:1605.07146).
//
// The sum with the identity overwrites the residual branch (`out += identity`), so it allocates
// nothing. The variant `cifar` is the usual stem for 32x32 images.
#include <array>

#include "family.hpp"

namespace rooflab::zoo {
namespace {

struct Config {
  std::array<int, 4> blocks;  ///< per stage
  bool bottleneck = false;
  std::int64_t groups = 1;
  std::int64_t width_per_group = 64;
};

constexpr std::int64_t bottleneck_expansion = 4;

ValueId shortcut(GraphBuilder& b, ValueId x, std::int64_t out_channels, std::int64_t stride) {
  if (stride == 1 && b.shape(x)[1] == out_channels) return x;
  const auto scope = b.scope("downsample");
  x = b.conv(x, "0", {.out_channels = out_channels, .stride = stride, .bias = false});
  return b.batch_norm(x, "1");
}

ValueId add_identity(GraphBuilder& b, ValueId out, ValueId identity) {
  out = b.binary(out, identity, BinaryFunction::add, "add", true);
  return b.unary(out, UnaryFunction::relu, "relu", true);
}

ValueId basic_block(GraphBuilder& b, ValueId x, std::int64_t planes, std::int64_t stride) {
  ValueId out =
      b.conv(x, "conv1",
             {.out_channels = planes, .kernel = 3, .stride = stride, .padding = 1, .bias = false});
  out = b.batch_norm(out, "bn1");
  out = b.unary(out, UnaryFunction::relu, "relu", true);
  out = b.conv(out, "conv2", {.out_channels = planes, .kernel = 3, .padding = 1, .bias = false});
  out = b.batch_norm(out, "bn2");
  return add_identity(b, out, shortcut(b, x, planes, stride));
}

ValueId bottleneck_block(GraphBuilder& b, ValueId x, std::int64_t planes, std::int64_t stride,
                         const Config& config) {
  const std::int64_t width = planes * config.width_per_group / 64 * config.groups;
  const std::int64_t out_channels = planes * bottleneck_expansion;
  ValueId out = b.conv(x, "conv1", {.out_channels = width, .bias = false});
  out = b.batch_norm(out, "bn1");
  out = b.unary(out, UnaryFunction::relu, "relu", true);
  out = b.conv(out, "conv2",
               {.out_channels = width,
                .kernel = 3,
                .stride = stride,
                .padding = 1,
                .groups = config.groups,
                .bias = false});
  out = b.batch_norm(out, "bn2");
  out = b.unary(out, UnaryFunction::relu, "relu", true);
  out = b.conv(out, "conv3", {.out_channels = out_channels, .bias = false});
  out = b.batch_norm(out, "bn3");
  return add_identity(b, out, shortcut(b, x, out_channels, stride));
}

ValueId stem(GraphBuilder& b, ValueId x, bool cifar) {
  const std::int64_t kernel = cifar ? 3 : 7;
  x = b.conv(x, "conv1",
             {.out_channels = 64,
              .kernel = kernel,
              .stride = cifar ? 1 : 2,
              .padding = kernel / 2,
              .bias = false});
  x = b.batch_norm(x, "bn1");
  x = b.unary(x, UnaryFunction::relu, "relu", true);
  if (cifar) return x;
  return b.pool(x, PoolKind::max, "maxpool", {.kernel = 3, .stride = 2, .padding = 1});
}

ValueId resnet(GraphBuilder& b, ValueId x, const Request& request, const Config& config) {
  x = stem(b, x, request.variant == "cifar");
  std::int64_t planes = 64;
  for (std::size_t stage = 0; stage < config.blocks.size(); ++stage, planes *= 2) {
    const auto layer = b.scope("layer" + std::to_string(stage + 1));
    for (int i = 0; i < config.blocks[stage]; ++i) {
      const auto block = b.scope(i);
      const std::int64_t stride = stage > 0 && i == 0 ? 2 : 1;
      x = config.bottleneck ? bottleneck_block(b, x, planes, stride, config)
                            : basic_block(b, x, planes, stride);
    }
  }
  x = b.adaptive_pool(x, "avgpool", 1);
  x = b.flatten(x, 1, "flatten");
  return b.linear(x, "fc", request.classes);
}

Model model(const char* name, const Config& config) {
  return {
      .name = name,
      .variants = {{.name = "cifar",
                    .description = "3x3 stem of stride 1 without max pooling, for 32x32 images.",
                    .input_size = 32}},
      .forward = [config](GraphBuilder& b, ValueId x, const Request& request) {
        return resnet(b, x, request, config);
      }};
}

}  // namespace

Family resnet_family() {
  return {"resnet",
          {model("resnet18", {{2, 2, 2, 2}}), model("resnet34", {{3, 4, 6, 3}}),
           model("resnet50", {{3, 4, 6, 3}, true}), model("resnet101", {{3, 4, 23, 3}, true}),
           model("resnet152", {{3, 8, 36, 3}, true})}};
}

Family resnext_family() {
  return {"resnext",
          {model("resnext50_32x4d", {{3, 4, 6, 3}, true, 32, 4}),
           model("resnext101_64x4d", {{3, 4, 23, 3}, true, 64, 4}),
           model("resnext101_32x8d", {{3, 4, 23, 3}, true, 32, 8})}};
}

Family wide_resnet_family() {
  return {"wide_resnet",
          {model("wide_resnet50_2", {{3, 4, 6, 3}, true, 1, 128}),
           model("wide_resnet101_2", {{3, 4, 23, 3}, true, 1, 128})}};
}

}  // namespace rooflab::zoo
