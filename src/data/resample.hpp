#pragma once

#include "image.hpp"

namespace rooflab::data {

/// The window of a resized image that is wanted.
struct Window {
  std::int64_t top = 0;
  std::int64_t left = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
};

/// `source` resized to height x width, bilinear with antialiasing, and of that only `window`, which
/// must lie within. Equal to resizing all and cropping then.
[[nodiscard]] Image resample(const ImageView& source, std::int64_t height, std::int64_t width,
                             const Window& window);

}  // namespace rooflab::data
