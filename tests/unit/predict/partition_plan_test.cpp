#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/predict/predicted_scaling.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::predict {
namespace {

using graph::GraphBuilder;
using graph::NodeId;
using graph::UnaryFunction;
using graph::ValueId;
using schedule::Pass;
using schedule::Schedule;
using testing::ElementsAre;
using testing::HasSubstr;

/// `layers` sigmoids after a linear layer; every value is 4000 bytes at a batch of 1000.
graph::Graph sigmoid_chain(int layers) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {1000, 1});
  x = b.linear(x, "fc", 1, false);
  for (int i = 1; i < layers; ++i) x = b.unary(x, UnaryFunction::sigmoid, "s" + std::to_string(i));
  return std::move(b).finish({x});
}

/// Forward ops take `seconds` at a batch of 1000 and in proportion at others, backward ones twice
/// that; loss and optimizer nothing.
StageDevice device(const std::string& name, double seconds, std::int64_t memory = 1'000'000'000) {
  return {.name = name,
          .memory = Bytes(memory),
          .op_times =
              [seconds](const Schedule& schedule) {
                const double each = seconds * static_cast<double>(schedule.graph.batch()) / 1000.0;
                std::vector<double> times;
                for (const schedule::ScheduledOp& op : schedule.ops) {
                  const bool computes = std::holds_alternative<schedule::NodeWork>(op.work);
                  const bool forward = op.pass == Pass::forward;
                  const bool backward = op.pass == Pass::data_gradient;
                  times.push_back(!computes ? 0.0 : forward ? each : backward ? 2 * each : 0.0);
                }
                return times;
              },
          .library = {}};
}

PartitionRequest request(graph::Graph network, std::vector<StageDevice> devices,
                         Phase phase = Phase::inference) {
  PartitionRequest result;
  result.graph = std::move(network);
  result.lowering.phase = phase;
  result.devices = std::move(devices);
  result.link.bandwidth = 4e6;  // 4000 bytes in 1 ms
  result.link.latency_s = 0.001;
  return result;
}

// Twelve layers of 1 s: 6 and 6; the second also receives 4000 bytes in 2 ms.
TEST(PartitionPlan, BalancesEqualDevices) {
  const PartitionOutcome outcome =
      plan_partition(request(sigmoid_chain(12), {device("a", 1.0), device("b", 1.0)}));
  ASSERT_TRUE(outcome.plan.has_value());
  const PartitionPlan& plan = *outcome.plan;
  EXPECT_THAT(plan.cuts, ElementsAre(6));
  ASSERT_EQ(plan.stages.size(), 2U);
  EXPECT_DOUBLE_EQ(plan.stages[0].forward.value, 6.0);
  EXPECT_DOUBLE_EQ(plan.stages[0].transfer.value, 0.0);
  EXPECT_DOUBLE_EQ(plan.stages[1].transfer.value, 0.002);
  EXPECT_EQ(plan.stages[1].received, Bytes(4000));
  EXPECT_EQ(plan.stages[0].first, "fc");
  EXPECT_EQ(plan.stages[0].last, "s5");
  EXPECT_EQ(plan.stages[1].first, "s6");
  EXPECT_DOUBLE_EQ(plan.sequential.value, 12.002);
  EXPECT_DOUBLE_EQ(plan.pipelined.value, 12.002);
  EXPECT_DOUBLE_EQ(plan.bubble, 0.5);
}

// One device three times as fast: 3 and 9 layers of 1 and 1/3 s.
TEST(PartitionPlan, GivesTheFasterDeviceMore) {
  const PartitionOutcome outcome =
      plan_partition(request(sigmoid_chain(12), {device("slow", 3.0), device("fast", 1.0)}));
  EXPECT_THAT(outcome.plan.value().cuts, ElementsAre(3));
}

// 9,000 layers of 1 s: the best cut is at 4,500; pieces are of two or three layers.
TEST(PartitionPlan, OfVeryManyCutsSomeAreCompared) {
  const PartitionOutcome outcome =
      plan_partition(request(sigmoid_chain(9000), {device("a", 1.0), device("b", 1.0)}));
  EXPECT_EQ(outcome.possible_cuts, 8999U);
  EXPECT_LE(outcome.considered_cuts, 4096U);
  EXPECT_GE(outcome.considered_cuts, 4000U);
  EXPECT_NEAR(outcome.plan.value().cuts.front(), 4500, 3);
}

