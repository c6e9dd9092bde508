// Sizes and places are those of torchvision (transforms/functional.py and transforms.py): Resize
// keeps the aspect ratio and cuts the long side off to whole pixels, CenterCrop rounds half to
// even, RandomResizedCrop draws an area and the logarithm of a ratio. The random numbers are not
// torch's.

#include "transform_image.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/assert.hpp"
#include "base/format.hpp"
#include "refuse.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::data {
namespace {

constexpr std::int64_t largest_side = 32768;
constexpr double smallest_area = 0.08;
constexpr double smallest_ratio = 3.0 / 4;
constexpr double largest_ratio = 4.0 / 3;

/// Half to even, as Python rounds. nearbyint would depend on the rounding mode.
std::int64_t half_of(std::int64_t value) {
  const std::int64_t below = value / 2;
  return below + ((value % 2 != 0 && below % 2 != 0) ? 1 : 0);
}

struct Size {
  std::int64_t height = 0;
  std::int64_t width = 0;
};

/// Size of the image before the crop.
Size resized_size(const ImageView& image, const ImageTransform& wanted) {
  if (wanted.resize == 0) return {wanted.height, wanted.width};
  const bool upright = image.width <= image.height;
  const std::int64_t short_side = upright ? image.width : image.height;
  const std::int64_t long_side = upright ? image.height : image.width;
  const std::int64_t resized_long = wanted.resize * long_side / short_side;
  return {upright ? resized_long : wanted.resize, upright ? wanted.resize : resized_long};
}

/// What the tensor is made of: `height` x `width` pixels of `image` from (top, left) on; what lies
/// beyond the image is black.
struct Source {
  ImageView image;
  std::int64_t top = 0;
  std::int64_t left = 0;
};

/// `part` of the image resized to `size`; `memory` holds it if anything is to be computed.
ImageView resized(const ImageView& image, const Size& size, const Window& part, Image& memory) {
  if (image.height == size.height && image.width == size.width) {  // every weight would be 1
    return part_of(image, part.top, part.left, part.height, part.width);
  }
  memory = resample(image, size.height, size.width, part);
  return view_of(memory);
}

Source source_of(const ImageView& image, const ImageTransform& wanted, RandomStream& random,
                 Image& memory) {
  if (wanted.random_crop) {
    const Window part = random_part(image.height, image.width, random);
    return {resized(part_of(image, part.top, part.left, part.height, part.width),
                    {wanted.height, wanted.width}, {0, 0, wanted.height, wanted.width}, memory)};
  }
  const Size size = resized_size(image, wanted);
  if (wanted.crop_padding == 0) {
    return {resized(image, size,
                    {half_of(size.height - wanted.height), half_of(size.width - wanted.width),
                     wanted.height, wanted.width},
                    memory)};
  }
  const std::int64_t border = wanted.crop_padding;
  const std::int64_t top = random.below(size.height + 2 * border - wanted.height + 1) - border;
  const std::int64_t left = random.below(size.width + 2 * border - wanted.width + 1) - border;
  return {resized(image, size, {0, 0, size.height, size.width}, memory), top, left};
}

/// (value / 255 - mean) / deviation of every byte, by channel.
using ByteValues = std::array<std::array<float, 256>, 3>;

const ByteValues& byte_values(const ImageTransform& wanted) {
  struct Table {
    std::array<float, 3> mean{};
    std::array<float, 3> deviation{};
    ByteValues values{};
  };
  thread_local Table table;  // small images take no longer than the table would
  if (table.mean == wanted.mean && table.deviation == wanted.deviation) return table.values;
  table.mean = wanted.mean;
  table.deviation = wanted.deviation;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      table.values[c][byte] =
          (static_cast<float>(byte) / 255 - wanted.mean[c]) / wanted.deviation[c];
    }
  }
  return table.values;
}

/// Bytes to normalised floats, interleaved to planar.
void normalise(const Source& source, const ImageTransform& wanted, bool flip,
               std::span<float> pixels) {
  const ByteValues& value = byte_values(wanted);
  const std::int64_t width = wanted.width;
  const std::int64_t plane = wanted.height * width;
  const std::int64_t first = std::clamp<std::int64_t>(-source.left, 0, width);
  const std::int64_t end = std::clamp<std::int64_t>(source.image.width - source.left, first, width);
  const std::array<float, 3> black{value[0][0], value[1][0], value[2][0]};
  for (std::int64_t y = 0; y < wanted.height; ++y) {
    float* const row = pixels.data() + y * width;
    const std::int64_t from = source.top + y;
    const bool inside = from >= 0 && from < source.image.height;
    if (!inside || first > 0 || end < width) {
      for (std::size_t c = 0; c < 3; ++c) {
        std::fill_n(row + static_cast<std::int64_t>(c) * plane, width, black[c]);
      }
    }
    if (!inside) continue;
    const std::uint8_t* pixel =
        source.image.pixels + from * source.image.row_stride + (source.left + first) * 3;
    float* target = row + (flip ? width - 1 - first : first);
    const std::int64_t step = flip ? -1 : 1;
    for (std::int64_t x = first; x < end; ++x) {
      target[0] = value[0][pixel[0]];
      target[plane] = value[1][pixel[1]];
      target[2 * plane] = value[2][pixel[2]];
      pixel += 3;
      target += step;
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
  if (transform.crop_padding < 0 || transform.crop_padding > largest_side) {
    refuse(format("a crop out of images with borders of {} pixels", transform.crop_padding),
           format("0 to {}", largest_side));
  }
  if (transform.crop_padding > 0 && transform.random_crop) {
    refuse("two random crops", "one of a resized part, or one of the image with borders");
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
  Image memory;
  const Source source = source_of(image, transform, random, memory);
  const bool flip = transform.random_flip && random.unit() < 0.5;
  normalise(source, transform, flip, pixels);
}

}  // namespace rooflab::data
