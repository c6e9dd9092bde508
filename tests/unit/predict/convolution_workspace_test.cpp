// Workspaces worked out by hand. "Seen" are those that `rooflab probe` saw around PyTorch's
// convolutions on an H200, to the byte.

#include "predict/convolution_workspace.hpp"

#include <gtest/gtest.h>

namespace rooflab::predict {
namespace {

OpShape convolution(const char* pass, const char* type, std::vector<double> sizes) {
  return {sizes[4] > 1.0 ? "conv2d_grouped" : "conv2d", pass, type, "nchw", std::move(sizes)};
}

double bytes_of(const OpShape& shape, Transform transform) {
  return bytes_of_transform(shape, transform).value_or(-1.0);
}

// 7 + 2 pixels: 16 points, 16 * 9 complex numbers, 1152 bytes. Images 128, kernels 128 * 128.
TEST(ConvolutionWorkspace, FftHasTwoBuffersOfTheOperands) {
  const double buffers = 2.0 * 1152.0 * (128.0 + 16384.0);
  const double kernels = 4.0 * 9.0 * 16384.0;
  EXPECT_EQ(buffers + kernels, 38633472.0);  // seen
  EXPECT_EQ(bytes_of(convolution("forward", "fp32", {1, 49, 128, 128, 1, 9, 1}), Transform::fft),
            38633472.0);
  // 56 + 2 pixels: 64 * 33 * 8 = 16896 bytes; 33792 * (16 * 256 + 65536) + 36 * 65536, seen.
  EXPECT_EQ(bytes_of(convolution("forward", "fp32", {16, 3136, 256, 256, 1, 9, 1}), Transform::fft),
            2355363840.0);
}

// 256 results of 128 channels are more than 256 images of 64 and 64 * 128 kernels.
TEST(ConvolutionWorkspace, FftHasRoomForTheResult) {
  EXPECT_EQ(2304.0 * 256 * 128 + 36.0 * 8192, 75792384.0);  // seen
  EXPECT_EQ(bytes_of(convolution("forward", "fp32", {256, 196, 64, 128, 1, 9, 1}), Transform::fft),
            75792384.0);
}

// 28 + 2 pixels: 32 * 17 * 8 = 4352 bytes for each of 64 * (32 + 32) images, and the output's
// gradient of 64 * 32 * 784 numbers.
TEST(ConvolutionWorkspace, FftOfTheWeightGradientCopiesTheGradient) {
  EXPECT_EQ(2.0 * 4352 * 4096 + 4.0 * 64 * 32 * 784, 42074112.0);  // seen
  EXPECT_EQ(
      bytes_of(convolution("weight_gradient", "fp32", {64, 784, 32, 32, 1, 9, 1}), Transform::fft),
      42074112.0);
}

// Tiles of 32 x 32, 4352 bytes: images twice where there are several, once for 14 x 14.
TEST(ConvolutionWorkspace, TiledFftHoldsATileOfEveryImage) {
  EXPECT_EQ(4352.0 * (4096 + 2 * (2048 + 2048)), 53477376.0);  // seen
  EXPECT_EQ(bytes_of(convolution("data_gradient", "fp32", {32, 12544, 64, 64, 1, 9, 1}),
                     Transform::tiled_fft),
            53477376.0);
  EXPECT_EQ(4352.0 * (147456 + 2 * 24576), 855638016.0);  // seen
  EXPECT_EQ(bytes_of(convolution("data_gradient", "fp32", {64, 196, 384, 384, 1, 9, 1}),
                     Transform::tiled_fft),
            855638016.0);
}

// 3 x 3: 14 pixels are 4 tiles along, of 36 numbers; 5 x 5: 2 tiles along, of 169.
TEST(ConvolutionWorkspace, WinogradHasTiles) {
  EXPECT_EQ(144.0 * (8 * 16 * 94 + 30 * 64), 2009088.0);
  EXPECT_EQ(bytes_of(convolution("weight_gradient", "fp32", {8, 196, 30, 64, 1, 9, 1}),
                     Transform::winograd),
            2009088.0);
  EXPECT_EQ(676.0 * (64 * 4 * 768 + 512 * 256), 221511680.0);  // seen
  EXPECT_EQ(bytes_of(convolution("weight_gradient", "fp32", {64, 196, 512, 256, 1, 25, 1}),
                     Transform::winograd),
            221511680.0);
}

TEST(ConvolutionWorkspace, ImageSumsAreOneGradientForEachImage) {
  EXPECT_EQ(bytes_of(convolution("weight_gradient", "bf16", {256, 784, 128, 512, 1, 1, 1}),
                     Transform::image_sums),
            256.0 * 4 * 128 * 512);
}

// x = 8 * 196 * 30 = 47040, y = 8 * 196 * 64 = 100352, w = 30 * 64 * 9 = 17280 elements.
TEST(ConvolutionWorkspace, CopiesOfTheTensors) {
  const std::vector<double> sizes = {8, 196, 30, 64, 1, 9, 1};
  const auto copies = [&](const char* pass, Copies of) {
    return bytes_of_copies(convolution(pass, "tf32", sizes), of, ChannelPadding::none);
  };
  EXPECT_EQ(copies("forward", Copies::none), 0.0);
  EXPECT_EQ(copies("forward", Copies::images), 4.0 * (47040 + 100352));
  EXPECT_EQ(copies("forward", Copies::all), 4.0 * (47040 + 17280 + 100352));
  EXPECT_EQ(copies("forward", Copies::operands), 4.0 * (47040 + 17280));
  EXPECT_EQ(copies("data_gradient", Copies::operands), 4.0 * (100352 + 17280));
  EXPECT_EQ(copies("weight_gradient", Copies::operands), 4.0 * (47040 + 100352));
  // Stride 2: the input has four times the pixels; a transposed convolution's output has.
  OpShape strided = convolution("forward", "tf32", {8, 196, 30, 64, 1, 9, 4});
  EXPECT_EQ(bytes_of_copies(strided, Copies::images, ChannelPadding::none),
            4.0 * (4 * 47040 + 100352));
  strided.op = "conv_transpose2d";
  EXPECT_EQ(bytes_of_copies(strided, Copies::images, ChannelPadding::none),
            4.0 * (47040 + 4 * 100352));
}

// 30 channels become 32 of 2 bytes, 8 at a time; 112 of a group become 128.
TEST(ConvolutionWorkspace, CopiesRoundChannelsUp) {
  EXPECT_EQ(bytes_of_copies(convolution("forward", "bf16", {8, 196, 30, 64, 1, 9, 1}), Copies::all,
                            ChannelPadding::vector),
            2.0 * (8 * 196 * 32 + 8 * 196 * 64 + 32 * 64 * 9));
  EXPECT_EQ(bytes_of_copies(convolution("forward", "bf16", {256, 784, 112, 112, 4, 9, 1}),
                            Copies::images, ChannelPadding::power_of_two),
            2.0 * 4 * 2 * 256 * 784 * 128);
}

// 14 groups of 40 channels: copies of eight, 1404928000 bytes, seen.
TEST(ConvolutionWorkspace, Fp32GroupsAreConvolvedEightAtATime) {
  const std::vector<double> sizes = {175, 3136, 40, 40, 14, 9, 1};
  EXPECT_EQ(
      bytes_of_copies(convolution("forward", "fp32", sizes), Copies::images, ChannelPadding::none),
      1404928000.0);
  EXPECT_EQ(
      bytes_of_copies(convolution("forward", "tf32", sizes), Copies::images, ChannelPadding::none),
      1404928000.0 / 8 * 14);
}

TEST(ConvolutionWorkspace, SomeConvolutionsCannotBeTransformed) {
  const OpShape strided = convolution("forward", "fp32", {8, 784, 64, 64, 1, 9, 4});
  EXPECT_FALSE(bytes_of_transform(strided, Transform::fft));
  EXPECT_FALSE(bytes_of_transform(strided, Transform::tiled_fft));
  EXPECT_FALSE(bytes_of_transform(strided, Transform::winograd));
  EXPECT_FALSE(bytes_of_transform(strided, Transform::image_sums));
  EXPECT_FALSE(bytes_of_transform(convolution("forward", "fp32", {8, 784, 64, 64, 1, 49, 1}),
                                  Transform::winograd));
  // cuDNN: images with padding up to 256 pixels, 254 + 2.
  EXPECT_TRUE(bytes_of_transform(convolution("forward", "fp32", {1, 254 * 254, 8, 8, 1, 9, 1}),
                                 Transform::fft));
  EXPECT_FALSE(bytes_of_transform(convolution("forward", "fp32", {1, 255 * 255, 8, 8, 1, 9, 1}),
                                  Transform::fft));
}

}  // namespace
}  // namespace rooflab::predict
