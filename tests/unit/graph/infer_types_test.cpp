#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"

// Shapes worked out by hand from the rules in PyTorch's and ONNX's documentation.
namespace rooflab::graph {
namespace {

using testing::HasSubstr;
using Types = std::vector<TensorType>;

TensorType f32(Shape shape) { return {DType::f32, std::move(shape)}; }
TensorType i64(Shape shape) { return {DType::i64, std::move(shape)}; }

/// The only result's type.
TensorType infer_one(const Op& op, const Types& inputs) {
  const Types results = infer_types(op, inputs);
  EXPECT_EQ(results.size(), 1U);
  return results.at(0);
}

Shape shape_of(const Op& op, const std::vector<Shape>& inputs) {
  Types types;
  for (const Shape& shape : inputs) types.push_back(f32(shape));
  return infer_one(op, types).shape;
}

std::string error_of(const Op& op, const Types& inputs) {
  try {
    (void)infer_types(op, inputs);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "no error";
}

/// One window in both of two dimensions.
Conv conv2d(std::int64_t kernel, std::int64_t stride, std::int64_t padding,
            std::int64_t dilation = 1, std::int64_t groups = 1) {
  Conv op;
  op.kernel = {kernel, kernel};
  op.stride = {stride, stride};
  op.padding_begin = op.padding_end = {padding, padding};
  op.dilation = {dilation, dilation};
  op.groups = groups;
  return op;
}

Pool pool2d(std::int64_t kernel, std::int64_t stride, std::int64_t padding, bool ceil_mode,
            std::int64_t dilation = 1) {
  Pool op;
  op.kernel = {kernel, kernel};
  op.stride = {stride, stride};
  op.padding_begin = op.padding_end = {padding, padding};
  op.dilation = {dilation, dilation};
  op.ceil_mode = ceil_mode;
  return op;
}

TEST(InferConv, StrideAndPadding) {
  // floor((224 + 6 - 7) / 2) + 1 = 112
  EXPECT_EQ(shape_of(conv2d(7, 2, 3), {{2, 3, 224, 224}, {64, 3, 7, 7}, {64}}),
            (Shape{2, 64, 112, 112}));
}

TEST(InferConv, Dilation) {
  // A kernel of 3 with dilation 2 reaches over 5: 32 - 4, 20 - 4.
  EXPECT_EQ(shape_of(conv2d(3, 1, 0, 2), {{1, 8, 32, 20}, {4, 8, 3, 3}}), (Shape{1, 4, 28, 16}));
}

TEST(InferConv, Groups) {
  EXPECT_EQ(shape_of(conv2d(3, 1, 1, 1, 8), {{1, 32, 10, 10}, {64, 4, 3, 3}}),
            (Shape{1, 64, 10, 10}));
}

TEST(InferConv, PaddingOnOneSide) {
  Conv op = conv2d(2, 1, 0);
  op.padding_end = {1, 0};
  EXPECT_EQ(shape_of(op, {{1, 1, 5, 5}, {1, 1, 2, 2}}), (Shape{1, 1, 5, 4}));
}

TEST(InferConv, OneAndThreeDimensions) {
  EXPECT_EQ(shape_of(Conv{{10}, {5}, {0}, {0}, {1}, 1, false, {}}, {{1, 1, 16000}, {512, 1, 10}}),
            (Shape{1, 512, 3199}));  // (16000 - 10) / 5 + 1
  EXPECT_EQ(shape_of(Conv{{3, 7, 7}, {1, 2, 2}, {1, 3, 3}, {1, 3, 3}, {1, 1, 1}, 1, false, {}},
                     {{1, 3, 16, 112, 112}, {64, 3, 3, 7, 7}}),
            (Shape{1, 64, 16, 56, 56}));
}

TEST(InferConv, Transposed) {
  Conv op = conv2d(3, 2, 1);
  op.transposed = true;
  op.output_padding = {1, 1};
  // (12 - 1) * 2 - 2 + (3 - 1) + 1 + 1 = 24
  EXPECT_EQ(shape_of(op, {{1, 16, 12, 12}, {16, 8, 3, 3}}), (Shape{1, 8, 24, 24}));
  op.output_padding.clear();
  EXPECT_EQ(shape_of(op, {{1, 16, 12, 12}, {16, 8, 3, 3}}), (Shape{1, 8, 23, 23}));
}

TEST(InferConv, TransposedWithGroupsAndDilation) {
  Conv grouped = conv2d(2, 2, 0, 1, 2);
  grouped.transposed = true;
  EXPECT_EQ(shape_of(grouped, {{1, 4, 5, 5}, {4, 3, 2, 2}}), (Shape{1, 6, 10, 10}));
  Conv dilated = conv2d(3, 1, 0, 2);
  dilated.transposed = true;
  EXPECT_EQ(shape_of(dilated, {{1, 2, 4, 4}, {2, 1, 3, 3}}), (Shape{1, 1, 8, 8}));
}

TEST(InferConv, Errors) {
  EXPECT_THAT(error_of(conv2d(3, 1, 1), {f32({1, 3, 8, 8}), f32({4, 5, 3, 3})}),
              HasSubstr("takes 5 channels, the input has 3"));
  EXPECT_THAT(error_of(conv2d(3, 1, 1, 1, 2), {f32({1, 3, 8, 8}), f32({4, 1, 3, 3})}),
              HasSubstr("3 channels do not divide into 2 groups"));
  EXPECT_THAT(error_of(conv2d(9, 1, 0), {f32({1, 1, 8, 8}), f32({1, 1, 9, 9})}),
              HasSubstr("a window of 9 does not fit"));
  EXPECT_THAT(error_of(conv2d(3, 1, 1), {f32({1, 1, 8, 8}), f32({1, 1, 5, 5})}),
              HasSubstr("kernel"));
  EXPECT_THAT(error_of(conv2d(3, 1, 1), {f32({1, 1, 8, 8}), f32({4, 1, 3, 3}), f32({3})}),
              HasSubstr("bias"));
  EXPECT_THAT(error_of(conv2d(3, 1, 1), {f32({1, 1, 8, 8})}), HasSubstr("weight"));
  EXPECT_THAT(error_of(conv2d(3, 0, 1), {f32({1, 1, 8, 8}), f32({1, 1, 3, 3})}),
              HasSubstr("positive"));
}

TEST(InferPool, FloorAndCeil) {
  EXPECT_EQ(shape_of(pool2d(3, 2, 1, false), {{1, 64, 112, 112}}), (Shape{1, 64, 56, 56}));
  // GoogLeNet: (112 - 3) / 2 = 54.5 -> 55 + 1; (56 - 3) / 2 = 26.5 -> 27 + 1.
  EXPECT_EQ(shape_of(pool2d(3, 2, 0, true), {{1, 64, 112, 112}}), (Shape{1, 64, 56, 56}));
  EXPECT_EQ(shape_of(pool2d(3, 2, 0, true), {{1, 64, 56, 56}}), (Shape{1, 64, 28, 28}));
  EXPECT_EQ(shape_of(pool2d(3, 2, 0, false), {{1, 64, 56, 56}}), (Shape{1, 64, 27, 27}));
}

TEST(InferPool, CeilNeverStartsAWindowBehindTheInput) {
  // Two windows by the ceiling; the second would start at 3, behind 1 of padding and 2 of input.
  EXPECT_EQ(shape_of(pool2d(2, 3, 1, true), {{1, 1, 2, 2}}), (Shape{1, 1, 1, 1}));
  // With 3 of input it starts on the last element.
  EXPECT_EQ(shape_of(pool2d(2, 3, 1, true), {{1, 1, 3, 3}}), (Shape{1, 1, 2, 2}));
}

TEST(InferPool, Dilation) {
  EXPECT_EQ(shape_of(pool2d(3, 1, 0, false, 2), {{1, 1, 10, 10}}), (Shape{1, 1, 6, 6}));
}

TEST(InferPool, Adaptive) {
  EXPECT_EQ(shape_of(AdaptivePool{PoolKind::average, {1, 1}}, {{8, 512, 7, 7}}),
            (Shape{8, 512, 1, 1}));
  EXPECT_EQ(shape_of(AdaptivePool{PoolKind::average, {6, 6}}, {{8, 256, 5, 13}}),
            (Shape{8, 256, 6, 6}));
  EXPECT_THAT(error_of(AdaptivePool{PoolKind::average, {1}}, {f32({8, 512, 7, 7})}),
              HasSubstr("adaptive pooling"));
}

TEST(InferLinear, LeadingDimensionsStay) {
  EXPECT_EQ(shape_of(Linear{}, {{8, 197, 768}, {3072, 768}, {3072}}), (Shape{8, 197, 3072}));
  EXPECT_EQ(shape_of(Linear{true}, {{8, 197, 768}, {768, 2304}}), (Shape{8, 197, 2304}));
  EXPECT_THAT(error_of(Linear{}, {f32({8, 10}), f32({5, 11})}), HasSubstr("11 inputs"));
}

TEST(InferMatMul, BatchedAndBroadcast) {
  EXPECT_EQ(shape_of(MatMul{}, {{8, 12, 197, 64}, {8, 12, 64, 197}}), (Shape{8, 12, 197, 197}));
  EXPECT_EQ(shape_of(MatMul{}, {{5, 1, 2, 3}, {4, 3, 7}}), (Shape{5, 4, 2, 7}));
  EXPECT_THAT(error_of(MatMul{}, {f32({2, 3}), f32({4, 5})}), HasSubstr("cannot multiply"));
  EXPECT_THAT(error_of(MatMul{}, {f32({2, 4, 3}), f32({3, 3, 5})}), HasSubstr("broadcast"));
}

TEST(InferMatMul, Vectors) {
  EXPECT_EQ(shape_of(MatMul{}, {{3}, {3}}), Shape{});
  EXPECT_EQ(shape_of(MatMul{}, {{2, 3}, {3}}), (Shape{2}));
  EXPECT_EQ(shape_of(MatMul{}, {{3}, {4, 3, 5}}), (Shape{4, 5}));
}

TEST(InferEinsum, FreeAndSummedIndices) {
  EXPECT_EQ(shape_of(Einsum{"bij,bjk->bik"}, {{2, 3, 4}, {2, 4, 5}}), (Shape{2, 3, 5}));
  EXPECT_EQ(shape_of(Einsum{"i,j->ji"}, {{3}, {4}}), (Shape{4, 3}));
  EXPECT_EQ(shape_of(Einsum{"ij->"}, {{3, 4}}), Shape{});
  EXPECT_THAT(error_of(Einsum{"ij,jk->ik"}, {f32({2, 3}), f32({4, 5})}), HasSubstr("'j'"));
  EXPECT_THAT(error_of(Einsum{"ij->ik"}, {f32({2, 3})}), HasSubstr("'k'"));
  EXPECT_THAT(error_of(Einsum{"ij->ij"}, {f32({2, 3, 4})}), HasSubstr("does not fit"));
  EXPECT_THAT(error_of(Einsum{"ij,jk->ik"}, {f32({2, 3})}), HasSubstr("operands"));
}

TEST(InferAttention, ValueWidthAndGroupedQueries) {
  EXPECT_EQ(shape_of(Attention{}, {{2, 12, 197, 64}, {2, 12, 50, 64}, {2, 12, 50, 32}}),
            (Shape{2, 12, 197, 32}));
  EXPECT_EQ(shape_of(Attention{true}, {{1, 32, 128, 64}, {1, 8, 128, 64}, {1, 8, 128, 64}}),
            (Shape{1, 32, 128, 64}));
  EXPECT_THAT(error_of(Attention{}, {f32({1, 12, 9, 64}), f32({1, 5, 9, 64}), f32({1, 5, 9, 64})}),
              HasSubstr("heads"));
  EXPECT_THAT(error_of(Attention{}, {f32({1, 9, 64}), f32({1, 9, 32}), f32({1, 9, 64})}),
              HasSubstr("attention of"));
}

TEST(InferNormalisation, KeepsTheInput) {
  const TensorType x{DType::bf16, {4, 6, 5, 5}};
  const TensorType c = f32({6});
  EXPECT_EQ(infer_one(BatchNorm{}, {x, c, c, c, c}), x);
  EXPECT_EQ(infer_one(GroupNorm{3}, {x, c, c}), x);
  EXPECT_EQ(infer_one(LayerNorm{2}, {x}), x);
  EXPECT_EQ(infer_one(RmsNorm{}, {x}), x);
  EXPECT_EQ(infer_one(LocalResponseNorm{5}, {x}), x);
  EXPECT_THAT(error_of(BatchNorm{}, {x, f32({5}), c, c, c}), HasSubstr("6 channels"));
  EXPECT_THAT(error_of(GroupNorm{4}, {x}), HasSubstr("groups"));
  EXPECT_THAT(error_of(LayerNorm{5}, {x}), HasSubstr("layer norm over 5"));
}

TEST(InferElementwise, Broadcasting) {
  EXPECT_EQ(shape_of(Binary{}, {{8, 1, 6, 1}, {7, 1, 5}}), (Shape{8, 7, 6, 5}));
  EXPECT_EQ(shape_of(Binary{}, {{256, 256, 3}, {3}}), (Shape{256, 256, 3}));
  EXPECT_EQ(shape_of(Binary{}, {{}, {2, 2}}), (Shape{2, 2}));
  EXPECT_EQ(shape_of(Binary{}, {{0, 3}, {1, 3}}), (Shape{0, 3}));
  EXPECT_THAT(error_of(Binary{}, {f32({2, 3}), f32({2, 4})}), HasSubstr("do not broadcast"));
}

TEST(InferElementwise, Types) {
  const TensorType half{DType::f16, {2}};
  EXPECT_EQ(infer_one(Binary{}, {half, f32({2})}).dtype, DType::f32);
  EXPECT_EQ(infer_one(Binary{}, {half, i64({2})}).dtype, DType::f16);
  // A scalar of the same category does not widen a tensor, one of a higher category does.
  EXPECT_EQ(infer_one(Binary{}, {half, f32({})}).dtype, DType::f16);
  EXPECT_EQ(infer_one(Binary{}, {i64({2}), f32({})}).dtype, DType::f32);
  EXPECT_EQ(infer_one(Binary{BinaryFunction::less}, {half, half}).dtype, DType::boolean);
  EXPECT_EQ(infer_one(Binary{BinaryFunction::bitwise_and}, {i64({2}), i64({2})}).dtype, DType::i64);
  EXPECT_EQ(infer_one(Unary{UnaryFunction::is_nan}, {half}).dtype, DType::boolean);
  EXPECT_EQ(infer_one(Unary{UnaryFunction::gelu}, {half}), half);
  EXPECT_EQ(infer_one(Cast{DType::bf16}, {half}), (TensorType{DType::bf16, {2}}));
}

TEST(InferElementwise, InPlaceKeepsTheFirstOperand) {
  const Binary op{BinaryFunction::add, true};
  EXPECT_EQ(infer_one(op, {{DType::f16, {4, 3}}, f32({3})}), (TensorType{DType::f16, {4, 3}}));
  EXPECT_THAT(error_of(op, {f32({3}), f32({4, 3})}), HasSubstr("in-place"));
}

TEST(InferElementwise, WhereSoftmaxDropout) {
  EXPECT_EQ(infer_one(Where{}, {{DType::boolean, {1, 1, 9, 9}}, f32({2, 4, 9, 9}), f32({})}),
            f32({2, 4, 9, 9}));
  EXPECT_EQ(shape_of(Softmax{-1}, {{2, 3}}), (Shape{2, 3}));
  EXPECT_THAT(error_of(Softmax{2}, {f32({2, 3})}), HasSubstr("axis 2"));
  EXPECT_THAT(error_of(Softmax{-3}, {f32({2, 3})}), HasSubstr("axis -3"));
  EXPECT_EQ(shape_of(Dropout{0.5}, {{2, 3}}), (Shape{2, 3}));
  EXPECT_EQ(shape_of(StochasticDepth{0.1}, {{2, 3}}), (Shape{2, 3}));
}

TEST(InferReduce, AxesAndKeptDimensions) {
  EXPECT_EQ(shape_of(Reduce{ReduceFunction::mean, {2, 3}}, {{8, 64, 7, 7}}), (Shape{8, 64}));
  EXPECT_EQ(shape_of(Reduce{ReduceFunction::mean, {1}, true}, {{8, 64, 7}}), (Shape{8, 1, 7}));
  EXPECT_EQ(shape_of(Reduce{ReduceFunction::sum, {0, 1}}, {{8, 64}}), Shape{});
  EXPECT_EQ(infer_one(Reduce{ReduceFunction::arg_max, {1}}, {f32({8, 10})}), i64({8}));
  EXPECT_THAT(error_of(Reduce{ReduceFunction::sum, {2}}, {f32({8, 64})}), HasSubstr("axis 2"));
}

TEST(InferReduce, TopKAndCumulativeSum) {
  EXPECT_EQ(infer_types(TopK{5, -1}, Types{f32({8, 1000})}), (Types{f32({8, 5}), i64({8, 5})}));
  EXPECT_THAT(error_of(TopK{5, 1}, {f32({8, 4})}), HasSubstr("top 5 of 4"));
  EXPECT_EQ(infer_one(CumulativeSum{1}, {i64({8, 4})}), i64({8, 4}));
  EXPECT_THAT(error_of(CumulativeSum{2}, {i64({8, 4})}), HasSubstr("axis 2"));
}

TEST(InferViews, Reshape) {
  EXPECT_EQ(shape_of(Reshape{{2, -1}}, {{2, 512, 7, 7}}), (Shape{2, 25088}));
  EXPECT_EQ(shape_of(Reshape{{}}, {{1, 1}}), Shape{});
  EXPECT_EQ(shape_of(Reshape{{0, 4}}, {{2, 0}}), (Shape{0, 4}));
  EXPECT_THAT(error_of(Reshape{{3, -1}}, {f32({2, 4})}), HasSubstr("cannot reshape 2x4"));
  EXPECT_THAT(error_of(Reshape{{3, 3}}, {f32({2, 4})}), HasSubstr("cannot reshape"));
  EXPECT_THAT(error_of(Reshape{{-1, -1}}, {f32({2, 4})}), HasSubstr("one extent"));
}

TEST(InferViews, Transpose) {
  EXPECT_EQ(shape_of(Transpose{{0, 2, 3, 1}}, {{8, 3, 20, 30}}), (Shape{8, 20, 30, 3}));
  EXPECT_THAT(error_of(Transpose{{0, 0}}, {f32({2, 3})}), HasSubstr("twice"));
  EXPECT_THAT(error_of(Transpose{{1, 0}}, {f32({2, 3, 4})}), HasSubstr("permutation"));
}

TEST(InferViews, Expand) {
  EXPECT_EQ(shape_of(Expand{{8, -1, -1}}, {{1, 1, 768}}), (Shape{8, 1, 768}));
  EXPECT_EQ(shape_of(Expand{{4, 2, 3}}, {{2, 1}}), (Shape{4, 2, 3}));
  EXPECT_THAT(error_of(Expand{{4, 5}}, {f32({4, 3})}), HasSubstr("cannot expand"));
  EXPECT_THAT(error_of(Expand{{-1, 3}}, {f32({3})}), HasSubstr("open"));
}

TEST(InferViews, Slice) {
  EXPECT_EQ(shape_of(Slice{{1}, {0}, {1}, {1}}, {{8, 197, 768}}), (Shape{8, 1, 768}));
  EXPECT_EQ(shape_of(Slice{{0, 1}, {1, 0}, {8, 10}, {3, 2}}, {{9, 10}}), (Shape{3, 5}));
  EXPECT_EQ(shape_of(Slice{{0}, {8}, {-1}, {-2}}, {{9}}), (Shape{5}));  // 8, 6, 4, 2, 0
  EXPECT_EQ(shape_of(Slice{{0}, {5}, {5}, {1}}, {{9}}), (Shape{0}));
}

TEST(InferViews, Split) {
  EXPECT_EQ(infer_types(Split{1, {1, 2, 3}}, Types{f32({4, 6})}),
            (Types{f32({4, 1}), f32({4, 2}), f32({4, 3})}));
  EXPECT_THAT(error_of(Split{1, {1, 2}}, {f32({4, 6})}), HasSubstr("sum to 3, not 6"));
}

TEST(InferCopies, ConcatAndPad) {
  EXPECT_EQ(shape_of(Concat{1}, {{8, 64, 28, 28}, {8, 128, 28, 28}, {8, 32, 28, 28}}),
            (Shape{8, 224, 28, 28}));
  EXPECT_THAT(error_of(Concat{1}, {f32({8, 64, 28}), f32({8, 64, 27})}),
              HasSubstr("cannot concatenate"));
  EXPECT_EQ(shape_of(Pad{{0, 0, 1, 2}, {0, 0, 3, -1}}, {{1, 3, 10, 10}}), (Shape{1, 3, 14, 11}));
  EXPECT_THAT(error_of(Pad{{0}, {0}}, {f32({1, 3})}), HasSubstr("pad of 1"));
}

TEST(InferCopies, GatherAndScatter) {
  // An embedding: 50257 rows of 768, chosen by [8, 128] tokens.
  EXPECT_EQ(infer_one(Gather{0}, {f32({50257, 768}), i64({8, 128})}), f32({8, 128, 768}));
  EXPECT_EQ(infer_one(Gather{-1}, {f32({8, 197, 768}), i64({})}), f32({8, 197}));
  EXPECT_THAT(error_of(Gather{2}, {f32({8, 9}), i64({1})}), HasSubstr("axis 2"));
  const GatherElements along_rows{IndexForm::elements, 0};
  EXPECT_EQ(infer_one(along_rows, {f32({9, 4}), i64({30, 3})}), f32({30, 3}));
  EXPECT_THAT(error_of(along_rows, {f32({9, 4}), i64({3, 5})}), HasSubstr("indices of 3x5 into"));
  EXPECT_THAT(error_of(along_rows, {f32({9, 4}), i64({3})}), HasSubstr("indices of 3 into"));
  // The five examples of the ONNX specification of GatherND.
  const auto nd = [](std::int64_t batch_dims) {
    return GatherElements{IndexForm::nd, 0, batch_dims};
  };
  EXPECT_EQ(infer_one(nd(0), {f32({2, 2}), i64({2, 2})}), f32({2}));
  EXPECT_EQ(infer_one(nd(0), {f32({2, 2}), i64({2, 1})}), f32({2, 2}));
  EXPECT_EQ(infer_one(nd(0), {f32({2, 2, 2}), i64({2, 2})}), f32({2, 2}));
  EXPECT_EQ(infer_one(nd(0), {f32({2, 2, 2}), i64({2, 1, 2})}), f32({2, 1, 2}));
  EXPECT_EQ(infer_one(nd(1), {f32({2, 2, 2}), i64({2, 1})}), f32({2, 2}));
  EXPECT_THAT(error_of(nd(0), {f32({2, 2}), i64({5, 3})}), HasSubstr("indices of 5x3 into 2x2"));
  EXPECT_THAT(error_of(nd(1), {f32({2, 2}), i64({3, 1})}), HasSubstr("indices of 3x1 into 2x2"));
  const Scatter rows{IndexForm::nd};
  EXPECT_EQ(infer_one(rows, {f32({9, 4}), i64({2, 1}), f32({2, 4})}), f32({9, 4}));
  EXPECT_THAT(error_of(rows, {f32({9, 4}), i64({2, 1}), f32({2, 3})}),
              HasSubstr("updates of 2x3 for elements of 2x4"));
  EXPECT_EQ(infer_one(Scatter{}, {f32({9, 4}), i64({2, 3}), f32({2, 3})}), f32({9, 4}));
  EXPECT_THAT(error_of(Scatter{}, {f32({9, 4}), i64({2, 3}), f32({2, 4})}),
              HasSubstr("updates of 2x4 for elements of 2x3"));
}

TEST(InferCopies, SameShapeOrGiven) {
  EXPECT_EQ(shape_of(Resize{ResizeMode::linear, {1, 3, 448, 448}}, {{1, 3, 224, 224}}),
            (Shape{1, 3, 448, 448}));
  EXPECT_THAT(error_of(Resize{ResizeMode::linear, {448, 448}}, {f32({1, 3, 224, 224})}),
              HasSubstr("resize"));
  EXPECT_EQ(shape_of(Contiguous{}, {{2, 3}}), (Shape{2, 3}));
  EXPECT_EQ(shape_of(Roll{{1}, {0}}, {{2, 3}}), (Shape{2, 3}));
  EXPECT_EQ(shape_of(Triangle{true}, {{2, 3, 3}}), (Shape{2, 3, 3}));
  EXPECT_THAT(error_of(Triangle{}, {f32({3})}), HasSubstr("matrix"));
  EXPECT_EQ(infer_one(Generate{{1, 128}, DType::i64}, {}), i64({1, 128}));
}

TEST(InferCopies, GridSampleTakesTheGridsExtents) {
  EXPECT_EQ(shape_of(GridSample{}, {{2, 3, 4, 4}, {2, 5, 6, 2}}), (Shape{2, 3, 5, 6}));
  EXPECT_EQ(shape_of(GridSample{}, {{1, 2, 4, 5, 6}, {1, 7, 8, 9, 3}}), (Shape{1, 2, 7, 8, 9}));
  EXPECT_THAT(error_of(GridSample{}, {f32({2, 3, 4, 4}), f32({2, 5, 6, 3})}),
              HasSubstr("a grid 2x5x6x3 does not sample 2x3x4x4"));
  EXPECT_THAT(error_of(GridSample{}, {f32({2, 3, 4, 4}), f32({1, 5, 6, 2})}),
              HasSubstr("does not sample"));
  EXPECT_THAT(error_of(GridSample{}, {f32({2, 3, 4, 4}), {DType::f16, {2, 5, 6, 2}}}),
              HasSubstr("f32 is sampled with a grid of f16"));
}

/// An LSTM of 4 units on 7 steps of 3 samples with 5 features, with everything that it can have.
const Recurrent stacked{.layers = 2, .bidirectional = true, .initial_state = true};
Types stacked_operands() {
  Types types = {f32({7, 3, 5}), f32({4, 3, 4}), f32({4, 3, 4})};
  for (const std::int64_t width : {5, 5, 8, 8}) {
    for (const Shape& shape : {Shape{16, width}, Shape{16, 4}, Shape{16}, Shape{16}}) {
      types.push_back(f32(shape));
    }
  }
  return types;
}

TEST(InferRecurrent, SequenceOfTheLastLayerAndStatesOfAll) {
  EXPECT_EQ(infer_types(stacked, stacked_operands()),
            (Types{f32({7, 3, 8}), f32({4, 3, 4}), f32({4, 3, 4})}));
  const Recurrent plain{.cell = RecurrentCell::rnn_tanh, .batch_first = true, .bias = false};
  EXPECT_EQ(infer_types(plain, Types{f32({3, 7, 5}), f32({4, 5}), f32({4, 4})}),
            (Types{f32({3, 7, 4}), f32({1, 3, 4})}));
}

TEST(InferRecurrent, NamesTheOperandAtFault) {
  Types types = stacked_operands();
  types[11] = f32({16, 5});  // of layer 1, which reads both directions of layer 0
  EXPECT_THAT(error_of(stacked, types),
              HasSubstr("input weight of recurrent layers is 16x5, not 16x8"));
  types = stacked_operands();
  types[2] = f32({2, 3, 4});
  EXPECT_THAT(error_of(stacked, types), HasSubstr("state of recurrent layers is 2x3x4, not 4x3x4"));
  types = stacked_operands();
  types.back() = {DType::f16, {16}};
  EXPECT_THAT(error_of(stacked, types), HasSubstr("layers on f32 with a bias of f16"));
  types.pop_back();
  EXPECT_THAT(error_of(stacked, types), HasSubstr("operand 18 (bias) is missing"));
  EXPECT_THAT(error_of(stacked, {f32({7, 5})}), HasSubstr("7x5, not rank 3"));
}

TEST(InferOpaque, ItsOwnTypes) {
  const Opaque op{"com.acme", "Fold", {{2, 3}, {}}, {DType::f16, DType::i64}};
  EXPECT_EQ(infer_types(op, Types{f32({7})}), (Types{{DType::f16, {2, 3}}, i64({})}));
}

TEST(InferAllTypes, NamesTheNodeAtFault) {
  Graph graph;
  graph.values = {{"x", ValueKind::input, f32({2, 3}), -1}, {"y", ValueKind::result, {}, 0}};
  graph.nodes = {{"head.view", Reshape{{3, 2}}, {0}, {1}}};
  graph.inputs = {0};
  graph.outputs = {1};
  infer_all_types(graph);
  EXPECT_EQ(graph.type(1), f32({3, 2}));
  graph.value(0).type.shape = {2, 4};
  try {
    infer_all_types(graph);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("node 'head.view'"));
  }
}

}  // namespace
}  // namespace rooflab::graph
