#include "rooflab/record/scale_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "../base/input_error.hpp"
#include "../base/json_place.hpp"
#include "../base/note_matchers.hpp"
#include "base/format.hpp"
#include "describe/schema.hpp"
#include "equal_fields.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::record {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

RankResult full_rank(int number) {
  RankResult rank;
  rank.rank = number;
  rank.host = format("host{}", number);
  rank.device = {"cuda", number, "NVIDIA H200", "GPU-1", Bytes(150'000'000'000), "9.0", 132, "580"};
  rank.steps_s = {0.010 + number, 0.012 + number, 0.011 + number};
  rank.alone_s = 0.009;
  rank.exchange_s = 0.003;
  rank.kernels = RankKernels{0.0115, 0.0125, 0.0035, 0.0025, 0.96, 0.875, 0.5};
  Sample sample;
  sample.time_s = 0.25;
  sample.core_utilization = 0.99;
  rank.samples = {{"cuda:0", "NVIDIA H200", {sample}}};
  rank.allocated_peak = Bytes(5'000'000'000);
  rank.message = "rank 3 does not answer";
  return rank;
}

ScaleRun full_scale_run() {
  ScaleRun run;
  run.identity.model = "resnet50";
  run.identity.device = "cuda:0";
  run.identity.batch = 64;
  run.identity.phase = Phase::training;
  run.identity.precision = Precision::amp;
  run.identity.optimizer = "sgd-momentum";
  run.identity.graph = "graph net\n";
  run.ranks_wanted = 4;
  run.backend = "nccl";
  run.status = Status::crashed;
  run.message = "rank 3 died";
  run.environment.date = "2026-11-21T14:00:00Z";
  run.environment.threads = 2;
  run.bucket_bytes = {4'097'000, 26'214'400, 5'000'000'000};
  run.ranks = {full_rank(0), full_rank(1)};
  run.ranks[1].kernels->sm_efficiency.reset();
  run.ranks[1].kernels->occupancy.reset();
  run.warnings = {sentence("times had not settled")};
  return run;
}

Json full_json() { return file_json(full_scale_run()); }

TEST(ScaleRun, IsReadAsItWasWritten) {
  EXPECT_EQ(from_file_json<ScaleRun>(full_json(), "a.json"), full_scale_run());
  const ScaleRun empty;
  EXPECT_EQ(from_file_json<ScaleRun>(file_json(empty), "a.json"), empty);
  RankResult bare;
  EXPECT_EQ(from_json<RankResult>(to_json(bare), "a.json"), bare);
}

TEST(ScaleRun, GoesThroughAFile) {
  const fs::path file = fs::temp_directory_path() / format("rooflab-scale-{}", ::getpid());
  save_file(file, full_scale_run());
  EXPECT_EQ(load_file<ScaleRun>(file), full_scale_run());
  fs::remove(file);
}

// Medians 0.011 and 1.011: the slower one is the run's, and 4 ranks of 64 images end with it.
TEST(ScaleRun, IsAsFastAsItsSlowestRank) {
  const ScaleRun run = full_scale_run();
  EXPECT_EQ(run.global_batch(), 256);
  ASSERT_TRUE(run.step_s());
  EXPECT_NEAR(*run.step_s(), 1.011, 1e-12);
  EXPECT_NEAR(*run.samples_per_s(), 256 / 1.011, 1e-9);
}

TEST(ScaleRun, WithoutStepsHasNoTime) {
  ScaleRun run = full_scale_run();
  for (RankResult& rank : run.ranks) rank.steps_s.clear();
  EXPECT_EQ(run.step_s(), std::nullopt);
  EXPECT_EQ(run.samples_per_s(), std::nullopt);
}

/// The complaint about the file when the value at `pointer` is another.
std::string complaint(const char* pointer, const Json& value) {
  Json json = full_json();
  json_place(json, pointer) = value;
  try {
    (void)from_file_json<ScaleRun>(json, "a.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.full_message();
  }
  return "none";
}

TEST(ScaleRun, AWrongValueIsNamed) {
  EXPECT_THAT(complaint("/kind", "record"),
              HasSubstr("this is not a data-parallel run of Rooflab"));
  EXPECT_THAT(complaint("/schema_version", 99),
              HasSubstr("this data-parallel run has schema version 99"));
  EXPECT_THAT(complaint("/ranks_wanted", 0), HasSubstr("'ranks_wanted' must be 1 or more"));
  EXPECT_THAT(complaint("/backend", 1), HasSubstr("'backend'"));
  EXPECT_THAT(complaint("/status", "fine"), HasSubstr("'status'"));
  EXPECT_THAT(complaint("/message", nullptr), HasSubstr("'message'"));
  EXPECT_THAT(complaint("/bucket_bytes", "1"), HasSubstr("'bucket_bytes'"));
  EXPECT_THAT(complaint("/bucket_bytes/0", 1.5), HasSubstr("'bucket_bytes[0]'"));
  EXPECT_THAT(complaint("/warnings", Json::object()), HasSubstr("'warnings'"));
  EXPECT_THAT(complaint("/ranks", Json::object()), HasSubstr("'ranks'"));
  EXPECT_THAT(complaint("/identity/batch", "x"), HasSubstr("batch'"));
  EXPECT_THAT(complaint("/environment/date", 1), HasSubstr("date'"));
}

TEST(ScaleRun, AWrongValueOfARankIsNamed) {
  EXPECT_THAT(complaint("/ranks/1/rank", "one"), HasSubstr("rank'"));
  EXPECT_THAT(complaint("/ranks/1/host_name", 1), HasSubstr("host_name'"));
  EXPECT_THAT(complaint("/ranks/1/device", "x"), HasSubstr("device'"));
  EXPECT_THAT(complaint("/ranks/1/steps_s", 0.1), HasSubstr("steps_s'"));
  EXPECT_THAT(complaint("/ranks/1/alone_s", "x"), HasSubstr("alone_s'"));
  EXPECT_THAT(complaint("/ranks/1/exchange_s", "x"), HasSubstr("exchange_s'"));
  EXPECT_THAT(complaint("/ranks/1/kernels/busy_share", "x"), HasSubstr("kernels.busy_share'"));
  EXPECT_THAT(complaint("/ranks/1/sample_series", "x"), HasSubstr("sample_series'"));
  EXPECT_THAT(complaint("/ranks/1/allocated_peak_bytes", "x"), HasSubstr("allocated_peak_bytes'"));
  EXPECT_THAT(complaint("/ranks/1/message", nullptr), HasSubstr("message'"));
}

}  // namespace
}  // namespace rooflab::record
