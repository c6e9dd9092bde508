#include "trace/trace_op_work.hpp"

#include <gtest/gtest.h>

namespace rooflab::trace {
namespace {

double flops(std::string_view op, std::string_view arguments) {
  const std::optional<OpWork> work = modelled_op_work(op, arguments);
  return work ? work->flops : -1.0;
}

TEST(TraceOpWork, Products) {
  const OpWork mm =
      modelled_op_work("aten::mm", "[[16, 512], [512, 1000]]\n[\"float\", \"float\"]").value();
  EXPECT_DOUBLE_EQ(mm.flops, 2.0 * 16 * 512 * 1000);
  EXPECT_DOUBLE_EQ(mm.bytes.value(), 4.0 * (16 * 512 + 512 * 1000 + 16 * 1000));
  // The bias [1000] comes first.
  EXPECT_DOUBLE_EQ(flops("aten::addmm",
                         "[[1000], [16, 512], [512, 1000], [], []]\n"
                         "[\"c10::Half\", \"c10::Half\", \"c10::Half\", \"Scalar\", \"Scalar\"]"),
                   2.0 * 16 * 512 * 1000);
  EXPECT_DOUBLE_EQ(flops("aten::bmm", "[[8, 4, 5], [8, 5, 6]]\n[\"float\", \"float\"]"),
                   2.0 * 8 * 4 * 5 * 6);
  EXPECT_DOUBLE_EQ(flops("aten::baddbmm",
                         "[[8, 4, 6], [8, 4, 5], [8, 5, 6]]\n[\"float\", \"float\", \"float\"]"),
                   2.0 * 8 * 4 * 5 * 6);
  const OpWork linear =
      modelled_op_work("aten::linear",
                       "[[2, 7, 20], [30, 20], [30]]\n"
                       "[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"]")
          .value();
  EXPECT_DOUBLE_EQ(linear.flops, 2.0 * 14 * 20 * 30);
  EXPECT_DOUBLE_EQ(linear.bytes.value(), 2.0 * (14 * 20 + 20 * 30 + 14 * 30));
}

// The first layer of ResNet-18: 118,013,952 multiply-accumulates an image, as published.
constexpr std::string_view stem =
    "[[16, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], []]\n"
    "[\"float\", \"float\", \"\", \"ScalarList\", \"ScalarList\", \"ScalarList\", \"Scalar\"]\n"
    "[\"\", \"\", \"\", \"[2, 2]\", \"[3, 3]\", \"[1, 1]\", \"1\"]";

TEST(TraceOpWork, Convolutions) {
  const OpWork conv = modelled_op_work("aten::conv2d", stem).value();
  EXPECT_DOUBLE_EQ(conv.flops, 16 * 2.0 * 118013952);
  EXPECT_DOUBLE_EQ(conv.bytes.value(),
                   4.0 * (16.0 * 3 * 224 * 224 + 64 * 3 * 49 + 16.0 * 64 * 112 * 112));
  // Its own order of arguments: padding, stride, dilation.
  EXPECT_DOUBLE_EQ(flops("aten::cudnn_convolution",
                         "[[16, 3, 224, 224], [64, 3, 7, 7], [], [], [], []]\n"
                         "[\"float\", \"float\"]\n"
                         "[\"\", \"\", \"[3, 3]\", \"[2, 2]\", \"[1, 1]\", \"1\"]"),
                   conv.flops);
  // Depthwise 3 x 3 with dilation 2 over 8 channels of 10 x 10: 6 x 6 outputs.
  EXPECT_DOUBLE_EQ(flops("aten::convolution",
                         "[[1, 8, 10, 10], [8, 1, 3, 3], [], [], [], [], [], [], []]\n"
                         "[\"float\", \"float\"]\n"
                         "[\"\", \"\", \"\", \"[1, 1]\", \"[0, 0]\", \"[2, 2]\", \"False\", "
                         "\"[0, 0]\", \"8\"]"),
                   2.0 * 8 * 36 * 9);
}

TEST(TraceOpWork, WithoutStridesAConvolutionIsNotKnown) {
  const std::string_view shapes = stem.substr(0, stem.rfind('\n'));
  EXPECT_FALSE(modelled_op_work("aten::conv2d", shapes).has_value());
  EXPECT_FALSE(modelled_op_work("aten::conv2d",
                                "[[1, 3, 8, 8], [4, 3, 3, 3], [], [], [], [], []]\n[]\n"
                                "[\"\", \"\", \"\", \"[1, 1]\", \"same\", \"[1, 1]\", \"1\"]")
                   .has_value());
}

TEST(TraceOpWork, BackwardOfAConvolutionByItsMask) {
  const auto backward = [](std::string_view mask) {
    return "[[16, 64, 112, 112], [16, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], [], [], [], "
           "[]]\n"
           "[\"float\", \"float\", \"float\"]\n"
           "[\"\", \"\", \"\", \"\", \"[2, 2]\", \"[3, 3]\", \"[1, 1]\", \"False\", \"[0, 0]\", "
           "\"1\", \"" +
           std::string(mask) + "\"]";
  };
  const double forward = 16 * 2.0 * 118013952;
  EXPECT_DOUBLE_EQ(flops("aten::convolution_backward", backward("[True, True, False]")),
                   2 * forward);
  EXPECT_DOUBLE_EQ(flops("aten::convolution_backward", backward("[False, True, False]")), forward);
  const OpWork first =
      modelled_op_work("aten::convolution_backward", backward("[False, True, False]")).value();
  EXPECT_DOUBLE_EQ(first.bytes.value(),
                   4.0 * (16.0 * 64 * 112 * 112 + 16.0 * 3 * 224 * 224 + 64 * 3 * 49));
  EXPECT_FALSE(modelled_op_work("aten::convolution_backward",
                                "[[1, 4, 6, 6], [1, 3, 8, 8], [4, 3, 3, 3]]\n[]")
                   .has_value());
}

TEST(TraceOpWork, Attention) {
  // 2 batches, 8 heads, 100 queries, 50 keys, depth 64, values 32, two heads of keys.
  const std::string_view forward =
      "[[2, 8, 100, 64], [2, 2, 50, 64], [2, 2, 50, 32], []]\n"
      "[\"c10::Half\", \"c10::Half\", \"c10::Half\", \"\"]";
  const double scores = 2.0 * 8 * 100 * 50;
  const OpWork work =
      modelled_op_work("aten::_scaled_dot_product_flash_attention", forward).value();
  EXPECT_DOUBLE_EQ(work.flops, 2.0 * scores * (64 + 32));
  EXPECT_DOUBLE_EQ(work.bytes.value(),
                   2.0 * (2 * 8 * 100 * 64 + 2 * 2 * 50 * 64 + 2 * 2 * 50 * 32 + 2 * 8 * 100 * 32));
  // The kernel's own op has the sequence before the heads.
  EXPECT_DOUBLE_EQ(flops("aten::_flash_attention_forward",
                         "[[2, 100, 8, 64], [2, 50, 2, 64], [2, 50, 2, 32]]\n[]"),
                   2.0 * scores * 96);
  EXPECT_DOUBLE_EQ(flops("aten::_scaled_dot_product_flash_attention_backward",
                         "[[2, 8, 100, 32], [2, 8, 100, 64], [2, 2, 50, 64], [2, 2, 50, 32]]\n[]"),
                   2.0 * scores * (3 * 64 + 2 * 32));
  // Sequences behind each other in one tensor.
  EXPECT_FALSE(modelled_op_work("aten::_flash_attention_forward",
                                "[[500, 8, 64], [500, 8, 64], [500, 8, 64]]\n[]")
                   .has_value());
}

TEST(TraceOpWork, WhatIsNotKnownHasNoFigure) {
  EXPECT_FALSE(modelled_op_work("aten::relu", "[[16, 64]]\n[\"float\"]").has_value());
  EXPECT_FALSE(
      modelled_op_work("mylib::mm", "[[2, 3], [3, 4]]\n[\"float\", \"float\"]").has_value());
  EXPECT_FALSE(modelled_op_work("aten::mm", "").has_value());
  EXPECT_FALSE(modelled_op_work("aten::mm", "[[2, 3], [4, 5]]\n[]").has_value());  // do not fit
  EXPECT_FALSE(modelled_op_work("aten::mm", "[[2, 3]]\n[]").has_value());
  EXPECT_FALSE(modelled_op_work("aten::mm", "[[2, -3], [-3, 4]]\n[]").has_value());
  EXPECT_FALSE(modelled_op_work("aten::mm", "not json\nat all").has_value());
  EXPECT_FALSE(modelled_op_work("aten::mm", "[[2, \"x\"], {}]\n7").has_value());
  const OpWork no_type = modelled_op_work("aten::mm", "[[2, 3], [3, 4]]\n[\"quint4x2\"]").value();
  EXPECT_DOUBLE_EQ(no_type.flops, 48.0);
  EXPECT_FALSE(no_type.bytes.has_value());
}

}  // namespace
}  // namespace rooflab::trace
