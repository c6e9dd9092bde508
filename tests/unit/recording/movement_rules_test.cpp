#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recording_text.hpp"

namespace rooflab::recording {
namespace {

using testing::ElementsAre;

TEST(MovementRules, ViewsDoNoWork) {
  RecordingText text;
  const int x = text.input("f32", {6, 8});
  text.op("aten.t", {x}, {text.view(x, "f32", {8, 6}, {1, 8})});
  text.op("aten.view", {x}, {text.view(x, "f32", {48})});
  text.op("aten.split", {x}, {{text.view(x, "f32", {3, 8}), text.view(x, "f32", {3, 8})}});
  text.op("aten.expand", {x}, {text.view(x, "f32", {2, 6, 8}, {0, 8, 1})});
  text.op("aten.unsqueeze_", {x}, {text.view(x, "f32", {1, 6, 8})}, R"("dim":0)",
          R"(,"writes":[0])");
  const schedule::Schedule s = text.lowered();
  ASSERT_EQ(s.ops.size(), 5);
  for (const schedule::ScheduledOp& op : s.ops) {
    EXPECT_TRUE(std::holds_alternative<schedule::ViewWork>(op.work)) << s.name_of(op);
    EXPECT_EQ(cost::cost_of(s, op)->bytes(), Bytes(0));
  }
}

// An op with the name of a view that made a copy, as reshape does of strides.
TEST(MovementRules, ACopyIsNoView) {
  RecordingText text;
  const int x = text.input("f32", {6, 8});
  const int turned = text.view(x, "f32", {8, 6}, {1, 8});
  text.op("aten.clone", {turned}, {text.tensor("f32", {8, 6})}, R"("memory_format":"contiguous")");
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward contiguous: 0 + 0 FLOPs, 192 + 192 B"));
}

TEST(MovementRules, CopiesBetweenHostAndDevice) {
  RecordingText text;
  const int x = text.input("f32", {6, 8});
  const int y = text.tensor("f32", {6, 8});
  text.device = "cpu";
  const int host = text.tensor("f32", {6, 8});
  text.device = "cuda:0";
  text.op("aten._to_copy", {x}, {host}, R"("device":"cpu")");
  text.op("aten.copy_", {host, x}, {host}, R"("non_blocking":true)", R"(,"writes":[0])");
  text.op("aten._to_copy", {host}, {y}, R"("device":"cuda:0")");
  text.op("aten.add", {host, host}, {host});  // the host's alone
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward _to_copy: 0 + 0 FLOPs, 192 + 192 B, the host waits",
                          "forward copy: 0 + 0 FLOPs, 192 + 192 B",
                          "forward _to_copy: 0 + 0 FLOPs, 0 + 192 B"));
}

TEST(MovementRules, ConcatenationAndPadding) {
  RecordingText text;
  const int x = text.input("f32", {6, 8});
  text.op("aten.cat", {{x, x}}, {text.tensor("f32", {12, 8})}, R"("dim":0)");
  text.op("aten.stack", {{x, x}}, {text.tensor("f32", {2, 6, 8})}, R"("dim":0)");
  text.op("aten.constant_pad_nd", {x}, {text.tensor("f32", {6, 10})}, R"("pad":[1,1],"value":0)");
  text.op("aten.roll", {x}, {text.tensor("f32", {6, 8})}, R"("shifts":[1,1],"dims":[0,1])");
  text.op("aten.tril", {x}, {text.tensor("f32", {6, 8})});
  // roll takes one pass over the data for each axis.
  EXPECT_THAT(entry_lines(text.lowered()), ElementsAre("forward concat: 0 + 0 FLOPs, 384 + 384 B",
                                                       "forward concat: 0 + 0 FLOPs, 384 + 384 B",
                                                       "forward pad: 0 + 0 FLOPs, 192 + 240 B",
                                                       "forward roll: 0 + 0 FLOPs, 192 + 192 B",
                                                       "forward roll: 0 + 0 FLOPs, 192 + 192 B",
                                                       "forward tril: 0 + 0 FLOPs, 192 + 192 B"));
}

// [1, 2, 4, 4] to [1, 2, 8, 8]: bilinear takes 3 interpolations of 3 FLOPs for each of 128 results.
TEST(MovementRules, Interpolation) {
  RecordingText text;
  const int x = text.input("f32", {1, 2, 4, 4});
  const int y = text.tensor("f32", {1, 2, 8, 8});
  text.op("aten.upsample_nearest2d", {x}, {y}, R"("output_size":[8,8])");
  text.op("aten.upsample_bilinear2d", {x}, {y}, R"("output_size":[8,8],"align_corners":false)");
  text.at("backward");
  text.op("aten.upsample_bilinear2d_backward", {y}, {text.tensor("f32", {1, 2, 4, 4})},
          R"("output_size":[8,8],"align_corners":false)");
  const schedule::Schedule s = text.lowered();
  EXPECT_THAT(entry_lines(s), ElementsAre("forward resize: 0 + 0 FLOPs, 128 + 512 B",
                                          "forward resize: 0 + 1152 FLOPs, 128 + 512 B",
                                          "data_gradient resize: 0 + 1152 FLOPs, 512 + 128 B"));
  EXPECT_EQ(s.ops[2].node, s.ops[1].node);
}

