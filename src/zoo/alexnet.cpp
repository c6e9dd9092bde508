// AlexNet in the single-tower form of "One weird trick for parallelizing convolutional neural
// networks" (Krizhevsky 2014, arXiv:1404.5997), as torchvision 0.19 defines it: no grouped
// convolutions and no local response normalisation, unlike the network of 2012.
#include "family.hpp"

namespace rooflab::zoo {
namespace {

ValueId alexnet(GraphBuilder& b, ValueId x, const Request& request) {
  const GraphBuilder::PoolOptions overlapping = {.kernel = 3, .stride = 2};
  {
    const auto scope = b.scope("features");
    x = b.conv(x, "0", {.out_channels = 64, .kernel = 11, .stride = 4, .padding = 2});
    x = b.unary(x, UnaryFunction::relu, "1", true);
    x = b.pool(x, PoolKind::max, "2", overlapping);
    x = b.conv(x, "3", {.out_channels = 192, .kernel = 5, .padding = 2});
    x = b.unary(x, UnaryFunction::relu, "4", true);
    x = b.pool(x, PoolKind::max, "5", overlapping);
    x = b.conv(x, "6", {.out_channels = 384, .kernel = 3, .padding = 1});
    x = b.unary(x, UnaryFunction::relu, "7", true);
    x = b.conv(x, "8", {.out_channels = 256, .kernel = 3, .padding = 1});
    x = b.unary(x, UnaryFunction::relu, "9", true);
    x = b.conv(x, "10", {.out_channels = 256, .kernel = 3, .padding = 1});
    x = b.unary(x, UnaryFunction::relu, "11", true);
    x = b.pool(x, PoolKind::max, "12", overlapping);
  }
  x = b.adaptive_pool(x, "avgpool", 6);
  x = b.flatten(x, 1, "flatten");
  const auto scope = b.scope("classifier");
  x = b.dropout(x, "0", 0.5);
  x = b.linear(x, "1", 4096);
  x = b.unary(x, UnaryFunction::relu, "2", true);
  x = b.dropout(x, "3", 0.5);
  x = b.linear(x, "4", 4096);
  x = b.unary(x, UnaryFunction::relu, "5", true);
  return b.linear(x, "6", request.classes);
}

}  // namespace

Family alexnet_family() {
  return {"alexnet", {{.name = "alexnet", .smallest_image = 63, .forward = alexnet}}};
}

}  // namespace rooflab::zoo
