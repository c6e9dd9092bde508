// The kernels of loss scaling in a step of a linear layer of 4 x 3 + 3 = 15 parameters, as
// torch.amp.GradScaler runs them, and what they read and write, by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::schedule {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

graph::Graph network() {
  graph::GraphBuilder b("net");
  const graph::ValueId x = b.linear(b.input("input", {2, 4}), "fc", 3);
  return std::move(b).finish({x});
}

Schedule trained(Precision precision, bool takes_gradients = false) {
  return lower(network(), {.phase = Phase::training,
                           .precision = precision,
                           .optimizer = Optimizer::sgd,
                           .takes_gradients = takes_gradients});
}

std::int64_t bytes(const Schedule& schedule, const std::vector<TensorId>& tensors) {
  Bytes sum;
  for (const TensorId id : tensors) sum += schedule.tensor(id).distinct_bytes();
  return sum.value();
}

/// `loss loss * scale 8 4`: pass, step, bytes read and written.
std::vector<std::string> scaling(const Schedule& schedule) {
  std::vector<std::string> lines;
  for (const ScheduledOp& op : schedule.ops) {
    if (!std::holds_alternative<GradScalerWork>(op.work)) continue;
    lines.push_back(format("{} {} {} {}", name_of(op.pass), schedule.name_of(op),
                           bytes(schedule, op.reads), bytes(schedule, op.writes)));
  }
  return lines;
}

TEST(GradScalerRules, AStepScalesUnscalesAndUpdates) {
  EXPECT_THAT(scaling(trained(Precision::amp_fp16)),
              ElementsAre("loss loss * scale 8 4", "loss loss gradient * scale 8 4",
                          "optimizer scale to fp64 4 8", "optimizer 1 / scale 8 8",
                          "optimizer 1 / scale to fp32 8 4", "optimizer found_inf = 0 0 4",
                          "optimizer copy found_inf 4 4", "optimizer copy 1 / scale 4 4",
                          // Every gradient once in and once out, and the factor.
                          "optimizer unscale 64 60", "optimizer read found_inf 4 0",
                          // Scale, growth tracker and flag; the first two are written.
                          "optimizer update scale 12 8"));
}

TEST(GradScalerRules, Bf16HasTheRangeOfFp32) {
  EXPECT_THAT(scaling(trained(Precision::amp)), IsEmpty());
  EXPECT_THAT(scaling(trained(Precision::amp_bf16)), IsEmpty());
  EXPECT_THAT(scaling(trained(Precision::fp16)), IsEmpty());
}

TEST(GradScalerRules, OnlyTrainingScales) {
  for (const Phase phase : {Phase::inference, Phase::forward}) {
    EXPECT_THAT(scaling(lower(network(), {.phase = phase, .precision = Precision::amp_fp16})),
                IsEmpty());
  }
}

// Its gradients arrive scaled, and the stage with the loss updates the scale.
TEST(GradScalerRules, AStageWithoutTheLossUnscalesItsOwn) {
  const std::vector<std::string> lines = scaling(trained(Precision::amp_fp16, true));
  EXPECT_EQ(lines.front(), "optimizer scale to fp64 4 8");
  EXPECT_EQ(lines.back(), "optimizer read found_inf 4 0");
}

TEST(GradScalerRules, TheOptimizerRunsBetweenTheFlagAndTheUpdate) {
  const Schedule schedule = trained(Precision::amp_fp16);
  const std::size_t last = schedule.ops.size() - 1;
  EXPECT_EQ(schedule.name_of(schedule.ops[last - 2]), "read found_inf");
  EXPECT_TRUE(schedule.ops[last - 2].host_waits());
  EXPECT_EQ(schedule.name_of(schedule.ops[last - 1]), "p += -lr * g");
  EXPECT_EQ(schedule.name_of(schedule.ops[last]), "update scale");
  EXPECT_FALSE(schedule.ops[last].host_waits());
}

// The same ops in the same order, fp16 for bf16: the lists of autocast are those of both types.
TEST(GradScalerRules, WithoutThemTheStepIsThatOfBf16) {
  const auto listing = [](const Schedule& schedule) {
    std::vector<std::string> lines;
    for (const ScheduledOp& op : schedule.ops) {
      if (std::holds_alternative<GradScalerWork>(op.work)) continue;
      lines.push_back(format("{} {} {} {}", name_of(op.pass), schedule.name_of(op),
                             bytes(schedule, op.reads), bytes(schedule, op.writes)));
    }
    return lines;
  };
  EXPECT_EQ(listing(trained(Precision::amp_fp16)), listing(trained(Precision::amp)));
  EXPECT_EQ(listing(trained(Precision::amp_bf16)), listing(trained(Precision::amp)));
}

}  // namespace
}  // namespace rooflab::schedule
