#include "torchvision_blocks.hpp"

#include <algorithm>

namespace rooflab::zoo {

std::int64_t make_divisible(double value, std::int64_t divisor) {
  const double step = static_cast<double>(divisor);
  const auto rounded = static_cast<std::int64_t>(value + step / 2) / divisor * divisor;
  const std::int64_t result = std::max(divisor, rounded);
  return static_cast<double>(result) < 0.9 * value ? result + divisor : result;
}

ValueId conv_norm_activation(GraphBuilder& b, ValueId x, std::string_view scope,
                             const ConvNormOptions& options) {
  const auto inside = b.scope(scope);
  x = b.conv(x, "0",
             {.out_channels = options.out_channels,
              .kernel = options.kernel,
              .stride = options.stride,
              .padding = (options.kernel - 1) / 2,
              .groups = options.groups,
              .bias = false});
  x = b.batch_norm(x, "1");
  if (options.activation) x = b.unary(x, *options.activation, "2", true);
  return x;
}

ValueId squeeze_excitation(GraphBuilder& b, ValueId x, std::string_view scope,
                           const SqueezeExcitationOptions& options) {
  const auto inside = b.scope(scope);
  const std::int64_t channels = b.shape(x)[1];
  ValueId scale = b.adaptive_pool(x, "avgpool", 1);
  scale = b.conv(scale, "fc1", {.out_channels = options.squeeze_channels});
  scale = b.unary(scale, options.activation, "activation", options.activation_inplace);
  scale = b.conv(scale, "fc2", {.out_channels = channels});
  scale = b.unary(scale, options.scale_activation, "scale_activation");
  return b.binary(scale, x, BinaryFunction::mul, "mul");
}

ValueId basic_conv(GraphBuilder& b, ValueId x, std::string_view scope,
                   GraphBuilder::ConvOptions options) {
  const auto inside = b.scope(scope);
  options.bias = false;
  x = b.conv(x, "conv", options);
  x = b.batch_norm(x, "bn");
  return b.unary(x, UnaryFunction::relu, "relu", true);
}

}  // namespace rooflab::zoo
