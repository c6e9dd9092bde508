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
  const std::uint8_t* pixels = nullptr;  ///< first row
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

/// Reason to refuse an image of this size; nullopt: accepted.
[[nodiscard]] std::optional<std::string> size_trouble(std::int64_t height, std::int64_t width);

/// A blank image with the size in a reader's header. nullopt and the reason for a broken header or
/// a refused size.
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

/// Decodes the content of a JPEG or PNG file, recognized by its first bytes and not by its name (a
/// PNG in ImageNet is called .JPEG). For a broken file: nullopt and the reason.
[[nodiscard]] std::optional<Image> decode_image(std::string_view file, std::string& reason);

}  // namespace rooflab::data
