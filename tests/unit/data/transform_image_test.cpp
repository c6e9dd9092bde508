#include "data/transform_image.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "rooflab/base/error.hpp"

namespace rooflab::data {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::HasSubstr;

/// Red is 10 * row + column; green and blue are 0.
Image numbered(std::int64_t height, std::int64_t width) {
  Image image{.height = height, .width = width};
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      image.pixels.insert(image.pixels.end(), {static_cast<std::uint8_t>(10 * y + x), 0, 0});
    }
  }
  return image;
}

/// Leaves values as they are, but for rounding.
ImageTransform plain(std::int64_t height, std::int64_t width, std::int64_t resize) {
  return {.height = height,
          .width = width,
          .resize = resize,
          .mean = {0, 0, 0},
          .deviation = {1.0F / 255, 1.0F / 255, 1.0F / 255}};
}

std::vector<int> reds(const Image& image, const ImageTransform& transform, std::uint64_t seed = 0) {
  const auto plane = static_cast<std::size_t>(transform.height * transform.width);
  std::vector<float> pixels(3 * plane);
  transform_image(view_of(image), transform, seed, pixels);
  std::vector<int> values;
  for (std::size_t i = 0; i < plane; ++i)
    values.push_back(static_cast<int>(std::lround(pixels[i])));
  return values;
}

// The middle of 4 x 4 begins at 1. Of 5 - 2 = 3 the half is 1.5, which Python rounds to 2; of
// 7 - 2 = 5 it is 2.5, rounded to 2.
TEST(TransformImage, CentreCropRoundsAsPythonDoes) {
  EXPECT_THAT(reds(numbered(4, 4), plain(2, 2, 4)), ElementsAre(11, 12, 21, 22));
  EXPECT_THAT(reds(numbered(5, 5), plain(2, 2, 5)), ElementsAre(22, 23, 32, 33));
  EXPECT_THAT(reds(numbered(7, 7), plain(2, 2, 7)), ElementsAre(22, 23, 32, 33));
}

TEST(TransformImage, CropsTheLongSide) {
  EXPECT_THAT(reds(numbered(6, 2), plain(2, 2, 2)), ElementsAre(20, 21, 30, 31));
  EXPECT_THAT(reds(numbered(2, 6), plain(2, 2, 2)), ElementsAre(2, 3, 12, 13));
}

TEST(TransformImage, WithoutResizeTakesAllOfTheImage) {
  EXPECT_THAT(reds(numbered(2, 2), plain(2, 2, 0)), ElementsAre(0, 1, 10, 11));
  // A row of 0, 1, 2, 3 is 5/7 and 16/7 (see resample_test.cpp), rounded; so are both rows.
  EXPECT_THAT(reds(numbered(2, 4), plain(2, 2, 0)), ElementsAre(1, 2, 11, 12));
}

// (value / 255 - mean) / deviation of 51, which is 0.2, and of 0.
TEST(TransformImage, NormalisesEachChannel) {
  Image image{.height = 1, .width = 1, .pixels = {51, 0, 255}};
  std::vector<float> pixels(3);
  transform_image(view_of(image),
                  {.height = 1,
                   .width = 1,
                   .resize = 0,
                   .mean = {0.1F, 0.5F, 0.25F},
                   .deviation = {0.5F, 0.25F, 0.5F}},
                  0, pixels);
  EXPECT_THAT(pixels, ElementsAre(FloatEq(0.2F), FloatEq(-2.0F), FloatEq(1.5F)));
}

TEST(TransformImage, ChannelsBecomePlanes) {
  Image image{.height = 1, .width = 2, .pixels = {1, 2, 3, 4, 5, 6}};
  std::vector<float> pixels(6);
  transform_image(view_of(image), plain(1, 2, 0), 0, pixels);
  for (float& value : pixels) value = std::round(value);
  EXPECT_THAT(pixels, ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(TransformImage, FlipsHalfOfTheImages) {
  ImageTransform transform = plain(1, 2, 0);
  transform.random_flip = true;
  int flipped = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const std::vector<int> row = reds(numbered(1, 2), transform, seed);
    ASSERT_TRUE(row == std::vector<int>({0, 1}) || row == std::vector<int>({1, 0}));
    if (row[0] == 1) ++flipped;
    ASSERT_EQ(reds(numbered(1, 2), transform, seed), row);
  }
  EXPECT_NEAR(flipped, 200, 40);  // four deviations of sqrt(400 / 4)
}

TEST(TransformImage, RandomCropDependsOnTheSeedOnly) {
  ImageTransform transform = plain(4, 4, 256);
  transform.random_crop = true;
  const Image image = numbered(20, 20);
  EXPECT_EQ(reds(image, transform, 5), reds(image, transform, 5));
  EXPECT_NE(reds(image, transform, 5), reds(image, transform, 6));
}

/// Red is 1 2 / 3 4.
Image one_to_four() {
  return {.height = 2, .width = 2, .pixels = {1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0}};
}

// With borders of one the image is 0 0 0 0 / 0 1 2 0 / 0 3 4 0 / 0 0 0 0: nine crops of 2 x 2.
TEST(TransformImage, CropsTheImageWithItsBorders) {
  ImageTransform transform = plain(2, 2, 0);
  transform.crop_padding = 1;
  const std::vector<std::vector<int>> crops = {{0, 0, 0, 1}, {0, 0, 1, 2}, {0, 0, 2, 0},
                                               {0, 1, 0, 3}, {1, 2, 3, 4}, {2, 0, 4, 0},
                                               {0, 3, 0, 0}, {3, 4, 0, 0}, {4, 0, 0, 0}};
  std::vector<int> counts(crops.size());
  for (std::uint64_t seed = 0; seed < 900; ++seed) {
    const auto found = std::ranges::find(crops, reds(one_to_four(), transform, seed));
    ASSERT_NE(found, crops.end());
    ++counts[static_cast<std::size_t>(found - crops.begin())];
  }
  for (const int count : counts) EXPECT_NEAR(count, 100, 40);  // four deviations of 9.4
}

TEST(TransformImage, FlipsAfterTheCrop) {
  ImageTransform transform = plain(2, 2, 0);
  transform.crop_padding = 1;
  ImageTransform flipping = transform;
  flipping.random_flip = true;
  int flipped = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const std::vector<int> crop = reds(one_to_four(), transform, seed);
    const std::vector<int> mirrored = {crop[1], crop[0], crop[3], crop[2]};
    const std::vector<int> now = reds(one_to_four(), flipping, seed);
    ASSERT_TRUE(now == crop || now == mirrored);
    if (now != crop) ++flipped;
  }
  EXPECT_GT(flipped, 100);
}

