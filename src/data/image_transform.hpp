#pragma once

#include <array>
#include <cstdint>

namespace rooflab::data {

/// Transform of an image into a network's input: it becomes [3, height, width] float32, RGB, each
/// channel
/// `(value / 255 - mean) / deviation`.
///
/// The steps are those of torchvision. Training (`random_crop`): RandomResizedCrop, a part of 8 to
/// 100 % of the area with an aspect ratio of 3/4 to 4/3, resized to height x width. Otherwise:
/// Resize of the short side to `resize`, then CenterCrop; with `resize` 0 the whole image is
/// resized to height x width and its aspect ratio is lost. With `crop_padding` a RandomCrop
/// replaces CenterCrop: height x width at a random place of the resized image with black borders of
/// that width in pixels. Resizing is bilinear with antialiasing.
struct ImageTransform {
  std::int64_t height = 224;
  std::int64_t width = 224;
  std::int64_t resize = 256;  ///< short side before the centre crop; unused with `random_crop`
  bool random_crop = false;
  std::int64_t crop_padding = 0;  ///< 0: no such crop; not together with `random_crop`
  bool random_flip = false;       ///< left to right, for every second image
  std::array<float, 3> mean{0.485F, 0.456F, 0.406F};
  std::array<float, 3> deviation{0.229F, 0.224F, 0.225F};
};

/// Throws Error (usage) with a hint when a size is out of range (1 to 32768), the crop does not fit
/// into the resized image, both random crops are requested, or a deviation is not above zero.
void check(const ImageTransform& transform);

}  // namespace rooflab::data
