#include "rooflab/analyze/partition_result.hpp"

#include <gtest/gtest.h>

#include "describe/fields.hpp"

namespace rooflab::analyze {
namespace {

/// Two stages, a batch of 8 in two micro-batches of 4.
PartitionResult planned() {
  PartitionResult result;
  result.model = "net";
  result.batch = 8;
  result.devices = {"a", "b"};
  result.memory = {Bytes(1000), Bytes(2000)};
  predict::PartitionPlan& plan = result.outcome.plan.emplace();
  plan.micro_batches = 2;
  plan.micro_batch = 4;
  plan.pipelined = Seconds{0.004};
  predict::PlannedStage stage;
  stage.device = "a";
  stage.begin = 3;
  stage.end = 7;
  stage.forward = Seconds{0.001};
  stage.backward = Seconds{0.002};
  stage.optimizer = Seconds{0.0005};
  stage.transfer = Seconds{0.0001};
  stage.received = Bytes(100);
  plan.stages = {stage, stage};
  return result;
}

// Two micro-batches: 2 (1 + 2) ms and the optimizer's 0.5 ms once.
TEST(PartitionResult, StagesHaveTheTimesOfAStep) {
  const Json json = to_json(planned());
  const Json stage = json.at("plan").at("stages")[1];
  EXPECT_EQ(stage.at("stage"), 1);
  EXPECT_EQ(stage.at("nodes"), 4);
  EXPECT_DOUBLE_EQ(stage.at("forward_s").get<double>(), 0.002);
  EXPECT_DOUBLE_EQ(stage.at("optimizer_s").get<double>(), 0.0005);
  EXPECT_DOUBLE_EQ(stage.at("predicted_s").get<double>(), 0.0065);
  EXPECT_DOUBLE_EQ(stage.at("transfer_s").get<double>(), 0.0002);
  EXPECT_EQ(stage.at("received_bytes"), 200);
  EXPECT_TRUE(stage.at("median_s").is_null());
  EXPECT_EQ(json.at("devices")[1].at("usable_memory_bytes"), 2000);
  EXPECT_DOUBLE_EQ(json.at("samples_per_s").get<double>(), 2000.0);  // 8 in 4 ms
}

TEST(PartitionResult, WhatRanStandsBesideThePlan) {
  PartitionResult result = planned();
  record::StageRun& run = result.run.emplace();
  run.steps_s = {0.007, 0.008, 0.009};
  run.stages.resize(2);
  run.stages[1].time_s = 0.005;
  run.stages[1].allocated_peak = Bytes(300);
  const Json json = to_json(result);
  const Json stage = json.at("plan").at("stages")[1];
  EXPECT_EQ(stage.at("median_s"), 0.005);
  EXPECT_EQ(stage.at("measured_allocated_peak_bytes"), 300);
  EXPECT_EQ(json.at("median_s"), 0.008);
  EXPECT_DOUBLE_EQ(json.at("time_ratio").get<double>(), 0.5);
  EXPECT_DOUBLE_EQ(json.at("samples_per_s").get<double>(), 1000.0);

  result.run->status = record::Status::oom;  // its figures would pass for those of a whole run
  EXPECT_TRUE(to_json(result).at("plan").at("stages")[1].at("median_s").is_null());
}

TEST(PartitionResult, WithoutAPlanItIsNull) {
  PartitionResult result = planned();
  result.outcome = {.plan = std::nullopt, .least_memory = Bytes(5000)};
  const Json json = to_json(result);
  EXPECT_TRUE(json.at("plan").is_null());
  EXPECT_TRUE(json.at("samples_per_s").is_null());
  EXPECT_EQ(json.at("devices")[0].at("least_memory_bytes"), 5000);
}

}  // namespace
}  // namespace rooflab::analyze