// Borders are black before normalisation: (0 - 0.5) / 0.25.
TEST(TransformImage, BordersAreNormalisedToo) {
  ImageTransform transform{.height = 1, .width = 1, .resize = 0, .crop_padding = 1};
  transform.mean = {0.5F, 0.5F, 0.5F};
  transform.deviation = {0.25F, 0.25F, 0.25F};
  const Image white{.height = 1, .width = 1, .pixels = {255, 255, 255}};
  bool border = false;
  bool image = false;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::vector<float> pixels(3);
    transform_image(view_of(white), transform, seed, pixels);
    border = border || pixels == std::vector<float>(3, -2.0F);
    image = image || pixels == std::vector<float>(3, 2.0F);
    ASSERT_TRUE(pixels[0] == 2.0F || pixels[0] == -2.0F);
  }
  EXPECT_TRUE(border && image);
}

// The short side is 1 already: the image keeps its three columns, and the crop may lie anywhere.
TEST(TransformImage, CropsWhatWasResized) {
  ImageTransform transform = plain(1, 1, 1);
  transform.crop_padding = 1;
  std::vector<int> seen;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const int red = reds(numbered(1, 3), transform, seed)[0];
    if (std::ranges::find(seen, red) == seen.end()) seen.push_back(red);
  }
  EXPECT_THAT(seen, testing::UnorderedElementsAre(0, 1, 2));  // 0 is a pixel and the border
}

TEST(RandomPart, KeepsItsAreaAndRatio) {
  RandomStream random(3);
  double smallest = 1;
  double largest = 0;
  for (int i = 0; i < 2000; ++i) {
    const Window part = random_part(300, 400, random);
    ASSERT_GE(part.top, 0);
    ASSERT_GE(part.left, 0);
    ASSERT_LE(part.top + part.height, 300);
    ASSERT_LE(part.left + part.width, 400);
    const double area = static_cast<double>(part.height * part.width) / (300 * 400);
    const double ratio = static_cast<double>(part.width) / static_cast<double>(part.height);
    ASSERT_GT(ratio, 0.74);
    ASSERT_LT(ratio, 1.35);
    smallest = std::min(smallest, area);
    largest = std::max(largest, area);
  }
  EXPECT_NEAR(smallest, 0.08, 0.01);
  EXPECT_NEAR(largest, 1, 0.03);
}

// No part of a 100 x 1 strip has an allowed ratio and 8 % of the area: the central 1 x 1.
TEST(RandomPart, OfAStripIsItsMiddle) {
  RandomStream random(3);
  const Window part = random_part(100, 1, random);
  EXPECT_EQ(part.height, 1);
  EXPECT_EQ(part.width, 1);
  EXPECT_EQ(part.top, 49);
  const Window wide = random_part(30, 1000, random);  // 30 * 4 / 3 = 40 wide
  EXPECT_EQ(wide.height, 30);
  EXPECT_EQ(wide.width, 40);
  EXPECT_EQ(wide.left, 480);
}

std::string refusal(const ImageTransform& transform) {
  try {
    check(transform);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_FALSE(error.hint().empty());
    return error.what();
  }
  return "accepted";
}

TEST(CheckTransform, RefusesWhatCannotBeDone) {
  EXPECT_EQ(refusal({}), "accepted");
  EXPECT_EQ(refusal({.height = 32, .width = 32, .resize = 0}), "accepted");
  EXPECT_EQ(refusal({.height = 299, .width = 299, .random_crop = true}), "accepted");
  EXPECT_THAT(refusal({.height = 299, .width = 299}),
              HasSubstr("a crop of 299 x 299 out of images resized to 256"));
  EXPECT_THAT(refusal({.height = 0}), HasSubstr("224 x 0"));
  EXPECT_THAT(refusal({.width = 40000}), HasSubstr("40000"));
  EXPECT_THAT(refusal({.resize = -1}), HasSubstr("-1"));
  EXPECT_THAT(refusal({.crop_padding = -1}), HasSubstr("borders of -1"));
  EXPECT_THAT(refusal({.random_crop = true, .crop_padding = 4}), HasSubstr("two random crops"));
  EXPECT_THAT(refusal({.deviation = {1, 0, 1}}), HasSubstr("deviation"));
}

}  // namespace
}  // namespace rooflab::data