// Stages of 70,000 layers: to ask for the memory of each takes so long that few cuts are compared.
TEST(LongPartitionPlan, WhereMemoryDecidesFewCutsOfAVeryLongNetworkAreCompared) {
  constexpr std::int64_t layers = 70'000;
  constexpr std::int64_t of_a_layer = 4000;
  const PartitionOutcome outcome = plan_partition(
      request(sigmoid_chain(layers), {device("a", 1.0, layers * of_a_layer / 4), device("b", 1.0)},
              Phase::training));
  EXPECT_EQ(outcome.considered_cuts, 32U);
  ASSERT_TRUE(outcome.plan);
  EXPECT_LE(outcome.plan->stages[0].memory.total, Bytes(layers * of_a_layer / 4));
  EXPECT_GT(outcome.plan->cuts.front(), layers / 10);
}

// In training a layer takes 3 s (the first, without a data gradient, 1 s), and the gradient of what
// crosses comes back over the link: 2 ms each way.
TEST(PartitionPlan, TrainingCountsTheWayBack) {
  const PartitionOutcome outcome = plan_partition(
      request(sigmoid_chain(7), {device("a", 1.0), device("b", 1.0)}, Phase::training));
  const PartitionPlan& plan = outcome.plan.value();
  EXPECT_THAT(plan.cuts, ElementsAre(4));
  EXPECT_DOUBLE_EQ(plan.stages[0].forward.value, 4.0);
  EXPECT_DOUBLE_EQ(plan.stages[0].backward.value, 6.0);
  EXPECT_EQ(plan.stages[0].returned, Bytes(4000));
  EXPECT_DOUBLE_EQ(plan.stages[0].transfer.value, 0.002);
  EXPECT_DOUBLE_EQ(plan.stages[1].backward.value, 6.0);
  EXPECT_EQ(plan.stages[1].returned, Bytes(0));
}

// GPipe's figure: M + S - 1 stage times when all are equal; here 4 + 3 - 1 = 6 of 1 s forward and
// of 2 s backward.
TEST(PartitionPlan, EqualStagesTakeGPipesTime) {
  EXPECT_DOUBLE_EQ(pipeline_time({1, 1, 1}, {2, 2, 2}, 4), 6.0 + 12.0);
  EXPECT_DOUBLE_EQ(pipeline_time({1, 1, 1}, {0, 0, 0}, 1), 3.0);
  // The slowest stage sets the pace: 1 to get there, 5 x 3, 1 to leave.
  EXPECT_DOUBLE_EQ(pipeline_time({1, 3, 1}, {0, 0, 0}, 5), 17.0);
}

// 8 micro-batches of 125: forward 0.125 s a layer. Two stages of 4 layers take 0.5 s, 9 of them
// 4.5 s, plus transfers of 500 bytes (1.125 ms), all of the second stage.
TEST(PartitionPlan, MicroBatchesFillThePipeline) {
  PartitionRequest asked = request(sigmoid_chain(8), {device("a", 1.0), device("b", 1.0)});
  asked.micro_batches = 8;
  const PartitionPlan plan = plan_partition(asked).plan.value();
  EXPECT_EQ(plan.micro_batch, 125);
  EXPECT_THAT(plan.cuts, ElementsAre(4));
  EXPECT_NEAR(plan.pipelined.value, 9 * 0.5 + 8 * 0.001125, 1e-12);
  EXPECT_NEAR(plan.sequential.value, 8.002, 1e-12);
  EXPECT_DOUBLE_EQ(plan.bubble, 1.0 / 9.0);
  asked.micro_batches = 7;
  EXPECT_THROW((void)plan_partition(asked), Error);
}

// Forward keeps every result of a sigmoid: 12 values; a segment of 2 MiB holds them all, so larger
// ones are needed: 5,000,000 rows are 20,000,000 bytes a value, 20 MiB with rounding.
graph::Graph large_chain(int layers) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {5'000'000, 1});
  x = b.linear(x, "fc", 1, false);
  for (int i = 1; i < layers; ++i) x = b.unary(x, UnaryFunction::sigmoid, "s" + std::to_string(i));
  return std::move(b).finish({x});
}

