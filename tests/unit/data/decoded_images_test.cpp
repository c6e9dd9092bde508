#include "data/decoded_images.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace rooflab::data {
namespace {

/// One row of `width` pixels, 3 bytes each.
Image row_of(std::int64_t width, std::uint8_t value) {
  return {1, width, std::vector<std::uint8_t>(static_cast<std::size_t>(width * 3), value)};
}

TEST(DecodedImages, GivesBackWhatItKept) {
  DecodedImages images(3, 100);
  EXPECT_FALSE(images.find(1).has_value());
  Image image = row_of(4, 7);
  EXPECT_TRUE(images.keep(1, image));
  const std::optional<ImageView> found = images.find(1);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->width, 4);
  EXPECT_EQ(found->pixels[11], 7);
  EXPECT_FALSE(images.find(0).has_value());
  EXPECT_EQ(images.kept_bytes(), 12);
}

// Ten images like the first would take 120 bytes.
TEST(DecodedImages, KeepsNothingOfASetThatDoesNotFit) {
  DecodedImages images(10, 100);
  Image image = row_of(4, 7);
  EXPECT_FALSE(images.keep(0, image));
  EXPECT_EQ(image.pixels.size(), 12U);
  EXPECT_FALSE(images.find(0).has_value());
  EXPECT_EQ(images.kept_bytes(), 0);
}

// The first two promise 4 x 12 = 48 bytes; then come larger ones.
TEST(DecodedImages, StaysBelowTheBudgetWhenTheMeanWasWrong) {
  DecodedImages images(4, 50);
  for (std::int64_t i = 0; i < 2; ++i) {
    Image image = row_of(4, 1);
    EXPECT_TRUE(images.keep(i, image));
  }
  Image large = row_of(100, 2);
  EXPECT_FALSE(images.keep(2, large));
  EXPECT_EQ(images.kept_bytes(), 24);
  EXPECT_TRUE(images.find(0).has_value());
}

TEST(DecodedImages, KeptTwiceTakesTheRoomOfOne) {
  DecodedImages images(2, 100);
  Image first = row_of(4, 1);
  Image second = row_of(4, 2);
  EXPECT_TRUE(images.keep(0, first));
  EXPECT_FALSE(images.keep(0, second));
  EXPECT_EQ(images.find(0)->pixels[0], 1);
  EXPECT_EQ(images.kept_bytes(), 12);
}

TEST(DecodedImages, FromManyThreads) {
  constexpr std::int64_t count = 500;
  DecodedImages images(count, 1 << 20);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&images] {
        for (std::int64_t i = 0; i < count; ++i) {
          if (const auto found = images.find(i)) {
            EXPECT_EQ(found->pixels[0], static_cast<std::uint8_t>(i));
            continue;
          }
          Image image = row_of(2, static_cast<std::uint8_t>(i));
          images.keep(i, image);
        }
      });
    }
  }
  EXPECT_EQ(images.kept_bytes(), count * 6);
}

}  // namespace
}  // namespace rooflab::data
