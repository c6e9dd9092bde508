#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rooflab::data {

/// A decoded image: [height, width, 3], RGB, 8 bits.
struct Image {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::vector<std::uint8_t> pixels;
};

/// A part of an image that another object owns.
struct ImageView {
  const std::uint8_t* pixels = nullptr;  ///< pixels of its first row
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t row_stride = 0;  ///< bytes from row to row
};

[[nodiscard]] inline ImageView view_of(const Image& image) {
  return {image.pixels.data(), image.height, image.width, image.width * 3};
}

[[nodiscard]] inline ImageView part_of(const ImageView& image, std::int64_t top, std::int64_t left,
                                       std::int64_t height, std::int64_t width) {
  return {image.pixels + top * image.row_stride + left * 3, height, width, image.row_stride};
}

/// Larger images are refused before memory is allocated: a header of a few bytes can claim
/// gigabytes. The largest photograph of ImageNet has about 28 megapixels.
inline constexpr std::int64_t most_pixels = 100'000'000;

/// Why an image of this size is refused; nullopt when it is not.
[[nodiscard]] std::optional<std::string> size_trouble(std::int64_t height, std::int64_t width);

/// An image of the size that a reader's header tells, still blank. nullopt and the reason for a
/// broken header and for a size that is refused.
template <class Reader>
[[nodiscard]] std::optional<Image> blank_image(Reader& reader, std::string& reason) {
  if (!reader.read_header()) {
    reason = reader.trouble();
    return std::nullopt;
  }
  Image image{.height = reader.height(), .width = reader.width(), .pixels = {}};
  if (const std::optional<std::string> trouble = size_trouble(image.height, image.width)) {
    reason = *trouble;
    return std::nullopt;
  }
  image.pixels.resize(static_cast<std::size_t>(image.height * image.width * 3));
  return image;
}

/// Decodes the content of a JPEG or PNG file, told apart by its first bytes and not by a name (a
/// PNG in ImageNet is called .JPEG). For a broken file: nullopt and the reason.
[[nodiscard]] std::optional<Image> decode_image(std::string_view file, std::string& reason);

}  // namespace rooflab::data
