#include "data/image.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "image_files.hpp"

namespace rooflab::data {
namespace {

using testing::HasSubstr;

TEST(DecodeImage, GoesByContent) {
  std::string reason;
  EXPECT_TRUE(decode_image(gray_jpeg(2, 2, 7), reason));
  EXPECT_TRUE(decode_image(png_file(1, 1, {{1, 2, 3}}), reason));
  EXPECT_FALSE(decode_image("GIF89a and so on", reason));
  EXPECT_EQ(reason, "neither a JPEG nor a PNG file");
  EXPECT_FALSE(decode_image("", reason));
  EXPECT_EQ(reason, "empty file");
}

TEST(SizeTrouble, RefusesWhatHasNoPixelsOrTooMany) {
  EXPECT_FALSE(size_trouble(10000, 10000));
  EXPECT_THAT(size_trouble(10000, 10001).value_or(""),
              HasSubstr("10001 x 10000 pixels are more than the limit of 100 megapixels"));
  EXPECT_TRUE(size_trouble(0, 5));
  EXPECT_TRUE(size_trouble(INT64_MAX, INT64_MAX));
}

}  // namespace
}  // namespace rooflab::data
