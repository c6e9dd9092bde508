// VGG, "Very Deep Convolutional Networks for Large-Scale Image Recognition" (Simonyan and Zisserman
// 2014, arXiv:1409.1556), configurations A, B, D and E of its table 1, as torchvision 0.19 defines
// them; `_bn` adds a batch norm after every convolution.
#include <array>
#include <string>

#include "family.hpp"

namespace rooflab::zoo {
namespace {

/// Convolutions per stage; a stage ends with a 2x2 max pooling.
using Depths = std::array<int, 5>;

ValueId vgg(GraphBuilder& b, ValueId x, const Request& request, const Depths& depths,
            bool batch_norm) {
  constexpr std::array<std::int64_t, 5> widths = {64, 128, 256, 512, 512};
  {
    const auto scope = b.scope("features");
    int layer = 0;
    for (std::size_t stage = 0; stage < depths.size(); ++stage) {
      for (int i = 0; i < depths[stage]; ++i) {
        x = b.conv(x, std::to_string(layer++),
                   {.out_channels = widths[stage], .kernel = 3, .padding = 1});
        if (batch_norm) x = b.batch_norm(x, std::to_string(layer++));
        x = b.unary(x, UnaryFunction::relu, std::to_string(layer++), true);
      }
      x = b.pool(x, PoolKind::max, std::to_string(layer++), {.kernel = 2, .stride = 2});
    }
  }
  x = b.adaptive_pool(x, "avgpool", 7);
  x = b.flatten(x, 1, "flatten");
  const auto scope = b.scope("classifier");
  x = b.linear(x, "0", 4096);
  x = b.unary(x, UnaryFunction::relu, "1", true);
  x = b.dropout(x, "2", 0.5);
  x = b.linear(x, "3", 4096);
  x = b.unary(x, UnaryFunction::relu, "4", true);
  x = b.dropout(x, "5", 0.5);
  return b.linear(x, "6", request.classes);
}

}  // namespace

Family vgg_family() {
  struct Entry {
    const char* name;
    Depths depths;
  };
  constexpr std::array entries = {
      Entry{"vgg11", {1, 1, 2, 2, 2}},
      Entry{"vgg13", {2, 2, 2, 2, 2}},
      Entry{"vgg16", {2, 2, 3, 3, 3}},
      Entry{"vgg19", {2, 2, 4, 4, 4}},
  };
  Family family{"vgg", {}};
  for (const Entry& entry : entries) {
    for (const bool batch_norm : {false, true}) {
      family.models.push_back({.name = std::string(entry.name) + (batch_norm ? "_bn" : ""),
                               .smallest_image = 32,
                               .forward = [depths = entry.depths, batch_norm](
                                              GraphBuilder& b, ValueId x, const Request& request) {
                                 return vgg(b, x, request, depths, batch_norm);
                               }});
    }
  }
  return family;
}

}  // namespace rooflab::zoo
