// Inception v3, "Rethinking the Inception Architecture for Computer Vision" (Szegedy et al. 2015,
// arXiv:1512.00567), as torchvision 0.19 defines it.
//
// A default build has one auxiliary classifier, which runs in training only; its parameters count.
// That head pools 5x5 windows out of a 17x17 map and then convolves 5x5, so a training step needs
// images of 299 pixels; without it (variant `no_aux`) the network takes 75.
#include "torchvision_blocks.hpp"

namespace rooflab::zoo {
namespace {

using ConvOptions = GraphBuilder::ConvOptions;

constexpr GraphBuilder::PoolOptions same_pool = {.kernel = 3, .stride = 1, .padding = 1};
constexpr GraphBuilder::PoolOptions halving_pool = {.kernel = 3, .stride = 2};

ConvOptions square(std::int64_t out_channels, std::int64_t kernel) {
  return {.out_channels = out_channels, .kernel = kernel, .padding = kernel / 2};
}
ConvOptions halving(std::int64_t out_channels) {
  return {.out_channels = out_channels, .kernel = 3, .stride = 2};
}
ConvOptions row(std::int64_t out_channels, std::int64_t length) {
  return {.out_channels = out_channels, .kernel = 1, .kernel_w = length, .padding_w = length / 2};
}
ConvOptions column(std::int64_t out_channels, std::int64_t length) {
  return {.out_channels = out_channels,
          .kernel = length,
          .padding = length / 2,
          .kernel_w = 1,
          .padding_w = 0};
}

ValueId inception_a(GraphBuilder& b, ValueId x, std::string_view name, std::int64_t pool_channels) {
  const auto scope = b.scope(name);
  const ValueId one = basic_conv(b, x, "branch1x1", square(64, 1));
  ValueId five = basic_conv(b, x, "branch5x5_1", square(48, 1));
  five = basic_conv(b, five, "branch5x5_2", square(64, 5));
  ValueId twice = basic_conv(b, x, "branch3x3dbl_1", square(64, 1));
  twice = basic_conv(b, twice, "branch3x3dbl_2", square(96, 3));
  twice = basic_conv(b, twice, "branch3x3dbl_3", square(96, 3));
  ValueId pool = b.pool(x, PoolKind::average, "avg_pool2d", same_pool);
  pool = basic_conv(b, pool, "branch_pool", square(pool_channels, 1));
  return b.concat({one, five, twice, pool}, 1, "cat");
}

ValueId inception_b(GraphBuilder& b, ValueId x, std::string_view name) {
  const auto scope = b.scope(name);
  const ValueId three = basic_conv(b, x, "branch3x3", halving(384));
  ValueId twice = basic_conv(b, x, "branch3x3dbl_1", square(64, 1));
  twice = basic_conv(b, twice, "branch3x3dbl_2", square(96, 3));
  twice = basic_conv(b, twice, "branch3x3dbl_3", halving(96));
  const ValueId pool = b.pool(x, PoolKind::max, "max_pool2d", halving_pool);
  return b.concat({three, twice, pool}, 1, "cat");
}

ValueId inception_c(GraphBuilder& b, ValueId x, std::string_view name, std::int64_t inner) {
  const auto scope = b.scope(name);
  const ValueId one = basic_conv(b, x, "branch1x1", square(192, 1));
  ValueId seven = basic_conv(b, x, "branch7x7_1", square(inner, 1));
  seven = basic_conv(b, seven, "branch7x7_2", row(inner, 7));
  seven = basic_conv(b, seven, "branch7x7_3", column(192, 7));
  ValueId twice = basic_conv(b, x, "branch7x7dbl_1", square(inner, 1));
  twice = basic_conv(b, twice, "branch7x7dbl_2", column(inner, 7));
  twice = basic_conv(b, twice, "branch7x7dbl_3", row(inner, 7));
  twice = basic_conv(b, twice, "branch7x7dbl_4", column(inner, 7));
  twice = basic_conv(b, twice, "branch7x7dbl_5", row(192, 7));
  ValueId pool = b.pool(x, PoolKind::average, "avg_pool2d", same_pool);
  pool = basic_conv(b, pool, "branch_pool", square(192, 1));
  return b.concat({one, seven, twice, pool}, 1, "cat");
}

ValueId inception_d(GraphBuilder& b, ValueId x, std::string_view name) {
  const auto scope = b.scope(name);
  ValueId three = basic_conv(b, x, "branch3x3_1", square(192, 1));
  three = basic_conv(b, three, "branch3x3_2", halving(320));
  ValueId seven = basic_conv(b, x, "branch7x7x3_1", square(192, 1));
  seven = basic_conv(b, seven, "branch7x7x3_2", row(192, 7));
  seven = basic_conv(b, seven, "branch7x7x3_3", column(192, 7));
  seven = basic_conv(b, seven, "branch7x7x3_4", halving(192));
  const ValueId pool = b.pool(x, PoolKind::max, "max_pool2d", halving_pool);
  return b.concat({three, seven, pool}, 1, "cat");
}

ValueId inception_e(GraphBuilder& b, ValueId x, std::string_view name) {
  const auto scope = b.scope(name);
  const ValueId one = basic_conv(b, x, "branch1x1", square(320, 1));
  ValueId three = basic_conv(b, x, "branch3x3_1", square(384, 1));
  const ValueId three_a = basic_conv(b, three, "branch3x3_2a", row(384, 3));
  const ValueId three_b = basic_conv(b, three, "branch3x3_2b", column(384, 3));
  three = b.concat({three_a, three_b}, 1, "cat");
  ValueId twice = basic_conv(b, x, "branch3x3dbl_1", square(448, 1));
  twice = basic_conv(b, twice, "branch3x3dbl_2", square(384, 3));
  const ValueId twice_a = basic_conv(b, twice, "branch3x3dbl_3a", row(384, 3));
  const ValueId twice_b = basic_conv(b, twice, "branch3x3dbl_3b", column(384, 3));
  twice = b.concat({twice_a, twice_b}, 1, "cat");
  ValueId pool = b.pool(x, PoolKind::average, "avg_pool2d", same_pool);
  pool = basic_conv(b, pool, "branch_pool", square(192, 1));
  return b.concat({one, three, twice, pool}, 1, "cat");
}

void auxiliary_head(GraphBuilder& b, ValueId x, std::int64_t classes) {
  const auto scope = b.scope("AuxLogits");
  b.set_training_only(true);
  x = b.pool(x, PoolKind::average, "avg_pool2d", {.kernel = 5, .stride = 3});
  x = basic_conv(b, x, "conv0", square(128, 1));
  x = basic_conv(b, x, "conv1", {.out_channels = 768, .kernel = 5});
  x = b.adaptive_pool(x, "adaptive_avg_pool2d", 1);
  x = b.flatten(x, 1, "flatten");
  b.linear(x, "fc", classes);
  b.set_training_only(false);
}

ValueId inception_v3(GraphBuilder& b, ValueId x, const Request& request) {
  b.set_norm_constants(1e-3);
  x = basic_conv(b, x, "Conv2d_1a_3x3", halving(32));
  x = basic_conv(b, x, "Conv2d_2a_3x3", {.out_channels = 32, .kernel = 3});
  x = basic_conv(b, x, "Conv2d_2b_3x3", square(64, 3));
  x = b.pool(x, PoolKind::max, "maxpool1", halving_pool);
  x = basic_conv(b, x, "Conv2d_3b_1x1", square(80, 1));
  x = basic_conv(b, x, "Conv2d_4a_3x3", {.out_channels = 192, .kernel = 3});
  x = b.pool(x, PoolKind::max, "maxpool2", halving_pool);
  x = inception_a(b, x, "Mixed_5b", 32);
  x = inception_a(b, x, "Mixed_5c", 64);
  x = inception_a(b, x, "Mixed_5d", 64);
  x = inception_b(b, x, "Mixed_6a");
  x = inception_c(b, x, "Mixed_6b", 128);
  x = inception_c(b, x, "Mixed_6c", 160);
  x = inception_c(b, x, "Mixed_6d", 160);
  x = inception_c(b, x, "Mixed_6e", 192);
  if (request.variant != "no_aux") auxiliary_head(b, x, request.classes);
  x = inception_d(b, x, "Mixed_7a");
  x = inception_e(b, x, "Mixed_7b");
  x = inception_e(b, x, "Mixed_7c");
  x = b.adaptive_pool(x, "avgpool", 1);
  x = b.dropout(x, "dropout", 0.5);
  x = b.flatten(x, 1, "flatten");
  return b.linear(x, "fc", request.classes);
}

}  // namespace

Family inception_family() {
  return {"inception",
          {{.name = "inception_v3",
            .input_size = 299,
            .smallest_image = 299,
            .variants = {{.name = "no_aux",
                          .description = "Without the auxiliary classifier; takes images from 75 "
                                         "pixels on.",
                          .smallest_image = 75}},
            .forward = inception_v3}}};
}

}  // namespace rooflab::zoo