TEST(MovementRules, DataMadeFromNothing) {
  RecordingText text;
  text.op("aten.empty", {}, {text.tensor("f32", {6, 8})});
  text.op("aten.zeros", {}, {text.tensor("f32", {6, 8})});
  text.op("aten.normal_", {1}, {1}, "", R"(,"writes":[0])");
  text.op("aten.fill_", {1}, {1}, "", R"(,"writes":[0])");
  const schedule::Schedule s = text.lowered();
  ASSERT_EQ(s.ops.size(), 4);
  EXPECT_TRUE(std::holds_alternative<schedule::ViewWork>(s.ops[0].work));  // memory alone
  EXPECT_THAT(entry_lines(s), ElementsAre("forward fill: 0 + 0 FLOPs, 0 + 192 B",
                                          "forward random: 0 + 0 FLOPs, 0 + 192 B",
                                          "forward fill: 0 + 0 FLOPs, 0 + 192 B"));
}

// ---- reductions and pooling
// ----------------------------------------------------------------------

TEST(ReductionRules, ReductionsOfAxes) {
  RecordingText text;
  const int x = text.input("f32", {6, 8});
  text.op("aten.sum", {x}, {text.tensor("f32", {8})}, R"("dim":[0])");
  text.op("aten.mean", {x}, {text.tensor("f32", {6, 1})}, R"("dim":[-1],"keepdim":true)");
  text.op("aten.argmax", {x}, {text.tensor("i64", {6})}, R"("dim":1)");
  text.op("aten.linalg_vector_norm", {x}, {text.tensor("f32", {})}, R"("ord":2)");
  text.op("aten.cumsum", {x}, {text.tensor("f32", {6, 8})}, R"("dim":1)");
  text.op("aten.topk", {x}, {text.tensor("f32", {6, 2}), text.tensor("i64", {6, 2})}, R"("k":2)");
  EXPECT_THAT(entry_lines(text.lowered()), ElementsAre("forward sum: 0 + 40 FLOPs, 192 + 32 B",
                                                       "forward mean: 0 + 48 FLOPs, 192 + 24 B",
                                                       "forward arg_max: 0 + 42 FLOPs, 192 + 48 B",
                                                       "forward l2: 0 + 96 FLOPs, 192 + 4 B",
                                                       "forward cumsum: 0 + 48 FLOPs, 192 + 192 B",
                                                       "forward topk: 0 + 48 FLOPs, 192 + 144 B"));
}

// [1, 2, 4, 4] to [1, 2, 2, 2], windows of 2 x 2: 3 comparisons or 4 FLOPs a result.
TEST(ReductionRules, Pooling) {
  RecordingText text;
  const int x = text.input("f32", {1, 2, 4, 4});
  const int y = text.tensor("f32", {1, 2, 2, 2});
  const int places = text.tensor("i64", {1, 2, 2, 2});
  text.op("aten.max_pool2d_with_indices", {x}, {y, places}, R"("kernel_size":[2,2])");
  text.op("aten.avg_pool2d", {x}, {y}, R"("kernel_size":[2,2],"stride":[2,2])");
  text.op("aten._adaptive_avg_pool2d", {x}, {y}, R"("output_size":[2,2])");
  text.at("backward");
  const int dx = text.tensor("f32", {1, 2, 4, 4});
  text.op("aten.max_pool2d_with_indices_backward", {y, x, places}, {dx}, R"("kernel_size":[2,2])");
  text.op("aten.avg_pool2d_backward", {y, x}, {dx}, R"("kernel_size":[2,2],"stride":[2,2])");
  text.op("aten._adaptive_avg_pool2d_backward", {y, x}, {dx});
  const schedule::Schedule s = text.lowered();
  EXPECT_THAT(entry_lines(s),
              ElementsAre("forward max_pool2d: 0 + 24 FLOPs, 128 + 96 B",
                          "forward avg_pool2d: 0 + 32 FLOPs, 128 + 32 B",
                          "forward adaptive_avg_pool2d: 0 + 32 FLOPs, 128 + 32 B",
                          "data_gradient max_pool2d: 0 + 8 FLOPs, 96 + 128 B",
                          "data_gradient avg_pool2d: 0 + 40 FLOPs, 32 + 128 B",
                          "data_gradient adaptive_avg_pool2d: 0 + 32 FLOPs, 32 + 128 B"));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(s.ops[i].node, s.ops[i + 3].node) << i;
}

}  // namespace
}  // namespace rooflab::recording
