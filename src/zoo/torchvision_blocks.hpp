#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "family.hpp"

/// Common blocks of several of torchvision's families.
namespace rooflab::zoo {

/// Channels near `value` that `divisor` divides, never more than 10 % below `value`: the rounding
/// of the MobileNet papers' authors.
[[nodiscard]] std::int64_t make_divisible(double value, std::int64_t divisor = 8);

struct ConvNormOptions {
  std::int64_t out_channels = 0;
  std::int64_t kernel = 3;
  std::int64_t stride = 1;
  std::int64_t groups = 1;
  std::optional<UnaryFunction> activation = {};  ///< in place
};
/// Adds Conv2dNormActivation: `scope.0` convolution without bias and padded to keep the size,
/// `scope.1` batch norm, `scope.2` activation in place.
ValueId conv_norm_activation(GraphBuilder& b, ValueId x, std::string_view scope,
                             const ConvNormOptions& options);

struct SqueezeExcitationOptions {
  std::int64_t squeeze_channels = 0;
  UnaryFunction activation = UnaryFunction::relu;
  bool activation_inplace = false;
  UnaryFunction scale_activation = UnaryFunction::sigmoid;
};
/// Adds SqueezeExcitation, channel weights from the pooled map: avgpool, fc1, activation, fc2,
/// scale_activation, then scale * x.
ValueId squeeze_excitation(GraphBuilder& b, ValueId x, std::string_view scope,
                           const SqueezeExcitationOptions& options);

/// Adds BasicConv2d of GoogLeNet and Inception v3: `scope.conv` without bias, `scope.bn`, and relu
/// in place as a function. `options.bias` is ignored.
ValueId basic_conv(GraphBuilder& b, ValueId x, std::string_view scope,
                   GraphBuilder::ConvOptions options);

}  // namespace rooflab::zoo
