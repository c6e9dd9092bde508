#include "data/jpeg_decoder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "image_files.hpp"

namespace rooflab::data {
namespace {

using testing::HasSubstr;

/// The image, all of whose pixels must be within `tolerance` of a colour.
void expect_solid(const std::optional<Image>& image, std::int64_t width, std::int64_t height,
                  const std::array<int, 3>& colour, int tolerance) {
  ASSERT_TRUE(image);
  EXPECT_EQ(image->width, width);
  EXPECT_EQ(image->height, height);
  ASSERT_EQ(image->pixels.size(), static_cast<std::size_t>(3 * width * height));
  for (std::size_t i = 0; i < image->pixels.size(); ++i) {
    ASSERT_NEAR(image->pixels[i], colour.at(i % 3), tolerance) << i;
  }
}

std::string jpeg_reason(std::string_view file) {
  std::string reason;
  EXPECT_FALSE(decode_jpeg(file, reason));
  return reason;
}

/// Busy enough that its data cannot be cut without being noticed.
std::string noisy_jpeg(bool progressive) {
  std::vector<std::uint8_t> samples;
  for (unsigned i = 0; i < 64 * 48 * 3; ++i) {
    samples.push_back(static_cast<std::uint8_t>(i * i * 31 / 7));
  }
  return jpeg_file(64, 48, samples, {.progressive = progressive});
}

TEST(Jpeg, Colour) {
  std::string reason;
  const std::string file = jpeg_file(19, 11, solid(19, 11, {200, 100, 50}));
  expect_solid(decode_jpeg(file, reason), 19, 11, {200, 100, 50}, 2);
}

TEST(Jpeg, Progressive) {
  std::string reason;
  const std::string file = jpeg_file(19, 11, solid(19, 11, {200, 100, 50}), {.progressive = true});
  expect_solid(decode_jpeg(file, reason), 19, 11, {200, 100, 50}, 2);
}

TEST(Jpeg, GrayIsExpanded) {
  std::string reason;
  expect_solid(decode_jpeg(gray_jpeg(9, 8, 77), reason), 9, 8, {77, 77, 77}, 1);
}

// Adobe's convention: a stored value is 255 - ink, so light = stored colour * stored black / 255.
// 204 * 127.5 / 255 = 102 and so on: with black 128, 204 -> 102.4, 102 -> 51.2, 51 -> 25.6.
TEST(Jpeg, InksBecomeLight) {
  std::string reason;
  const std::vector<std::uint8_t> inks = solid(8, 8, {204, 102, 51, 128});
  const JpegSettings cmyk = {.given = JCS_CMYK, .stored = JCS_CMYK, .channels = 4};
  expect_solid(decode_jpeg(jpeg_file(8, 8, inks, cmyk), reason), 8, 8, {102, 51, 26}, 1);
  const JpegSettings ycck = {.given = JCS_CMYK, .stored = JCS_YCCK, .channels = 4};
  expect_solid(decode_jpeg(jpeg_file(8, 8, inks, ycck), reason), 8, 8, {102, 51, 26}, 2);
  // No ink at all is white, all black ink is black.
  expect_solid(decode_jpeg(jpeg_file(8, 8, solid(8, 8, {255, 255, 255, 255}), cmyk), reason), 8, 8,
               {255, 255, 255}, 0);
  expect_solid(decode_jpeg(jpeg_file(8, 8, solid(8, 8, {255, 255, 255, 0}), cmyk), reason), 8, 8,
               {0, 0, 0}, 0);
}

// Without Adobe's marker four channels are still taken as Adobe's, as Pillow does.
TEST(Jpeg, InksWithoutAMarker) {
  std::string reason;
  const std::string file =
      jpeg_file(8, 8, solid(8, 8, {204, 102, 51, 128}),
                {.given = JCS_CMYK, .stored = JCS_CMYK, .channels = 4, .adobe_marker = false});
  expect_solid(decode_jpeg(file, reason), 8, 8, {102, 51, 26}, 1);
}

TEST(Jpeg, CutAnywhereIsBroken) {
  for (const bool progressive : {false, true}) {
    const std::string file = noisy_jpeg(progressive);
    std::string reason;
    ASSERT_TRUE(decode_jpeg(file, reason)) << reason;
    for (std::size_t size = 0; size < file.size(); size += size < 700 ? 1 : 97) {
      EXPECT_FALSE(decode_jpeg(std::string_view(file).substr(0, size), reason)) << size;
      EXPECT_FALSE(reason.empty()) << size;
    }
  }
  const std::string file = noisy_jpeg(false);
  EXPECT_EQ(jpeg_reason(std::string_view(file).substr(0, file.size() / 2)),
            "Premature end of JPEG file");
}

// Bytes between segments and after the end leave the pixels whole; without its last marker (2
// bytes) a file has ended too soon.
TEST(Jpeg, BytesBesideTheDataAreNoDamage) {
  const std::string file = gray_jpeg(8, 8, 50);
  std::string reason;
  EXPECT_TRUE(decode_jpeg(file + "trailing", reason)) << reason;
  const std::size_t tables = file.find("\xff\xc4");
  ASSERT_NE(tables, std::string::npos);
  EXPECT_TRUE(decode_jpeg(std::string(file).insert(tables, "junk"), reason)) << reason;
  EXPECT_FALSE(decode_jpeg(file.substr(0, file.size() - 2), reason));
}

TEST(Jpeg, DamagedDataIsBroken) {
  std::string file = noisy_jpeg(false);
  file.replace(file.size() / 2, 64, std::string(64, '\xff'));
  EXPECT_FALSE(jpeg_reason(file).empty());
}

TEST(Jpeg, HugeHeaderIsRefusedBeforeMemoryIsTaken) {
  std::string file = gray_jpeg(8, 8, 50);
  const std::size_t frame = file.find("\xff\xc0");  // then length (2), bits (1), height, width
  ASSERT_NE(frame, std::string::npos);
  file.replace(frame + 5, 4, "\xfd\xe8\xfd\xe8");
  EXPECT_THAT(jpeg_reason(file), HasSubstr("65000 x 65000 pixels"));
}

TEST(Jpeg, OtherContent) {
  EXPECT_THAT(jpeg_reason("\xff\xd8\xff"), HasSubstr("remature end"));
  EXPECT_THAT(jpeg_reason("no image"), HasSubstr("Not a JPEG file"));
  EXPECT_THAT(jpeg_reason(""), HasSubstr("Empty input"));
}

}  // namespace
}  // namespace rooflab::data
