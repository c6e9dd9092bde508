// Launches that were counted one by one, outside of steps.

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "counters/profile_reader.hpp"
#include "describe/fields.hpp"
#include "record/record_json.hpp"
#include "rooflab/base/json.hpp"
#include "rooflab/record/counted_groups.hpp"

namespace rooflab::counters {
namespace {

using record::KernelFigure;

/// A program without steps. Kernel `a`: 100 launches of a grid of 10, of which two wrote 8 and 12
/// bytes of DRAM; 50 of a grid of 20, of which one wrote 26; 10 of a grid of 40, never counted.
/// Kernel `b`: one launch without anything known but its time.
record::Record without_steps() {
  return read_profile_text(
      R"({"rooflab_profile":1,"pid":7,"host":"h","mode":"kernels","window":"all","step":"auto"})"
      "\n"
      R"({"device":0,"name":"NVIDIA H200","uuid":"u","chip":"GH100","compute_capability":"9.0"})"
      "\n"
      R"({"kernel":0,"name":"a","grid":[10,1,1],"block":[32,1,1],"registers":null,"shared":null})"
      "\n"
      R"({"kernel":1,"name":"a","grid":[20,1,1],"block":[32,1,1],"registers":null,"shared":null})"
      "\n"
      R"({"kernel":2,"name":"a","grid":[40,1,1],"block":[32,1,1],"registers":null,"shared":null})"
      "\n"
      R"({"kernel":3,"name":"b","grid":[1,1,1],"block":[32,1,1],"registers":null,"shared":null})"
      "\n"
      R"({"set":0,"per":"launch","metrics":["dram__bytes_write.sum","sm__inst_executed_pipe_tensor.sum"]})"
      "\n"
      "[\"g\",0,0,8,0]\n[\"g\",0,0,12,0]\n[\"g\",0,1,26,5]\n"
      "[\"k\",0,0,7,1000,100,1]\n[\"k\",1,0,7,5000,300,2]\n[\"k\",2,0,7,9000,400,3]\n"
      "[\"k\",3,0,7,9500,50,4]\n"
      "{\"untraced\":[2000,4000]}\n"
      "{\"launched\":[100,50,10,1],\"elapsed_ns\":2000000000,\"counting_ns\":100000000}\n"
      "{\"end\":\"exit\",\"kernels\":4}\n",
      "x");
}

TEST(GroupMerge, SumsAreLaunchesTimesTheMeanOfThoseThatWereCounted) {
  const record::Record record = without_steps();
  ASSERT_TRUE(record.counted_groups);
  const record::CountedGroups& groups = *record.counted_groups;
  ASSERT_EQ(groups.groups.size(), 4U);
  EXPECT_EQ(groups.groups[0], (record::GroupLaunches{100, 1, 2}));
  EXPECT_EQ(groups.groups[1], (record::GroupLaunches{50, 1, 1}));
  EXPECT_EQ(groups.groups[2], (record::GroupLaunches{10, 1, 0}));
  EXPECT_DOUBLE_EQ(groups.window_s, 2.0);
  EXPECT_DOUBLE_EQ(groups.held_s, 0.1);
  EXPECT_EQ(groups.totals.at(KernelFigure::dram_write_bytes, 0), 1000.0);
  EXPECT_EQ(groups.totals.at(KernelFigure::dram_write_bytes, 1), 1300.0);
  EXPECT_EQ(groups.totals.at(KernelFigure::dram_write_bytes, 2), std::nullopt);
  EXPECT_NEAR(groups.totals.at(KernelFigure::time_s, 0).value_or(0.0), 100 * 100e-9, 1e-15);
  // s^2 = 8, n = 2, N = 100: 100 sqrt(8 / 2 (1 - 2 / 100)) = 197.99
  EXPECT_NEAR(groups.errors.at(KernelFigure::dram_write_bytes, 0).value_or(0.0),
              100.0 * std::sqrt(8.0 / 2.0 * 0.98), 1e-9);
  EXPECT_EQ(groups.errors.at(KernelFigure::dram_write_bytes, 1), std::nullopt);
}

// R = (10 + 26) / (10 + 20) = 1.2 a block, 400 blocks were not counted: 480. s_d^2 = (10 - 12)^2 +
// (26 - 24)^2 = 8; error 400 / 15 x sqrt(8 / 2) = 53.33.
TEST(GroupMerge, WhatWasNotCountedFollowsFromOtherGrids) {
  const record::CountedGroups groups = *without_steps().counted_groups;
  ASSERT_EQ(groups.estimates.size(), 1U);
  EXPECT_EQ(groups.estimates.name(0), "a");
  EXPECT_NEAR(groups.estimates.at(KernelFigure::dram_write_bytes, 0).value_or(0.0), 480.0, 1e-9);
  EXPECT_NEAR(groups.estimate_errors.at(KernelFigure::dram_write_bytes, 0).value_or(0.0),
              400.0 / 15.0 * 2.0, 1e-9);
}

TEST(GroupMerge, AGroupWithoutTensorInstructionsHasNoTensorWork) {
  const record::CountedGroups groups = *without_steps().counted_groups;
  EXPECT_EQ(groups.totals.at(KernelFigure::tensor_bf16, 0), 0.0);
  EXPECT_EQ(groups.totals.at(KernelFigure::tensor_bf16, 1), std::nullopt);
}

TEST(GroupMerge, MovesOnTheTensorPipeAreNoTensorWork) {
  const record::Record record = read_profile_text(
      R"({"rooflab_profile":1,"pid":42,"mode":"kernels"})"
      "\n"
      R"({"device":0,"name":"NVIDIA H200","uuid":"u","chip":"GH100","compute_capability":"9.0"})"
      "\n"
      R"({"kernel":0,"name":"a","grid":[10,1,1],"block":[32,1,1]})"
      "\n"
      R"({"kernel":1,"name":"b","grid":[10,1,1],"block":[32,1,1]})"
      "\n"
      R"({"set":0,"per":"launch","metrics":["sm__inst_executed_pipe_tensor.sum",)"
      R"("sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum"]})"
      "\n"
      "[\"g\",0,0,64,64]\n[\"g\",0,1,64,60]\n"
      "[\"k\",0,0,7,1000,100,1]\n[\"k\",1,0,7,5000,300,2]\n"
      "{\"launched\":[100,50],\"elapsed_ns\":2000000000,\"counting_ns\":0}\n",
      "x");
  const record::CountedGroups& groups = record.counted_groups.value();
  EXPECT_EQ(groups.totals.at(KernelFigure::tensor_bf16, 0), 0.0);
  EXPECT_EQ(groups.totals.at(KernelFigure::tensor_bf16, 1), std::nullopt);
}

TEST(GroupMerge, SumsTellWhatIsMissing) {
  const record::CountedGroups groups = *without_steps().counted_groups;
  const record::GroupSums sums = record::sums_of(groups, true);
  EXPECT_EQ(sums.launches, 161);
  EXPECT_EQ(sums.groups, 4);
  EXPECT_EQ(sums.once, 1);
  EXPECT_EQ(sums.without, 2);
  EXPECT_NEAR(sums.without_s.value_or(0.0), 10 * 400e-9 + 50e-9, 1e-15);
  // The first group takes 100 x 100 of 29,050 ns. The second used the tensor pipe, and what for was
  // not counted; that it did no matrix work does not follow from the first.
  EXPECT_NEAR(sums.covered_share.value_or(0.0), 10'000.0 / 29'050.0, 1e-9);
  EXPECT_NEAR(sums.known_share.value_or(0.0), 10'000.0 / 29'050.0, 1e-9);
  EXPECT_NEAR(sums.sums.known(KernelFigure::dram_write_bytes).value_or(0.0),
              1000.0 + 1300.0 + 480.0, 1e-9);
}

TEST(GroupMerge, RowsGetTheMeansOfTheirGroupAndNoGapOfTheTrace) {
  const record::Record record = without_steps();
  ASSERT_TRUE(record.kernels && record.kernels->size() == 4U);
  EXPECT_EQ(record.kernels->at(KernelFigure::dram_write_bytes, 0), 10.0);
  EXPECT_EQ(record.kernels->at(KernelFigure::dram_write_bytes, 2), std::nullopt);
  EXPECT_EQ(record.kernels->launch(0).start_ns, 1000);
  EXPECT_EQ(record.kernels->launch(1).start_ns, 3000);  // 2,000 ns were not traced
}

TEST(GroupMerge, SurvivesItsFile) {
  const record::Record record = without_steps();
  std::ostringstream stream;
  record::write_json(stream, record);
  const Json json = Json::parse(stream.str());
  EXPECT_EQ(json["counted_groups"]["launch_groups"][0]["counted_launches"], 2);
  EXPECT_EQ(json["counted_groups"]["group_estimates"].size(), 1U);
}

}  // namespace
}  // namespace rooflab::counters
