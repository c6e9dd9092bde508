#pragma once

#include <cstdint>
#include <span>

#include "image.hpp"
#include "image_transform.hpp"
#include "random_stream.hpp"
#include "resample.hpp"

namespace rooflab::data {

/// Random part of a height x width image for training (torchvision's RandomResizedCrop): the first
/// of ten tries that fits, else the largest central part with an allowed aspect ratio.
[[nodiscard]] Window random_part(std::int64_t height, std::int64_t width, RandomStream& random);

/// Applies `transform` and writes 3 * height * width floats. Throws as check() does.
void transform_image(const ImageView& image, const ImageTransform& transform, std::uint64_t seed,
                     std::span<float> pixels);

}  // namespace rooflab::data
