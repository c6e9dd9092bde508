#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "image.hpp"

namespace rooflab::data {

/// Decodes a JPEG file to RGB: baseline and progressive; grayscale is expanded; CMYK and YCCK are
/// read as Adobe writes them, inverted, and converted as Pillow does (without a colour profile).
///
/// Warnings of libjpeg, such as data that end too early, make an image broken, except for remarks
/// that do not concern the pixels. For a broken file: nullopt and libjpeg's message.
[[nodiscard]] std::optional<Image> decode_jpeg(std::string_view file, std::string& reason);

}  // namespace rooflab::data
