#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "image.hpp"

namespace rooflab::data {

/// Decodes a PNG file to RGB: palettes and grayscale are expanded, 16 bits scaled to 8, alpha is
/// dropped; gamma and colour profiles are ignored. For a broken file: nullopt and libpng's message.
[[nodiscard]] std::optional<Image> decode_png(std::string_view file, std::string& reason);

}  // namespace rooflab::data
