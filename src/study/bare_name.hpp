#pragma once

#include <string>
#include <string_view>

namespace rooflab::study {

/// Letters and digits alone, in lower case: `ResNet-18` and `resnet18` are one network, `A100 SXM4`
/// and `a100-sxm4` one word. Letters outside ASCII stay as they are.
[[nodiscard]] std::string bare_name(std::string_view text);

}  // namespace rooflab::study
