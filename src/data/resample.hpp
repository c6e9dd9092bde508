#pragma once

#include "image.hpp"

namespace rooflab::data {

/// The needed window of a resized image.
struct Window {
  std::int64_t top = 0;
  std::int64_t left = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
};

/// Resizes `source` to height x width, bilinear with antialiasing, and computes only `window`,
/// which must be inside. Equal to resizing everything and cropping.
[[nodiscard]] Image resample(const ImageView& source, std::int64_t height, std::int64_t width,
                             const Window& window);

}  // namespace rooflab::data
