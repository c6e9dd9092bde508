#include "image.hpp"

#include "base/format.hpp"
#include "jpeg_decoder.hpp"
#include "png_decoder.hpp"

namespace rooflab::data {

std::optional<std::string> size_trouble(std::int64_t height, std::int64_t width) {
  if (height < 1 || width < 1) return format("{} x {} pixels", width, height);
  if (height <= most_pixels / width) return std::nullopt;
  return format("{} x {} pixels are more than the limit of {} megapixels", width, height,
                most_pixels / 1'000'000);
}

std::optional<Image> decode_image(std::string_view file, std::string& reason) {
  if (file.empty()) {
    reason = "empty file";
    return std::nullopt;
  }
  if (file.starts_with("\xff\xd8\xff")) return decode_jpeg(file, reason);
  if (file.starts_with("\x89PNG\r\n\x1a\n")) return decode_png(file, reason);
  reason = "neither a JPEG nor a PNG file";
  return std::nullopt;
}

}  // namespace rooflab::data
