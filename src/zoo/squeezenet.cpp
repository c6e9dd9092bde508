// SqueezeNet (Iandola et al. 2016, arXiv:1602.07360) 1.0 and its cheaper successor 1.1, as
// torchvision 0.19 defines them. The classifier is a convolution, so the network ends in a pooling.
#include <span>
#include <string>

#include "family.hpp"

namespace rooflab::zoo {
namespace {

/// A fire module; squeeze == 0 stands for a max pooling.
struct Layer {
  std::int64_t squeeze;
  std::int64_t expand;
};
constexpr Layer max_pool = {0, 0};

ValueId fire(GraphBuilder& b, ValueId x, const Layer& layer) {
  x = b.conv(x, "squeeze", {.out_channels = layer.squeeze});
  x = b.unary(x, UnaryFunction::relu, "squeeze_activation", true);
  ValueId narrow = b.conv(x, "expand1x1", {.out_channels = layer.expand});
  narrow = b.unary(narrow, UnaryFunction::relu, "expand1x1_activation", true);
  ValueId wide = b.conv(x, "expand3x3", {.out_channels = layer.expand, .kernel = 3, .padding = 1});
  wide = b.unary(wide, UnaryFunction::relu, "expand3x3_activation", true);
  return b.concat({narrow, wide}, 1, "cat");
}

ValueId squeezenet(GraphBuilder& b, ValueId x, const Request& request,
                   const GraphBuilder::ConvOptions& stem, std::span<const Layer> layers) {
  {
    const auto scope = b.scope("features");
    x = b.conv(x, "0", stem);
    x = b.unary(x, UnaryFunction::relu, "1", true);
    int index = 2;
    for (const Layer& layer : layers) {
      if (layer.squeeze == 0) {
        x = b.pool(x, PoolKind::max, std::to_string(index),
                   {.kernel = 3, .stride = 2, .ceil_mode = true});
      } else {
        const auto inside = b.scope(index);
        x = fire(b, x, layer);
      }
      ++index;
    }
  }
  {
    const auto scope = b.scope("classifier");
    x = b.dropout(x, "0", 0.5);
    x = b.conv(x, "1", {.out_channels = request.classes});
    x = b.unary(x, UnaryFunction::relu, "2", true);
    x = b.adaptive_pool(x, "3", 1);
  }
  return b.flatten(x, 1, "flatten");
}

constexpr Layer layers_1_0[] = {max_pool,  {16, 64},  {16, 64},  {32, 128}, max_pool, {32, 128},
                                {48, 192}, {48, 192}, {64, 256}, max_pool,  {64, 256}};
constexpr Layer layers_1_1[] = {max_pool, {16, 64},  {16, 64},  max_pool,  {32, 128}, {32, 128},
                                max_pool, {48, 192}, {48, 192}, {64, 256}, {64, 256}};

}  // namespace

Family squeezenet_family() {
  return {"squeezenet",
          {{.name = "squeezenet1_1",
            .smallest_image = 17,
            .forward =
                [](GraphBuilder& b, ValueId x, const Request& request) {
                  return squeezenet(b, x, request, {.out_channels = 64, .kernel = 3, .stride = 2},
                                    layers_1_1);
                }},
           {.name = "squeezenet1_0",
            .smallest_image = 21,
            .forward = [](GraphBuilder& b, ValueId x, const Request& request) {
              return squeezenet(b, x, request, {.out_channels = 96, .kernel = 7, .stride = 2},
                                layers_1_0);
            }}}};
}

}  // namespace rooflab::zoo
