#include "data/resample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooflab::data {
namespace {

using testing::ElementsAre;

/// Red as given, green all 0, blue 255 - red.
Image image_of(std::int64_t height, std::int64_t width, const std::vector<int>& reds) {
  Image image{.height = height, .width = width};
  for (const int red : reds) {
    image.pixels.push_back(static_cast<std::uint8_t>(red));
    image.pixels.push_back(0);
    image.pixels.push_back(static_cast<std::uint8_t>(255 - red));
  }
  return image;
}

std::vector<int> channel(const Image& image, std::size_t c) {
  std::vector<int> values;
  for (std::size_t i = c; i < image.pixels.size(); i += 3) values.push_back(image.pixels[i]);
  return values;
}

std::vector<int> resized(const Image& image, std::int64_t height, std::int64_t width) {
  const Image result = resample(view_of(image), height, width, {0, 0, height, width});
  EXPECT_EQ(result.height, height);
  EXPECT_EQ(result.width, width);
  for (const int green : channel(result, 1)) EXPECT_EQ(green, 0);
  return channel(result, 0);
}

// Four pixels to two: s = 2, centres 1 and 3, so that pixels 0, 1, 2 of the first triangle have the
// distances 1/2, 1/2, 3/2 and the weights 3/4, 3/4, 1/4 of a sum of 7/4: 3/7, 3/7, 1/7; the second
// one mirrored. 0, 70, 140, 210: (3*70 + 140) / 7 = 50 and (70 + 3*140 + 3*210) / 7 = 160.
TEST(Resample, HalvesARow) {
  EXPECT_THAT(resized(image_of(1, 4, {0, 70, 140, 210}), 1, 2), ElementsAre(50, 160));
  EXPECT_THAT(resized(image_of(4, 1, {0, 70, 140, 210}), 2, 1), ElementsAre(50, 160));
}

// Away from the border the weights are 1/8, 3/8, 3/8, 1/8: of eight pixels, output 1 has the centre
// 3 and takes pixels 1 to 4. 8 + 3*16 + 3*24 + 32 = 160, / 8 = 20.
TEST(Resample, HalvesInTheMiddle) {
  EXPECT_EQ(resized(image_of(1, 8, {200, 8, 16, 24, 32, 200, 200, 200}), 1, 4).at(1), 20);
}

// Rows as above in both directions: the columns of 4x4 first become 50 and 160 times the row's
// factor, rows 0, 70, 140, 210 being added: value(y, x) = row(y) / 2 + column(x) / 2.
TEST(Resample, HalvesAnImage) {
  std::vector<int> values;
  for (const int y : {0, 70, 140, 210}) {
    for (const int x : {0, 70, 140, 210}) values.push_back(y / 2 + x / 2);
  }
  EXPECT_THAT(resized(image_of(4, 4, values), 2, 2), ElementsAre(50, 105, 105, 160));
}

// Two to four: linear between the centres 1/2 and 3/2 at 1/4, 3/4, 5/4, 7/4, constant beyond.
TEST(Resample, Doubles) {
  EXPECT_THAT(resized(image_of(1, 2, {0, 200}), 1, 4), ElementsAre(0, 50, 150, 200));
}

// Three to two: s = 3/2, centres 3/4 and 9/4; distances 1/4, 3/4, 7/4 over 3/2: weights 5/6, 1/2,
// 0. (5/6 * 0 + 1/2 * 80) / (8/6) = 30; (1/2 * 80 + 5/6 * 160) / (8/6) = 130.
TEST(Resample, TakesTwoThirds) {
  EXPECT_THAT(resized(image_of(1, 3, {0, 80, 160}), 1, 2), ElementsAre(30, 130));
}

TEST(Resample, ToTheSameSizeIsTheSame) {
  const Image image = image_of(2, 3, {1, 2, 3, 250, 128, 0});
  EXPECT_EQ(resample(view_of(image), 2, 3, {0, 0, 2, 3}).pixels, image.pixels);
}

TEST(Resample, KeepsTheChannelsApart) {
  const Image result = resample(view_of(image_of(1, 4, {0, 70, 140, 210})), 1, 2, {0, 0, 1, 2});
  EXPECT_THAT(channel(result, 2), ElementsAre(205, 95));
}

TEST(Resample, OfAWindowIsTheWindowOfAll) {
  std::vector<int> values;
  values.reserve(std::size_t{23} * 17);
  for (int i = 0; i < 23 * 17; ++i) values.push_back(i * 37 % 256);
  const Image image = image_of(23, 17, values);
  for (const auto& [height, width] : {std::pair{11, 9}, std::pair{40, 31}}) {
    const Image all = resample(view_of(image), height, width, {0, 0, height, width});
    const Image window = resample(view_of(image), height, width, {3, 2, 5, 6});
    const ImageView part = part_of(view_of(all), 3, 2, 5, 6);
    for (std::int64_t y = 0; y < 5; ++y) {
      for (std::int64_t x = 0; x < 18; ++x) {
        ASSERT_EQ(window.pixels.at(static_cast<std::size_t>(y * 18 + x)),
                  part.pixels[y * part.row_stride + x]);
      }
    }
  }
}

TEST(Resample, OfAPartDoesNotLookBeyondIt) {
  const Image image = image_of(1, 4, {255, 10, 10, 255});
  const Image result = resample(part_of(view_of(image), 0, 1, 1, 2), 1, 1, {0, 0, 1, 1});
  EXPECT_THAT(channel(result, 0), ElementsAre(10));
}

}  // namespace
}  // namespace rooflab::data
