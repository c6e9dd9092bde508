#include "data/png_decoder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "image_files.hpp"

namespace rooflab::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Pixels = std::vector<std::uint8_t>;

Pixels pixels_of(const std::string& file) {
  std::string reason;
  const std::optional<Image> image = decode_png(file, reason);
  EXPECT_TRUE(image) << reason;
  return image ? image->pixels : Pixels();
}

std::string png_reason(std::string_view file) {
  std::string reason;
  EXPECT_FALSE(decode_png(file, reason));
  return reason;
}

TEST(Png, Colour) {
  std::string reason;
  const std::optional<Image> image = decode_png(
      png_file(2, 3, {{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}, {13, 14, 15, 16, 17, 18}}),
      reason);
  ASSERT_TRUE(image);
  EXPECT_EQ(image->width, 2);
  EXPECT_EQ(image->height, 3);
  EXPECT_THAT(image->pixels,
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18));
}

TEST(Png, Interlaced) {
  std::vector<Pixels> rows;
  Pixels expected;
  for (int y = 0; y < 9; ++y) {
    Pixels row;
    for (int x = 0; x < 9 * 3; ++x) row.push_back(static_cast<std::uint8_t>(y * 27 + x));
    expected.insert(expected.end(), row.begin(), row.end());
    rows.push_back(std::move(row));
  }
  EXPECT_EQ(pixels_of(png_file(9, 9, rows, {.interlaced = true})), expected);
}

TEST(Png, Palette) {
  const PngSettings settings = {.colour_type = PNG_COLOR_TYPE_PALETTE,
                                .bits = 2,
                                .palette = {{10, 20, 30}, {40, 50, 60}, {70, 80, 90}}};
  // Two bits each from the left: 2, 0, 1 and a rest.
  EXPECT_THAT(pixels_of(png_file(3, 1, {{0b10000100}}, settings)),
              ElementsAre(70, 80, 90, 10, 20, 30, 40, 50, 60));
}

TEST(Png, Gray) {
  EXPECT_THAT(pixels_of(png_file(2, 1, {{9, 200}}, {.colour_type = PNG_COLOR_TYPE_GRAY})),
              ElementsAre(9, 9, 9, 200, 200, 200));
  EXPECT_THAT(
      pixels_of(png_file(2, 1, {{0b01000000}}, {.colour_type = PNG_COLOR_TYPE_GRAY, .bits = 1})),
      ElementsAre(0, 0, 0, 255, 255, 255));
}

// 16 bits to 8 is division by 257: 0x8080 -> 128, 0xffff -> 255, 0x00ff (255) -> 0.99, so 1.
TEST(Png, SixteenBits) {
  EXPECT_THAT(pixels_of(png_file(1, 1, {{0x80, 0x80, 0xff, 0xff, 0x00, 0xff}}, {.bits = 16})),
              ElementsAre(128, 255, 1));
}

TEST(Png, AlphaIsDropped) {
  EXPECT_THAT(pixels_of(png_file(1, 1, {{5, 6, 7, 0}}, {.colour_type = PNG_COLOR_TYPE_RGB_ALPHA})),
              ElementsAre(5, 6, 7));
  EXPECT_THAT(pixels_of(png_file(1, 1, {{5, 0}}, {.colour_type = PNG_COLOR_TYPE_GRAY_ALPHA})),
              ElementsAre(5, 5, 5));
}

TEST(Png, CutAnywhereIsBroken) {
  const std::string file = png_file(2, 2, {{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}});
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(png_reason(std::string_view(file).substr(0, size)).empty()) << size;
  }
  EXPECT_EQ(png_reason(std::string_view(file).substr(0, file.size() - 20)),
            "premature end of PNG file");
}

TEST(Png, DamagedDataIsBroken) {
  std::string file = png_file(2, 1, {{1, 2, 3, 4, 5, 6}});
  const std::size_t data = file.find("IDAT");
  file[data + 8] = static_cast<char>(file[data + 8] ^ 0x10);
  EXPECT_FALSE(png_reason(file).empty());
}

TEST(Png, HugeHeaderIsRefusedBeforeMemoryIsTaken) {
  EXPECT_THAT(png_reason(png_file(60000, 60000, {}, {.only_header = true}) +
                         std::string("\0\0\0\0IDAT\x35\xaf\x06\x1e", 12)),
              HasSubstr("60000 x 60000 pixels"));
}

}  // namespace
}  // namespace rooflab::data
