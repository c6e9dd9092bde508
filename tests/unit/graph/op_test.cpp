#include "rooflab/graph/op.hpp"

#include <gtest/gtest.h>

namespace rooflab::graph {
namespace {

TEST(OpName, ConvolutionsByDimensions) {
  Conv conv;
  conv.kernel = {3};
  EXPECT_EQ(name_of(Op(conv)), "conv1d");
  conv.kernel = {3, 3, 3};
  EXPECT_EQ(name_of(Op(conv)), "conv3d");
  conv.kernel = {3, 3};
  EXPECT_EQ(name_of(Op(conv)), "conv2d");
  conv.transposed = true;
  EXPECT_EQ(name_of(Op(conv)), "conv_transpose2d");
}

TEST(OpName, Pools) {
  Pool pool;
  pool.kernel = {2, 2};
  EXPECT_EQ(name_of(Op(pool)), "max_pool2d");
  pool.kind = PoolKind::average;
  EXPECT_EQ(name_of(Op(pool)), "avg_pool2d");
  EXPECT_EQ(name_of(Op(AdaptivePool{PoolKind::average, {1, 1}})), "adaptive_avg_pool2d");
  EXPECT_EQ(name_of(Op(AdaptivePool{PoolKind::max, {1}})), "adaptive_max_pool1d");
}

TEST(OpName, FunctionsAndUnknownOpsByTheirOwn) {
  EXPECT_EQ(name_of(Op(Unary{UnaryFunction::hardswish})), "hardswish");
  EXPECT_EQ(name_of(Op(Binary{BinaryFunction::mul})), "mul");
  EXPECT_EQ(name_of(Op(Reduce{ReduceFunction::mean, {1}})), "mean");
  EXPECT_EQ(name_of(Op(Softmax{1, true})), "log_softmax");
  EXPECT_EQ(name_of(Op(Concat{1})), "concat");
  EXPECT_EQ(name_of(Op(Recurrent{})), "lstm");
  EXPECT_EQ(name_of(Op(Recurrent{.cell = RecurrentCell::rnn_relu})), "rnn_relu");
  EXPECT_EQ(name_of(Op(Opaque{"com.acme", "Fold", {}, {}})), "Fold");
}

TEST(OpName, FirstAndLastFunctionOfEachTable) {
  EXPECT_EQ(name_of(UnaryFunction::relu), "relu");
  EXPECT_EQ(name_of(UnaryFunction::bitwise_not), "bitwise_not");
  EXPECT_EQ(name_of(UnaryFunction::is_inf), "is_inf");
  EXPECT_EQ(name_of(BinaryFunction::add), "add");
  EXPECT_EQ(name_of(BinaryFunction::bit_shift), "bit_shift");
  EXPECT_EQ(name_of(ReduceFunction::mean), "mean");
  EXPECT_EQ(name_of(ReduceFunction::arg_min), "arg_min");
}

TEST(OpName, FunctionsAreFoundByName) {
  EXPECT_EQ(unary_function_from_name("gelu_tanh"), UnaryFunction::gelu_tanh);
  EXPECT_EQ(binary_function_from_name("greater_equal"), BinaryFunction::greater_equal);
  EXPECT_EQ(reduce_function_from_name("log_sum_exp"), ReduceFunction::log_sum_exp);
  EXPECT_EQ(unary_function_from_name("add"), std::nullopt);
  EXPECT_EQ(binary_function_from_name(""), std::nullopt);
}

TEST(BinaryFunction, ComparisonsAndLogicGiveBool) {
  EXPECT_TRUE(is_comparison(BinaryFunction::equal));
  EXPECT_TRUE(is_comparison(BinaryFunction::greater_equal));
  EXPECT_TRUE(is_comparison(BinaryFunction::logical_xor));
  EXPECT_FALSE(is_comparison(BinaryFunction::prelu));
  EXPECT_FALSE(is_comparison(BinaryFunction::bitwise_and));
}

TEST(OpDefaults, AreThoseOfPyTorchsModules) {
  // torch.nn 2.x: BatchNorm2d, LayerNorm, GroupNorm, LocalResponseNorm, AvgPool2d, LSTM.
  EXPECT_EQ(BatchNorm{}.epsilon, 1e-5);
  EXPECT_EQ(BatchNorm{}.momentum, 0.1);
  EXPECT_EQ(LayerNorm{}.epsilon, 1e-5);
  EXPECT_EQ(GroupNorm{}.epsilon, 1e-5);
  EXPECT_EQ(LocalResponseNorm{}, (LocalResponseNorm{5, 1e-4, 0.75, 1.0}));
  EXPECT_TRUE(Pool{}.padding_counts);
  EXPECT_EQ(Recurrent{}, (Recurrent{RecurrentCell::lstm, 1, false, false, true, false, 0.0}));
  EXPECT_FALSE(Resize{}.align_corners);
  EXPECT_EQ(GridSample{}, (GridSample{GridSampleMode::bilinear, GridSamplePadding::zeros, false}));
}

TEST(OpEquality, ConstantsMakeOpsDifferent) {
  EXPECT_NE(Op(BatchNorm{}), Op(BatchNorm{1e-3}));
  EXPECT_NE(Op(Unary{UnaryFunction::elu}), Op((Unary{UnaryFunction::elu, false, 1.0})));
  EXPECT_NE(Op(Attention{}), Op((Attention{false, 0.5})));
}

TEST(IsView, ViewsOnly) {
  EXPECT_TRUE(is_view(Reshape{}));
  EXPECT_TRUE(is_view(Transpose{}));
  EXPECT_TRUE(is_view(Expand{}));
  EXPECT_TRUE(is_view(Slice{}));
  EXPECT_TRUE(is_view(Split{}));
  EXPECT_FALSE(is_view(Concat{}));
  EXPECT_FALSE(is_view(Contiguous{}));
  EXPECT_FALSE(is_view(Dropout{}));
}

}  // namespace
}  // namespace rooflab::graph
