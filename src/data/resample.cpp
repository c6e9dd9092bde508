// Bilinear resizing with antialiasing, in two passes: along rows, then along columns.
//
// Shrinking by s = input / output (s >= 1), output pixel i is the mean of the input pixels x under
// a triangle of half width s around its centre c = (i + 1/2) s:
//
//     weight(x) = max(0, 1 - |x + 1/2 - c| / s),  divided by the sum of the weights
//
// so that pixels beyond the border count for nothing and the others for more. Enlarging, the half
// width is 1: linear interpolation. Weights are rounded to 2^-22 and each pass to whole values, as
// in Pillow, so that the results are the same to the bit.
//
// Source: Pillow, src/libImaging/Resample.c (ImagingResample with BILINEAR), which is what
// torchvision's transforms call for images and imitate for tensors with antialias=True.

#include "resample.hpp"

#include <algorithm>
#include <cmath>

#include "base/assert.hpp"

namespace rooflab::data {
namespace {

constexpr int weight_bits = 22;
constexpr std::int32_t half = 1 << (weight_bits - 1);

std::uint8_t to_byte(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> weight_bits, 0, 255));
}

// Pillow cuts off towards zero after adding a half, which differs from rounding in the last bit.
std::int64_t whole_part(double value) { return static_cast<std::int64_t>(value); }

/// The input pixels of one output pixel.
struct Taps {
  std::int64_t first = 0;
  std::vector<std::int32_t> weights;
};

/// Taps of output pixels [begin, begin + count).
std::vector<Taps> taps_along(std::int64_t input, std::int64_t output, std::int64_t begin,
                             std::int64_t count) {
  const double scale = static_cast<double>(input) / static_cast<double>(output);
  const double support = std::max(scale, 1.0);
  std::vector<Taps> all(static_cast<std::size_t>(count));
  std::vector<double> weights;
  for (std::int64_t i = 0; i < count; ++i) {
    const double centre = (static_cast<double>(begin + i) + 0.5) * scale;
    const std::int64_t first = std::max(whole_part(centre - support + 0.5), std::int64_t{0});
    const std::int64_t end = std::min(whole_part(centre + support + 0.5), input);
    weights.clear();
    double sum = 0;
    for (std::int64_t x = first; x < end; ++x) {
      const double distance = std::abs((static_cast<double>(x) - centre + 0.5) * (1.0 / support));
      weights.push_back(distance < 1 ? 1 - distance : 0);
      sum += weights.back();
    }
    Taps& taps = all[static_cast<std::size_t>(i)];
    taps.first = first;
    taps.weights.reserve(weights.size());
    for (const double weight : weights) {
      taps.weights.push_back(
          static_cast<std::int32_t>(whole_part(0.5 + weight / sum * (1 << weight_bits))));
    }
  }
  return all;
}

void resample_row(const std::uint8_t* row, const std::vector<Taps>& columns, std::uint8_t* target) {
  for (const Taps& taps : columns) {
    const std::uint8_t* pixel = row + taps.first * 3;
    std::int32_t red = half;
    std::int32_t green = half;
    std::int32_t blue = half;
    for (const std::int32_t weight : taps.weights) {
      red += weight * pixel[0];
      green += weight * pixel[1];
      blue += weight * pixel[2];
      pixel += 3;
    }
    target[0] = to_byte(red);
    target[1] = to_byte(green);
    target[2] = to_byte(blue);
    target += 3;
  }
}

}  // namespace

Image resample(const ImageView& source, std::int64_t height, std::int64_t width,
               const Window& window) {
  ROOFLAB_ASSERT(window.top >= 0 && window.top + window.height <= height);
  ROOFLAB_ASSERT(window.left >= 0 && window.left + window.width <= width);
  const std::vector<Taps> columns = taps_along(source.width, width, window.left, window.width);
  const std::vector<Taps> rows = taps_along(source.height, height, window.top, window.height);

  // Only the input rows that the window needs.
  const std::int64_t first = rows.front().first;
  const std::int64_t end =
      rows.back().first + static_cast<std::int64_t>(rows.back().weights.size());
  const std::size_t stride = static_cast<std::size_t>(window.width) * 3;
  std::vector<std::uint8_t> narrowed(static_cast<std::size_t>(end - first) * stride);
  for (std::int64_t y = first; y < end; ++y) {
    resample_row(source.pixels + y * source.row_stride, columns,
                 narrowed.data() + static_cast<std::size_t>(y - first) * stride);
  }

  Image image{.height = window.height, .width = window.width};
  image.pixels.resize(static_cast<std::size_t>(window.height) * stride);
  std::vector<std::int32_t> sums(stride);
  std::uint8_t* target = image.pixels.data();
  for (const Taps& taps : rows) {
    std::fill(sums.begin(), sums.end(), half);
    const std::uint8_t* row =
        narrowed.data() + static_cast<std::size_t>(taps.first - first) * stride;
    for (const std::int32_t weight : taps.weights) {
      for (std::size_t x = 0; x < stride; ++x) sums[x] += weight * row[x];
      row += stride;
    }
    for (std::size_t x = 0; x < stride; ++x) target[x] = to_byte(sums[x]);
    target += stride;
  }
  return image;
}

}  // namespace rooflab::data
