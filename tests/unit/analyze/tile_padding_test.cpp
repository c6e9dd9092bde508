#include "analyze/tile_padding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::analyze {
namespace {

using testing::Optional;

const char* const tf32_conv =
    "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize64x32x64_stage5"
    "_warpsize2x2x1_g1_tensor16x8x8_alignc4_execute_kernel__5x_cudnn";

/// A convolution without bias, batch 1.
graph::Graph convolution(std::int64_t in, std::int64_t extent, std::int64_t out,
                         std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
  graph::GraphBuilder b("net");
  graph::ValueId x = b.input("input", {1, in, extent, extent});
  x = b.conv(x, "conv",
             {.out_channels = out, .kernel = kernel, .stride = stride, .padding = padding});
  return std::move(b).finish({x});
}

std::optional<std::string> padding(double flops, const graph::Graph& network, std::size_t product,
                                   const char* kernel, record::Extent grid,
                                   double tolerance = 0.0) {
  const auto products = products_of(network, network.nodes.front());
  return padding_that_gives(flops, products.at(product), kernel, grid, tolerance);
}

// Names as cuDNN and cuBLAS gave them on an H200 and an A100.
TEST(TileOf, StandsInTheName) {
  EXPECT_THAT(tile_of(tf32_conv), Optional(Tile{64, 32, 64}));
  EXPECT_THAT(tile_of("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(T1)"),
              Optional(Tile{128, 32, 0}));
  EXPECT_THAT(tile_of("cutlass__5x_cudnn::Kernel<conv::ImplicitGemmConvolution<conv::"
                      "ImplicitGemmMultistage<gemm::GemmShape<64, 128, 16>, conv::Conv2d"),
              Optional(Tile{64, 128, 16}));
  EXPECT_THAT(tile_of("cutlass3x_sm90_tensorop_s64x128x16gemm_bf16_bf16_f32_bf16_bf16_128x128x64"
                      "_2x1x1_0_tnn_align8_warpspecialized"),
              Optional(Tile{128, 128, 64}));
  EXPECT_THAT(tile_of("ampere_sgemm_128x64_tn"), Optional(Tile{128, 64, 0}));
  EXPECT_EQ(tile_of("void winograd_nonfused::winogradWgradOutput4x4<float, float>()"),
            std::nullopt);
  EXPECT_EQ(tile_of("vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>"),
            std::nullopt);
  EXPECT_EQ(tile_of("1x"), std::nullopt);
}

// 2 x 64 results' channels x 112 x 112 pixels x 3 x 7 x 7.
TEST(ProductsOf, AConvolution) {
  const graph::Graph network = convolution(3, 224, 64, 7, 2, 3);
  const auto products = products_of(network, network.nodes.front());
  ASSERT_EQ(products.size(), 2U);  // strided: no data gradient
  EXPECT_EQ(products[0].rows, 12'544);
  EXPECT_EQ(products[0].columns, 64);
  EXPECT_EQ(products[0].channels, 3);
  EXPECT_EQ(products[0].taps, 49);
  EXPECT_EQ(products[0].flops(), 236'027'904.0);
  EXPECT_EQ(products[1].rows, 64);
  EXPECT_EQ(products[1].columns, 147);
  EXPECT_EQ(products[1].channels, 12'544);
  EXPECT_EQ(products[1].flops(), 236'027'904.0);
}

TEST(ProductsOf, ALinearLayer) {
  graph::GraphBuilder b("net");
  graph::ValueId x = b.input("input", {32, 512});
  x = b.linear(x, "fc", 1000);
  const graph::Graph network = std::move(b).finish({x});
  const auto products = products_of(network, network.nodes.front());
  ASSERT_EQ(products.size(), 3U);
  for (const ProductExtents& each : products) EXPECT_EQ(each.flops(), 32'768'000.0) << each.pass;
  EXPECT_EQ(products[0].rows, 32);
  EXPECT_EQ(products[0].columns, 1000);
}

// What Nsight Compute counted of ResNet-18's convolutions, batch 1, TF32, on an H200.
TEST(PaddingThatGives, CountedFiguresToTheDigit) {
  const graph::Graph layer2 = convolution(128, 28, 128, 3, 1, 1);
  EXPECT_THAT(padding(245'366'784, layer2, 0, tf32_conv, {4, 13, 1}),
              Optional(std::string("tiles of 64 x 32 round pixels 784 to 832")));
  const graph::Graph layer3 = convolution(256, 14, 256, 3, 1, 1);
  EXPECT_THAT(padding(301'989'888, layer3, 0, tf32_conv, {8, 4, 2}),
              Optional(std::string("tiles of 64 x 32 round pixels 196 to 256")));
  // The sum of 512 x 9 terms in five parts, each of two steps of 64 channels: 640 x 9.
  const graph::Graph layer4 = convolution(512, 7, 512, 3, 1, 1);
  EXPECT_THAT(
      padding(377'487'360, layer4, 0, tf32_conv, {16, 1, 5}),
      Optional(std::string("tiles of 64 x 32 round pixels 49 to 64, terms of a sum 4608 to 5760")));
  // The weight gradient: 36 parts of 352 pixels.
  const graph::Graph stem = convolution(3, 224, 64, 7, 2, 3);
  EXPECT_THAT(
      padding(415'236'096, stem, 1, "gemm::GemmShape<64, 128, 16>", {2, 1, 36}),
      Optional(std::string("tiles of 64 x 128 round weights of an output 147 to 256, terms of a"
                           " sum 12544 to 12672")));
}

// 14'794'752 FP32 FLOPs of 2 x 224 x 256 x 128 = 14'680'064 in tiles: 0.8 % are index arithmetic.
TEST(PaddingThatGives, CudaCoresDoMoreThanTheProduct) {
  const graph::Graph network = convolution(128, 28, 256, 1, 2, 0);
  const char* const kernel =
      "sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs_nchw_tilesize32x32x8_stage3";
  EXPECT_EQ(padding(14'794'752, network, 0, kernel, {8, 7, 1}), std::nullopt);
  EXPECT_THAT(padding(14'794'752, network, 0, kernel, {8, 7, 1}, 0.05),
              Optional(std::string("tiles of 32 x 32 round pixels 196 to 224")));
}

TEST(PaddingThatGives, WithoutATileOneExtentAlone) {
  // 3 input channels as 4: 4/3 of the work.
  const graph::Graph stem = convolution(3, 224, 64, 7, 2, 3);
  EXPECT_THAT(padding(314'703'872, stem, 0, "conv_kernel", {1, 1, 1}),
              Optional(std::string("fits input channels 3 to 4")));
  EXPECT_EQ(padding(330'000'000, stem, 0, "conv_kernel", {1, 1, 1}), std::nullopt);
  // As modelled: nothing is rounded.
  EXPECT_EQ(padding(236'027'904, stem, 0, "conv_kernel", {1, 1, 1}), std::nullopt);
}

}  // namespace
}  // namespace rooflab::analyze
