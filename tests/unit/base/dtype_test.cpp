#include <gtest/gtest.h>

#include "rooflab/base/precision.hpp"

namespace rooflab {
namespace {

TEST(DType, Sizes) {
  EXPECT_EQ(size_of(DType::f64), 8);
  EXPECT_EQ(size_of(DType::f32), 4);
  EXPECT_EQ(size_of(DType::f16), 2);
  EXPECT_EQ(size_of(DType::bf16), 2);
  EXPECT_EQ(size_of(DType::f8), 1);
  EXPECT_EQ(size_of(DType::i64), 8);
  EXPECT_EQ(size_of(DType::u16), 2);
  EXPECT_EQ(size_of(DType::boolean), 1);
}

TEST(DType, Names) {
  EXPECT_EQ(name_of(DType::bf16), "bf16");
  EXPECT_EQ(name_of(DType::boolean), "bool");
  EXPECT_EQ(from_name<DType>("f16"), DType::f16);
  EXPECT_EQ(from_name<DType>("u32"), DType::u32);
  EXPECT_EQ(from_name<DType>("bool"), DType::boolean);
  EXPECT_EQ(from_name<DType>("float"), std::nullopt);
  EXPECT_EQ(from_name<DType>(""), std::nullopt);
}

TEST(DType, Floating) {
  EXPECT_TRUE(is_floating(DType::bf16));
  EXPECT_TRUE(is_floating(DType::f8));
  EXPECT_FALSE(is_floating(DType::i64));
  EXPECT_FALSE(is_floating(DType::boolean));
}

TEST(Promote, AsPyTorchDoes) {
  EXPECT_EQ(promote(DType::f32, DType::f32), DType::f32);
  EXPECT_EQ(promote(DType::f16, DType::f32), DType::f32);
  EXPECT_EQ(promote(DType::f64, DType::bf16), DType::f64);
  EXPECT_EQ(promote(DType::f16, DType::bf16), DType::f32);
  EXPECT_EQ(promote(DType::i64, DType::f16), DType::f16);
  EXPECT_EQ(promote(DType::i32, DType::i64), DType::i64);
  EXPECT_EQ(promote(DType::boolean, DType::u8), DType::u8);
  EXPECT_EQ(promote(DType::boolean, DType::boolean), DType::boolean);
  EXPECT_EQ(promote(DType::u8, DType::i8), DType::i16);
}

}  // namespace
}  // namespace rooflab
