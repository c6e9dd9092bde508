// GoogLeNet, "Going Deeper with Convolutions" (Szegedy et al. 2014, arXiv:1409.4842), as
// torchvision 0.19 defines it: batch norm after every convolution, and 3x3 kernels in the branch
// that the paper gives 5x5 ones (a known deviation of torchvision, pytorch/vision#906).
//
// The published weights have no auxiliary classifiers; a default build of the framework has two.
// They are the variant `aux` and run in training only.
#include "torchvision_blocks.hpp"

namespace rooflab::zoo {
namespace {

struct Channels {
  std::int64_t one;            ///< 1x1 branch
  std::int64_t three_reduced;  ///< before the 3x3
  std::int64_t three;
  std::int64_t five_reduced;  ///< before what the paper makes 5x5
  std::int64_t five;
  std::int64_t pool;  ///< behind the pooling
};

ValueId inception(GraphBuilder& b, ValueId x, std::string_view name, const Channels& channels) {
  const auto scope = b.scope(name);
  const ValueId one = basic_conv(b, x, "branch1", {.out_channels = channels.one});
  ValueId three = basic_conv(b, x, "branch2.0", {.out_channels = channels.three_reduced});
  three = basic_conv(b, three, "branch2.1",
                     {.out_channels = channels.three, .kernel = 3, .padding = 1});
  ValueId five = basic_conv(b, x, "branch3.0", {.out_channels = channels.five_reduced});
  five =
      basic_conv(b, five, "branch3.1", {.out_channels = channels.five, .kernel = 3, .padding = 1});
  ValueId pool = b.pool(x, PoolKind::max, "branch4.0",
                        {.kernel = 3, .stride = 1, .padding = 1, .ceil_mode = true});
  pool = basic_conv(b, pool, "branch4.1", {.out_channels = channels.pool});
  return b.concat({one, three, five, pool}, 1, "cat");
}

void auxiliary_head(GraphBuilder& b, ValueId x, std::string_view name, std::int64_t classes) {
  const auto scope = b.scope(name);
  b.set_training_only(true);
  x = b.adaptive_pool(x, "adaptive_avg_pool2d", 4);
  x = basic_conv(b, x, "conv", {.out_channels = 128});
  x = b.flatten(x, 1, "flatten");
  x = b.linear(x, "fc1", 1024);
  x = b.unary(x, UnaryFunction::relu, "relu", true);
  x = b.dropout(x, "dropout", 0.7);
  b.linear(x, "fc2", classes);
  b.set_training_only(false);
}

ValueId googlenet(GraphBuilder& b, ValueId x, const Request& request) {
  b.set_norm_constants(1e-3);
  const bool aux = request.variant == "aux";
  const GraphBuilder::PoolOptions pool = {.kernel = 3, .stride = 2, .ceil_mode = true};
  x = basic_conv(b, x, "conv1", {.out_channels = 64, .kernel = 7, .stride = 2, .padding = 3});
  x = b.pool(x, PoolKind::max, "maxpool1", pool);
  x = basic_conv(b, x, "conv2", {.out_channels = 64});
  x = basic_conv(b, x, "conv3", {.out_channels = 192, .kernel = 3, .padding = 1});
  x = b.pool(x, PoolKind::max, "maxpool2", pool);
  x = inception(b, x, "inception3a", {64, 96, 128, 16, 32, 32});
  x = inception(b, x, "inception3b", {128, 128, 192, 32, 96, 64});
  x = b.pool(x, PoolKind::max, "maxpool3", pool);
  x = inception(b, x, "inception4a", {192, 96, 208, 16, 48, 64});
  if (aux) auxiliary_head(b, x, "aux1", request.classes);
  x = inception(b, x, "inception4b", {160, 112, 224, 24, 64, 64});
  x = inception(b, x, "inception4c", {128, 128, 256, 24, 64, 64});
  x = inception(b, x, "inception4d", {112, 144, 288, 32, 64, 64});
  if (aux) auxiliary_head(b, x, "aux2", request.classes);
  x = inception(b, x, "inception4e", {256, 160, 320, 32, 128, 128});
  x = b.pool(x, PoolKind::max, "maxpool4", {.kernel = 2, .stride = 2, .ceil_mode = true});
  x = inception(b, x, "inception5a", {256, 160, 320, 32, 128, 128});
  x = inception(b, x, "inception5b", {384, 192, 384, 48, 128, 128});
  x = b.adaptive_pool(x, "avgpool", 1);
  x = b.flatten(x, 1, "flatten");
  x = b.dropout(x, "dropout", 0.2);
  return b.linear(x, "fc", request.classes);
}

}  // namespace

Family googlenet_family() {
  return {"googlenet",
          {{.name = "googlenet",
            .smallest_image = 15,
            .variants = {{.name = "aux",
                          .description = "With the two auxiliary classifiers that a default build "
                                         "of the framework has; they run in training only."}},
            .forward = googlenet}}};
}

}  // namespace rooflab::zoo
