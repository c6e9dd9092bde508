#include <gtest/gtest.h>

#include "../recording/recording_text.hpp"
#include "base/format.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/predict/op_model.hpp"

// Kinds and sizes of recorded ops, as calibrations name them: those of the same ops of a network.

namespace rooflab::predict {
namespace {

using recording::RecordingText;

/// `KIND SIZE SIZE ...` of an entry; empty: it has none.
std::string shape_line(const RecordingText& text, std::size_t entry) {
  static const device::Device t4 = device::Catalog::built_in().find("t4");
  const schedule::Schedule s = text.lowered();
  const std::optional<OpShape> shape = shape_of(s, s.ops[entry], t4);
  if (!shape) return "";
  std::string line = shape->kind();
  for (const double size : shape->sizes) line += format(" {}", size);
  return line;
}

TEST(RecordedShape, LinearLayerAndItsGradients) {
  RecordingText text;
  const int x = text.input("f32", {8, 4});
  const int w = text.parameter("f32", {6, 4});
  const int y = text.tensor("f32", {8, 6});
  text.op("aten.mm", {x, text.view(w, "f32", {4, 6}, {1, 4})}, {y});
  text.at("backward");
  text.op("aten.mm", {y, w}, {text.tensor("f32", {8, 4})});
  text.op("aten.mm", {text.view(y, "f32", {6, 8}, {1, 6}), x}, {text.tensor("f32", {6, 4})});
  EXPECT_EQ(shape_line(text, 0), "linear.forward.fp32 8 4 6");
  EXPECT_EQ(shape_line(text, 1), "linear.data_gradient.fp32 8 4 6");
  EXPECT_EQ(shape_line(text, 2), "linear.weight_gradient.fp32 8 4 6");
}

TEST(RecordedShape, AVectorIsAMatrixOfOneColumn) {
  RecordingText text;
  text.op("aten.mv", {text.input("f32", {3, 4}), text.input("f32", {4})},
          {text.tensor("f32", {3})});
  EXPECT_EQ(shape_line(text, 0), "matmul.forward.fp32 1 3 4 1");
}

// Batch, pixels, channels of a group in and out, groups, kernel, stride.
TEST(RecordedShape, ConvolutionsByGroupsAndLayout) {
  RecordingText text;
  const int x = text.input("f32", {2, 4, 8, 8});
  const int last = text.view(x, "f32", {2, 4, 8, 8}, {256, 1, 32, 4});
  const int depthwise = text.parameter("f32", {4, 1, 3, 3});
  const int dense = text.parameter("f32", {6, 4, 3, 3});
  text.op("aten.convolution", {x, depthwise, nullptr}, {text.tensor("f32", {2, 4, 8, 8})},
          R"("stride":[1,1],"padding":[1,1],"groups":4)");
  text.op("aten.convolution", {last, dense, nullptr}, {text.tensor("f32", {2, 6, 4, 4})},
          R"("stride":[2,2],"padding":[1,1])");
  EXPECT_EQ(shape_line(text, 0), "conv2d_depthwise.forward.fp32.nchw 2 64 1 1 4 9 1");
  EXPECT_EQ(shape_line(text, 1), "conv2d.forward.fp32.nhwc 2 16 4 6 1 9 4");
}

TEST(RecordedShape, AttentionByHeads) {
  RecordingText text;
  const int q = text.input("f16", {2, 4, 8, 16});
  const int k = text.input("f16", {2, 4, 12, 16});
  text.op("aten._scaled_dot_product_flash_attention", {q, k, k},
          {text.tensor("f16", {2, 4, 8, 16}), text.tensor("f32", {2, 4, 8})},
          R"("is_causal":true)");
  EXPECT_EQ(shape_line(text, 0), "attention_causal.forward.fp16 8 8 12 16");
}

// Elements and tensors of a pass.
TEST(RecordedShape, PassesOfAnOptimizer) {
  RecordingText text;
  const int a = text.parameter("f32", {4});
  const int b = text.parameter("f32", {6});
  text.line(R"({"optimizer":"SGD","options":{"momentum":0.9}})");
  text.at("optimizer");
  text.op("aten._foreach_mul_", {{a, b}}, {}, "", R"(,"writes":[0])");
  EXPECT_EQ(shape_line(text, 0), "optimizer_sgd-momentum.step.f32 10 2");
}

// Two groups of rows, 6 in all, times [4, 3] each; the gradient of both matrices sums over the
// rows.
TEST(RecordedShape, ProductsOfGroupsOfRows) {
  RecordingText text;
  const int x = text.input("bf16", {6, 4});
  const int w = text.parameter("bf16", {2, 4, 3});
  const int ends = text.input("i32", {2});
  const int turned = text.input("bf16", {4, 6});
  const int dy = text.input("bf16", {6, 3});
  text.op("aten._grouped_mm", {x, w, ends}, {text.tensor("bf16", {6, 3})});
  text.op("aten._grouped_mm", {turned, dy, ends}, {text.tensor("bf16", {2, 4, 3})});
  EXPECT_EQ(shape_line(text, 0), "grouped_matmul.forward.bf16 2 6 4 3");
  EXPECT_EQ(shape_line(text, 1), "grouped_matmul.weight_gradient.bf16 2 6 4 3");
  // 3 rows meet no more than 3 of 8 matrices.
  RecordingText few;
  few.op("aten._grouped_mm",
         {few.input("bf16", {3, 4}), few.parameter("bf16", {8, 4, 5}), few.input("i32", {8})},
         {few.tensor("bf16", {3, 5})});
  EXPECT_EQ(shape_line(few, 0), "grouped_matmul.forward.bf16 3 3 4 5");
}

// A new token of 2 sequences and 3 heads into a cache of 8: 6 pieces of 5 numbers into 48. Updates
// that each have an index, and those that are added, go one by one. With a separate result the op
// copies the whole tensor.
TEST(RecordedShape, UpdatesInPlaceMoveAlone) {
  RecordingText text;
  const int cache = text.input("bf16", {2, 3, 8, 5});
  const int place = text.input("i64", {1});
  const int token = text.input("bf16", {2, 3, 1, 5});
  const int table = text.input("f32", {10, 4});
  const int rows = text.input("i64", {6});
  const int places = text.input("i64", {6, 4});
  const int updates = text.input("f32", {6, 4});
  text.op("aten.index_copy_", {cache, place, token}, {cache}, R"("dim":2)", R"(,"writes":[0])");
  text.op("aten.index_put_", {table, {rows}, updates}, {table}, "", R"(,"writes":[0])");
  text.op("aten.scatter_", {table, places, updates}, {table}, R"("dim":0)", R"(,"writes":[0])");
  text.op("aten.index_add_", {table, rows, updates}, {table}, R"("dim":0)", R"(,"writes":[0])");
  text.op("aten.index_add", {table, rows, updates}, {text.tensor("f32", {10, 4})}, R"("dim":0)");
  EXPECT_EQ(shape_line(text, 0), "gather.forward.bf16 6 5 48");
  EXPECT_EQ(shape_line(text, 1), "gather.forward.f32 6 4 10");
  EXPECT_EQ(shape_line(text, 2), "gather_elements.forward.f32 24");
  EXPECT_EQ(shape_line(text, 3), "scatter.forward.f32 24");
  EXPECT_EQ(shape_line(text, 4), "scatter.forward.f32 40");
}

// Keys of 2 x 3 heads, 8 tokens of 5, for 4 heads each: 8 x 5 numbers lie together.
TEST(RecordedShape, ACopyOfAnExpandedTensorReadsItOnce) {
  RecordingText text;
  const int keys = text.input("bf16", {2, 3, 8, 5});
  const int wide = text.view(keys, "bf16", {2, 3, 4, 8, 5}, {120, 40, 0, 5, 1});
  text.op("aten.clone", {wide}, {text.tensor("bf16", {2, 3, 4, 8, 5})});
  EXPECT_EQ(shape_line(text, 0), "copy_expanded.forward.bf16 960 4 40");
}

// An op that calibrations lack takes as long as one that moves its bytes: 192 read and 192 + 384
// written are copies of 96 numbers, read and written. A sort works on rows.
TEST(RecordedShape, OpsThatCalibrationsLack) {
  RecordingText text;
  const int x = text.input("f32", {6, 8});
  text.op("aten.median", {x}, {text.tensor("f32", {6, 8}), text.tensor("i64", {6, 8})});
  text.op("mylib.swirl", {x}, {text.tensor("f32", {6, 8})});
  EXPECT_EQ(shape_line(text, 0), "copy.forward.f32 96");
  EXPECT_EQ(shape_line(text, 1), "");
  RecordingText sorted;
  const int z = sorted.input("f32", {6, 8});
  sorted.op("aten.sort", {z}, {sorted.tensor("f32", {6, 8}), sorted.tensor("i64", {6, 8})});
  EXPECT_EQ(shape_line(sorted, 0), "sort.forward.f32 6 8");
}

}  // namespace
}  // namespace rooflab::predict
