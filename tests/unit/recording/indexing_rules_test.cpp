#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recording_text.hpp"

// A table of [10, 4] in fp32 is 160 bytes, a row 16; six indices in i64 are 48 bytes.

namespace rooflab::recording {
namespace {

using testing::ElementsAre;

TEST(IndexingRules, EmbeddingReadsTheRowsThatAreNamed) {
  RecordingText text;
  const int table = text.parameter("f32", {10, 4});
  const int index = text.input("i64", {2, 3});
  const int y = text.tensor("f32", {2, 3, 4});
  text.op("aten.embedding", {table, index}, {y});
  text.at("backward");
  const int dw = text.tensor("f32", {10, 4});
  text.op("aten.embedding_dense_backward", {y, index}, {dw}, R"("num_weights":10)");
  const schedule::Schedule s = text.lowered();
  // The gradient is zeros, and the rows of dy are added to rows of it: read dy 96 and the indices,
  // write 96.
  EXPECT_THAT(entry_lines(s), ElementsAre("forward gather: 0 + 0 FLOPs, 144 + 96 B",
                                          "weight_gradient fill: 0 + 0 FLOPs, 0 + 160 B",
                                          "weight_gradient gather: 0 + 0 FLOPs, 144 + 96 B"));
  EXPECT_EQ(s.ops[2].node, s.ops[0].node);
}

TEST(IndexingRules, EmbeddingBagSumsRows) {
  RecordingText text;
  const int table = text.parameter("f32", {10, 4});
  const int index = text.input("i64", {6});
  const int bags = text.input("i64", {2});
  const int y = text.tensor("f32", {2, 4});
  text.op("aten._embedding_bag", {table, index, bags, nullptr}, {y, nullptr, nullptr, nullptr},
          R"("mode":0)");
  text.at("backward");
  const int dw = text.tensor("f32", {10, 4});
  text.op("aten._embedding_bag_dense_backward", {y, index, bags, nullptr, nullptr, nullptr}, {dw});
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward _embedding_bag: 0 + 24 FLOPs, 160 + 32 B",
                          "backward fill: 0 + 0 FLOPs, 0 + 160 B",
                          "backward _embedding_bag_dense_backward: 0 + 24 FLOPs, 176 + 96 B"));
}

// Read and written: what the indices name. In place nothing else moves; else all of the data does.
TEST(IndexingRules, ScattersInPlaceAndIntoCopies) {
  RecordingText text;
  const int x = text.tensor("f32", {10, 4});
  const int rows = text.input("i64", {6});
  const int updates = text.input("f32", {6, 4});
  text.op("aten.index_add_", {x, rows, updates}, {x}, R"("dim":0)", R"(,"writes":[0])");
  text.op("aten.index_add", {x, rows, updates}, {text.tensor("f32", {10, 4})}, R"("dim":0)");
  const int places = text.input("i64", {6, 4});
  text.op("aten.scatter_", {x, places, updates}, {x}, R"("dim":0)", R"(,"writes":[0])");
  text.op("aten.index_put_", {x, {rows}, updates}, {x}, R"("accumulate":true)", R"(,"writes":[0])");
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward scatter: 0 + 24 FLOPs, 144 + 96 B",
                          "forward scatter: 0 + 24 FLOPs, 304 + 160 B",
                          "forward scatter: 0 + 0 FLOPs, 288 + 96 B",
                          "forward scatter: 0 + 24 FLOPs, 144 + 96 B"));
}

TEST(IndexingRules, GathersOfRowsAndElements) {
  RecordingText text;
  const int x = text.input("f32", {10, 4});
  const int rows = text.input("i64", {6});
  text.op("aten.index_select", {x, rows}, {text.tensor("f32", {6, 4})}, R"("dim":0)");
  text.op("aten.gather", {x, text.input("i64", {3, 4})}, {text.tensor("f32", {3, 4})},
          R"("dim":0)");
  text.op("aten.index", {x, {rows}}, {text.tensor("f32", {6, 4})});
  const schedule::Schedule s = text.lowered();
  std::vector<std::int64_t> bytes;
  for (const schedule::ScheduledOp& op : s.ops)
    bytes.push_back(cost::cost_of(s, op)->bytes().value());
  EXPECT_THAT(bytes, ElementsAre(48 + 96 + 96, 96 + 48 + 48, 48 + 96 + 96));
}

// Of 40 elements a mask of 40 bytes selects 8: the result's size is known once it was read.
TEST(IndexingRules, TheHostWaitsForTheCountOfAMask) {
  RecordingText text;
  const int x = text.input("f32", {10, 4});
  const int mask = text.input("bool", {10, 4});
  text.op("aten.index", {x, {mask}}, {text.tensor("f32", {8})});
  const schedule::Schedule s = text.lowered();
  EXPECT_TRUE(s.ops[0].host_waits());
  EXPECT_EQ(cost::cost_of(s, s.ops[0])->bytes(), Bytes(40 + 32 + 32));
}

}  // namespace
}  // namespace rooflab::recording
