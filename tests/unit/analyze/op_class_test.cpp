#include <gtest/gtest.h>

#include "rooflab/analyze/case_result.hpp"

namespace rooflab::analyze {
namespace {

TEST(OpClass, Families) {
  using namespace graph;
  EXPECT_EQ(op_class_of(Conv{}), OpClass::convolution);
  EXPECT_EQ(op_class_of(Linear{}), OpClass::matmul);
  EXPECT_EQ(op_class_of(MatMul{}), OpClass::matmul);
  EXPECT_EQ(op_class_of(Attention{}), OpClass::attention);
  EXPECT_EQ(op_class_of(BatchNorm{}), OpClass::normalisation);
  EXPECT_EQ(op_class_of(Unary{UnaryFunction::relu, true}), OpClass::activation);
  EXPECT_EQ(op_class_of(Unary{UnaryFunction::gelu}), OpClass::activation);
  EXPECT_EQ(op_class_of(Unary{UnaryFunction::sqrt}), OpClass::elementwise);
  EXPECT_EQ(op_class_of(Binary{}), OpClass::elementwise);
  EXPECT_EQ(op_class_of(Dropout{}), OpClass::elementwise);
  EXPECT_EQ(op_class_of(Softmax{}), OpClass::activation);
  EXPECT_EQ(op_class_of(Pool{}), OpClass::pooling);
  EXPECT_EQ(op_class_of(AdaptivePool{}), OpClass::pooling);
  EXPECT_EQ(op_class_of(Concat{}), OpClass::copy);
  EXPECT_EQ(op_class_of(Reshape{}), OpClass::copy);
  EXPECT_EQ(op_class_of(GridSample{}), OpClass::copy);
  EXPECT_EQ(op_class_of(Recurrent{}), OpClass::recurrent);
  EXPECT_EQ(op_class_of(Opaque{}), OpClass::other);
}

TEST(OpClass, RowsThatAreNoNode) {
  EXPECT_EQ(op_class_of_row("(loss)"), OpClass::loss);
  EXPECT_EQ(op_class_of_row("(optimizer)"), OpClass::optimizer);
  EXPECT_EQ(op_class_of_row("(other)"), OpClass::other);
}

}  // namespace
}  // namespace rooflab::analyze