TEST(PartitionPlan, MemoryMovesTheCut) {
  constexpr std::int64_t mebibyte = 1 << 20;
  const auto plan_with = [&](std::int64_t first, std::int64_t second) {
    return plan_partition(request(
        large_chain(12), {device("a", 1.0, first), device("b", 1.0, second)}, Phase::forward));
  };
  const PartitionPlan balanced = plan_with(1000 * mebibyte, 1000 * mebibyte).plan.value();
  EXPECT_THAT(balanced.cuts, ElementsAre(6));
  const PartitionPlan small_first = plan_with(100 * mebibyte, 1000 * mebibyte).plan.value();
  EXPECT_LT(small_first.cuts.front(), 6);
  EXPECT_LE(small_first.stages[0].memory.total, Bytes(100 * mebibyte));
  const PartitionPlan small_second = plan_with(1000 * mebibyte, 100 * mebibyte).plan.value();
  EXPECT_GT(small_second.cuts.front(), 6);
  EXPECT_LE(small_second.stages[1].memory.total, Bytes(100 * mebibyte));
}

// What it says would be enough is enough, and a tenth less is not.
TEST(PartitionPlan, SaysTheLeastMemoryWhenNothingFits) {
  const auto plan_with = [&](std::int64_t memory) {
    return plan_partition(request(
        large_chain(12), {device("a", 1.0, memory), device("b", 1.0, memory)}, Phase::forward));
  };
  const PartitionOutcome none = plan_with(50'000'000);
  EXPECT_FALSE(none.plan.has_value());
  ASSERT_TRUE(none.least_memory.has_value());
  EXPECT_TRUE(plan_with(none.least_memory->value()).plan.has_value());
  EXPECT_FALSE(plan_with(none.least_memory->value() * 9 / 10).plan.has_value());
}

// A context of 1 GB is only assumed: without it the tensors have room, so it may run.
TEST(PartitionPlan, WhatMayRunIsPlannedToo) {
  StageDevice small = device("a", 1.0, 500'000'000);
  small.library = [](const Schedule&) {
    LibraryMemory library;
    library.context = library.most_context = Bytes(1'000'000'000);
    library.context_source = "others";
    return library;
  };
  const PartitionOutcome outcome =
      plan_partition(request(large_chain(12), {small, small}, Phase::forward));
  ASSERT_TRUE(outcome.plan.has_value());
  for (const PlannedStage& stage : outcome.plan->stages) {
    EXPECT_GT(stage.memory.total, Bytes(500'000'000));
    EXPECT_EQ(stage.fit.verdict, Verdict::risky);
  }
}

// The best of all cuts, against trying every one.
TEST(PartitionPlan, IsTheBestOfAllCuts) {
  const PartitionRequest asked =
      request(zoo::build("alexnet", {.batch = 2}),
              {device("a", 1.0), device("b", 2.0), device("c", 0.5)}, Phase::training);
  const auto longest = [](const PartitionPlan& plan) {
    double time = 0.0;
    for (const PlannedStage& stage : plan.stages) time = std::max(time, stage.time().value);
    return time;
  };
  const std::vector<NodeId> possible = graph::possible_cuts(asked.graph);
  double best = 1e300;
  for (std::size_t i = 0; i < possible.size(); ++i) {
    for (std::size_t k = i + 1; k < possible.size(); ++k) {
      best = std::min(best, longest(plan_for_cuts(asked, {possible[i], possible[k]})));
    }
  }
  EXPECT_NEAR(longest(plan_partition(asked).plan.value()), best, 1e-12);
}

// Stages share a network's parameters out; none is lost and none counted twice.
TEST(PartitionPlan, MemoryOfStagesIsThatOfTheirParts) {
  const graph::Graph network = zoo::build("resnet18", {.batch = 4});
  const PartitionRequest asked =
      request(network, {device("a", 1.0), device("b", 1.0)}, Phase::training);
  const PartitionPlan plan = plan_partition(asked).plan.value();
  const MemoryEstimate whole =
      estimate_memory(schedule::lower(network, {.phase = Phase::training}));
  EXPECT_EQ(plan.stages[0].memory.parameters + plan.stages[1].memory.parameters, whole.parameters);
  EXPECT_EQ(plan.stages[0].memory.gradients + plan.stages[1].memory.gradients, whole.gradients);
  EXPECT_EQ(plan.stages[0].memory.optimizer + plan.stages[1].memory.optimizer, whole.optimizer);
  for (const PlannedStage& stage : plan.stages) {
    EXPECT_LT(stage.memory.allocated_peak, whole.allocated_peak);
  }
}

TEST(PartitionPlan, RefusesMoreDevicesThanStages) {
  try {
    (void)plan_partition(
        request(sigmoid_chain(2), {device("a", 1.0), device("b", 1.0), device("c", 1.0)}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("too few for 3 devices"));
  }
}

}  // namespace
}  // namespace rooflab::predict
