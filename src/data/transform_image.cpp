// Sizes and places are those of torchvision (transforms/functional.py and transforms.py): Resize
// keeps the aspect ratio and cuts the long side off to whole pixels, CenterCrop rounds half to
// even, RandomResizedCrop draws an area and the logarithm of a ratio. The random numbers are not
// torch's.

#include "transform_image.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "rooflab/base/assert.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::data {
namespace {

constexpr std::int64_t largest_side = 32768;
constexpr double smallest_area = 0.08;
constexpr double smallest_ratio = 3.0 / 4;
constexpr double largest_ratio = 4.0 / 3;

[[noreturn]] void refuse(std::string message, std::string hint) {
  throw Error(ErrorKind::usage, std::move(message), std::move(hint));
}

/// Half to even, as Python rounds. nearbyint would depend on the rounding mode.
std::int64_t half_of(std::int64_t value) {
  const std::int64_t below = value / 2;
  return below + ((value % 2 != 0 && below % 2 != 0) ? 1 : 0);
}

Image evaluation_image(const ImageView& image, const ImageTransform& wanted) {
  if (wanted.resize == 0) {
    return resample(image, wanted.height, wanted.width, {0, 0, wanted.height, wanted.width});
  }
  const bool upright = image.width <= image.height;
  const std::int64_t short_side = upright ? image.width : image.height;
  const std::int64_t long_side = upright ? image.height : image.width;
  const std::int64_t resized_long = wanted.resize * long_side / short_side;
  const std::int64_t height = upright ? resized_long : wanted.resize;
  const std::int64_t width = upright ? wanted.resize : resized_long;
  return resample(image, height, width,
                  {half_of(height - wanted.height), half_of(width - wanted.width), wanted.height,
                   wanted.width});
}

Image training_image(const ImageView& image, const ImageTransform& wanted, RandomStream& random) {
  const Window part = random_part(image.height, image.width, random);
  return resample(part_of(image, part.top, part.left, part.height, part.width), wanted.height,
                  wanted.width, {0, 0, wanted.height, wanted.width});
}

/// Bytes to normalised floats, interleaved to planar.
void normalise(const Image& image, const ImageTransform& wanted, bool flip,
               std::span<float> pixels) {
  std::array<float, 256> value{};
  const auto height = static_cast<std::size_t>(image.height);
  const auto width = static_cast<std::size_t>(image.width);
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t byte = 0; byte < value.size(); ++byte) {
      value[byte] = (static_cast<float>(byte) / 255 - wanted.mean[c]) / wanted.deviation[c];
    }
    float* target = pixels.data() + c * height * width;
    const std::uint8_t* row = image.pixels.data() + c;
    for (std::size_t y = 0; y < height; ++y) {
      for (std::size_t x = 0; x < width; ++x) {
        target[x] = value[row[3 * (flip ? width - 1 - x : x)]];
      }
      target += width;
      row += 3 * width;
    }
  }
}

}  // namespace

void check(const ImageTransform& transform) {
  for (const std::int64_t side : {transform.height, transform.width}) {
    if (side < 1 || side > largest_side) {
      refuse(format("images of {} x {} pixels", transform.width, transform.height),
             format("width and height are 1 to {}", largest_side));
    }
  }
  const std::int64_t crop = std::max(transform.height, transform.width);
  const bool resizes = transform.resize != 0 && !transform.random_crop;
  if (resizes && (transform.resize < crop || transform.resize > largest_side)) {
    refuse(format("a crop of {} x {} out of images resized to {}", transform.width,
                  transform.height, transform.resize),
           format("resize to {} to {}, or to 0 for no crop", crop, largest_side));
  }
  for (const float deviation : transform.deviation) {
    if (!(deviation > 0)) refuse("a deviation that is not above zero", "1 changes nothing");
  }
}

Window random_part(std::int64_t height, std::int64_t width, RandomStream& random) {
  const double area = static_cast<double>(height) * static_cast<double>(width);
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double wanted = area * random.between(smallest_area, 1);
    const double ratio =
        std::exp(random.between(std::log(smallest_ratio), std::log(largest_ratio)));
    const std::int64_t w = std::llround(std::sqrt(wanted * ratio));
    const std::int64_t h = std::llround(std::sqrt(wanted / ratio));
    if (w < 1 || w > width || h < 1 || h > height) continue;
    const std::int64_t top = random.below(height - h + 1);
    const std::int64_t left = random.below(width - w + 1);
    return {top, left, h, w};
  }
  const double ratio = static_cast<double>(width) / static_cast<double>(height);
  std::int64_t h = height;
  std::int64_t w = width;
  if (ratio < smallest_ratio) {
    h = std::llround(static_cast<double>(width) / smallest_ratio);
  } else if (ratio > largest_ratio) {
    w = std::llround(static_cast<double>(height) * largest_ratio);
  }
  return {(height - h) / 2, (width - w) / 2, h, w};
}

void transform_image(const ImageView& image, const ImageTransform& transform, std::uint64_t seed,
                     std::span<float> pixels) {
  check(transform);
  ROOFLAB_ASSERT(static_cast<std::int64_t>(pixels.size()) ==
                 3 * transform.height * transform.width);
  RandomStream random(seed);
  const Image result = transform.random_crop ? training_image(image, transform, random)
                                             : evaluation_image(image, transform);
  const bool flip = transform.random_flip && random.unit() < 0.5;
  normalise(result, transform, flip, pixels);
}

}  // namespace rooflab::data
