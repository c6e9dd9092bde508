// The precision that a network's types say, and what asking for another one makes of it.

#include <gtest/gtest.h>

#include <string>

#include "base/format.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::graph {
namespace {

/// A product of two matrices of these types.
Graph product(std::string_view left, std::string_view right, std::string_view result) {
  return parse_text(format("graph g\ninput %x {}[4x8]\nparameter %w {}[8x2]\n"
                           "m = matmul (%x, %w) -> %y {}[4x2]\noutputs %y\n",
                           left, right, result),
                    "g.graph");
}

Graph product(std::string_view type) { return product(type, type, type); }

TEST(OwnPrecision, IsThatOfTheOneTypeThatIsStoredAndMultiplied) {
  EXPECT_EQ(precision_of(product("f64")), Precision::fp64);
  EXPECT_EQ(precision_of(product("f32")), Precision::fp32);
  EXPECT_EQ(precision_of(product("f16")), Precision::fp16);
  EXPECT_EQ(precision_of(product("bf16")), Precision::bf16);
}

TEST(OwnPrecision, SeveralTypesAreMixed) {
  const Graph graph = parse_text(
      "graph g\ninput %x f16[4x8]\nparameter %w f16[8x2]\n"
      "m = matmul (%x, %w) -> %y f16[4x2]\nc = cast to=f32 (%y) -> %z f32[4x2]\noutputs %z\n",
      "g.graph");
  EXPECT_EQ(precision_of(graph), Precision::mixed);
  // The FP32 part takes another type: all of it is FP16 then.
  EXPECT_EQ(precision_in(graph, Precision::fp16), Precision::fp16);
  EXPECT_EQ(precision_in(graph, Precision::fp64), Precision::mixed);
  EXPECT_TRUE(takes_precision(graph, Precision::fp64));
  EXPECT_FALSE(takes_precision(graph, Precision::fp32));
  EXPECT_FALSE(takes_precision(graph, Precision::tf32));  // no product in FP32
}

TEST(OwnPrecision, IndicesMasksAndSingleNumbersDoNotCount) {
  const Graph graph = parse_text(
      "graph g\ninput %x f16[4x8]\ninput %scale f32[1]\ninput %i i64[4]\noutputs %x, %scale, %i\n",
      "g.graph");
  EXPECT_EQ(precision_of(graph), Precision::fp16);
}

TEST(OwnPrecision, ANetworkWithoutFp32TakesNoOther) {
  for (const std::string_view type : {"f64", "f16", "bf16"}) {
    const Graph graph = product(type);
    const Precision own = precision_of(graph);
    for (const Precision asked :
         {Precision::fp64, Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16,
          Precision::amp, Precision::amp_fp16, Precision::amp_bf16}) {
      EXPECT_EQ(precision_in(graph, asked), own) << type << name_of(asked);
      EXPECT_EQ(takes_precision(graph, asked), asked == own) << type << name_of(asked);
    }
  }
}

TEST(OwnPrecision, OneInFp32TakesEach) {
  const Graph graph = product("f32");
  for (const std::string& name : precisions_to_ask_for()) {
    const Precision asked = *from_name<Precision>(name);
    EXPECT_EQ(precision_in(graph, asked), asked) << name;
    EXPECT_TRUE(takes_precision(graph, asked)) << name;
  }
}

}  // namespace
}  // namespace rooflab::graph
