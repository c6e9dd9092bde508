#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.hpp"
#include "recording_text.hpp"

// Two parameters of 4 and 6 elements: 40 bytes in fp32.

namespace rooflab::recording {
namespace {

using schedule::Optimizer;
using testing::ElementsAre;

struct Lists {
  int p0, p1, g0, g1, m0, m1;
};

Lists lists(RecordingText& text) {
  const auto state = [&text](std::int64_t size, std::string_view role) {
    return text.tensor("f32", {size}, format(R"(,"role":"{}","before":true)", role));
  };
  return {text.parameter("f32", {4}), text.parameter("f32", {6}), state(4, "gradient"),
          state(6, "gradient"),       state(4, "optimizer"),      state(6, "optimizer")};
}

TEST(OptimizerRules, SgdWithMomentumIsThreePasses) {
  RecordingText text;
  const Lists a = lists(text);
  text.line(R"({"optimizer":"SGD","options":{"lr":0.1,"momentum":0.9,"nesterov":false}})");
  text.at("optimizer");
  text.op("aten._foreach_mul_", {{a.m0, a.m1}}, {}, R"("scalar":0.9)", R"(,"writes":[0])");
  text.op("aten._foreach_add_", {{a.m0, a.m1}, {a.g0, a.g1}}, {}, "", R"(,"writes":[0])");
  text.op("aten._foreach_add_", {{a.p0, a.p1}, {a.m0, a.m1}}, {}, R"("alpha":-0.1)",
          R"(,"writes":[0])");
  const schedule::Schedule s = text.lowered();
  EXPECT_EQ(s.optimizer, Optimizer::sgd_momentum);
  EXPECT_THAT(entry_lines(s), ElementsAre("optimizer _foreach_mul: 0 + 10 FLOPs, 40 + 40 B",
                                          "optimizer _foreach_add: 0 + 10 FLOPs, 80 + 40 B",
                                          "optimizer _foreach_add: 0 + 20 FLOPs, 80 + 40 B"));
  for (const schedule::ScheduledOp& op : s.ops) {
    EXPECT_EQ(std::get<schedule::OptimizerWork>(op.work).group, 1);
  }
}

TEST(OptimizerRules, TwoStepsOfAnOptimizerAreTwoGroups) {
  RecordingText text;
  const Lists a = lists(text);
  text.line(R"({"optimizer":"SGD","options":{"momentum":0.0}})");
  for (int i = 0; i < 2; ++i) {
    text.at("optimizer");
    text.op("aten._foreach_add_", {{a.p0}, {a.g0}}, {}, R"("alpha":-0.1)", R"(,"writes":[0])");
    text.at("forward");
    text.op("aten.relu", {a.p0}, {text.tensor("f32", {4})});
  }
  const schedule::Schedule s = text.lowered();
  EXPECT_EQ(s.optimizer, Optimizer::sgd);
  ASSERT_EQ(s.ops.size(), 4);
  EXPECT_EQ(std::get<schedule::OptimizerWork>(s.ops[0].work).group, 1);
  EXPECT_EQ(std::get<schedule::OptimizerWork>(s.ops[2].work).group, 2);
}

// 13 FLOPs an element; AdamW 14.
TEST(OptimizerRules, FusedAdamIsOneOp) {
  RecordingText text;
  const Lists a = lists(text);
  text.line(R"({"optimizer":"Adam","options":{"lr":0.001}})");
  text.at("optimizer");
  const int step = text.tensor("f32", {}, R"(,"role":"optimizer","before":true)");
  text.op("aten._fused_adam_",
          {{a.p0, a.p1}, {a.g0, a.g1}, {a.m0, a.m1}, {a.m0, a.m1}, Slot::list({}), {step, step}},
          {}, R"("lr":0.001)", R"(,"writes":[0,1,2,3,4])");
  const schedule::Schedule s = text.lowered();
  EXPECT_EQ(s.optimizer, Optimizer::adam);
  const cost::Cost cost = *cost::cost_of(s, s.ops[0]);
  EXPECT_EQ(cost.vector_flops, Flops(130));
  EXPECT_EQ(s.name_of(s.ops[0]), "_fused_adam");
  EXPECT_EQ(cost.bytes_read, Bytes(4 * 40 + 2 * 4));
  EXPECT_EQ(cost.bytes_written, Bytes(4 * 40));
}

// An optimizer that calibrations do not know: its passes are ops that move bytes.
TEST(OptimizerRules, PassesOfOtherOptimizers) {
  RecordingText text;
  const Lists a = lists(text);
  text.line(R"({"optimizer":"SGD","options":{"momentum":0.9,"nesterov":true}})");
  text.at("optimizer");
  text.op("aten._foreach_addcdiv_", {{a.p0, a.p1}, {a.m0, a.m1}, {a.g0, a.g1}}, {}, "",
          R"(,"writes":[0])");
  const schedule::Schedule s = text.lowered();
  EXPECT_EQ(s.optimizer, Optimizer::none);
  EXPECT_THAT(entry_lines(s), ElementsAre("optimizer _foreach_addcdiv: 0 + 30 FLOPs, 120 + 40 B"));
}

TEST(OptimizerRules, ClippingAndLossScaling) {
  RecordingText text;
  const Lists a = lists(text);
  const int found = text.tensor("f32", {1});
  text.at("other");
  text.op("aten._amp_foreach_non_finite_check_and_unscale_", {{a.g0, a.g1}, found, found}, {}, "",
          R"(,"writes":[0,1])");
  text.op("aten._foreach_norm", {{a.g0, a.g1}}, {{text.tensor("f32", {}), text.tensor("f32", {})}});
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("optimizer unscale: 0 + 10 FLOPs, 40 + 40 B",
                          "optimizer _foreach_norm: 0 + 20 FLOPs, 40 + 8 B"));
}

}  // namespace
}  // namespace rooflab::recording
