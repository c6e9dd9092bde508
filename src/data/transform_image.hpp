#pragma once

#include <cstdint>
#include <span>

#include "image.hpp"
#include "image_transform.hpp"
#include "random_stream.hpp"
#include "resample.hpp"

namespace rooflab::data {

/// The part of a height x width image that training sees (torchvision's RandomResizedCrop): of ten
/// tries the first that fits, or else the largest central part with an allowed aspect ratio.
[[nodiscard]] Window random_part(std::int64_t height, std::int64_t width, RandomStream& random);

/// What `transform` says, into 3 * height * width floats. Throws as `check` does.
void transform_image(const ImageView& image, const ImageTransform& transform, std::uint64_t seed,
                     std::span<float> pixels);

}  // namespace rooflab::data
