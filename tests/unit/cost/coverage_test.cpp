#include <gtest/gtest.h>

#include <string>

#include "entry_cost.hpp"
#include "rooflab/cost/cost.hpp"
#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::cost {
namespace {

/// A relu of 1000 x 1000 numbers, 8 MB read and written, and an op without a rule on
/// `unknown` numbers.
Coverage with(const graph::Opaque& op, std::int64_t unknown) {
  graph::GraphBuilder b("net");
  const graph::ValueId x = b.unary(b.input("x", {1000, 1000}), graph::UnaryFunction::relu, "relu");
  const graph::ValueId y = b.add(op, {b.input("y", {unknown})}, "mystery");
  return coverage_of(schedule::lower(std::move(b).finish({x, y}), {}));
}

graph::Opaque named(const std::string& type, std::int64_t results) {
  return {"", type, {{results}}, {DType::f32}};
}

// 40 kB read and 40 kB written of 8.08 MB are 0.99 %.
TEST(Coverage, AHundredthOfTheBytesIsANote) {
  EXPECT_TRUE(with(named("Mystery", 10000), 10000).memory);
  EXPECT_TRUE(with(named("Mystery", 10000), 10000).time);
  EXPECT_FALSE(with(named("Mystery", 10300), 10300).memory);
  EXPECT_FALSE(with(named("Mystery", 10300), 10300).time);
}

TEST(Coverage, OpenExtentsHaveNoBound) {
  graph::Opaque open = named("Mystery", 4);
  open.bounded = false;
  EXPECT_FALSE(with(open, 4).memory);
  EXPECT_FALSE(with(open, 4).time);
}

// What an inverse of a small matrix takes is known, how long it takes is not.
TEST(Coverage, MatrixWorkHasNoTimeHoweverSmall) {
  for (const char* const type :
       {"linalg_svd", "aten::linalg_inv_ex", "_linalg_det", "cholesky_solve", "DeformConv", "Det",
        "FusedMatMul", "MatMulInteger16", "lu_factor", "geqrf", "BiasGelu_GEMM"}) {
    EXPECT_TRUE(with(named(type, 100), 100).memory) << type;
    EXPECT_FALSE(with(named(type, 100), 100).time) << type;
  }
  for (const char* const type : {"convert_element_type", "NonMaxSuppression", "Unique", "Fold",
                                 "detach", "Inverted", "StringNormalizer", "fft_rfft"}) {
    EXPECT_TRUE(with(named(type, 100), 100).time) << type;
  }
}

}  // namespace
}  // namespace rooflab::cost
