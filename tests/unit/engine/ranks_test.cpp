// The ranks here have no framework and no exchange; tests/worker/fake_ranks.hpp says what they do.

#include "engine/ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <mutex>

#include "../base/environment_variable.hpp"
#include "describe/schema.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/device/overlap.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::engine {
namespace {

using record::ScaleRun;
using record::Status;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Variables = std::map<std::string, std::string>;

/// The complaint about an environment; `none` for none.
std::string complaint(const Variables& variables) {
  try {
    (void)place_from_environment(variables);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "none";
}

TEST(RankPlace, OfAProcessStartedByHandIsNone) {
  EXPECT_EQ(place_from_environment({}), std::nullopt);
  EXPECT_EQ(place_from_environment({{"MASTER_ADDR", "h"}, {"RANK", ""}}), std::nullopt);
  // A batch script of Slurm's that is not a step.
  EXPECT_EQ(place_from_environment(
                {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"SLURM_LOCALID", "0"}}),
            std::nullopt);
}

const Variables torchrun = {{"RANK", "5"},
                            {"WORLD_SIZE", "8"},
                            {"LOCAL_RANK", "1"},
                            {"MASTER_ADDR", "node0"},
                            {"MASTER_PORT", "29400"}};

TEST(RankPlace, IsReadFromTorchrun) {
  EXPECT_EQ(place_from_environment(torchrun), (RankPlace{5, 8, 1, "node0", 29400}));
  const Variables alone = {{"RANK", "0"}, {"WORLD_SIZE", "1"}};
  EXPECT_EQ(place_from_environment(alone), RankPlace());
}

TEST(RankPlace, OfTorchrunNeedsAllVariables) {
  for (const auto& [name, value] : torchrun) {
    Variables incomplete = torchrun;
    incomplete.erase(name);
    EXPECT_THAT(complaint(incomplete), HasSubstr(name)) << name;
  }
}

TEST(RankPlace, AContradictionIsNamed) {
  const auto with = [](const char* name, const char* value) {
    Variables variables = torchrun;
    variables[name] = value;
    return complaint(variables);
  };
  EXPECT_EQ(with("RANK", "8"), "RANK 8 is not below WORLD_SIZE 8");
  EXPECT_THAT(with("RANK", "-1"), HasSubstr("RANK"));
  EXPECT_THAT(with("RANK", "first"), HasSubstr("'first'"));
  EXPECT_EQ(with("LOCAL_RANK", "6"), "LOCAL_RANK 6 is above RANK 5");
  EXPECT_THAT(with("WORLD_SIZE", "0"), HasSubstr("WORLD_SIZE"));
  EXPECT_EQ(with("MASTER_PORT", "70000"), "MASTER_PORT 70000 is not a port");
}

const Variables srun = {{"SLURM_JOB_ID", "1234567"},
                        {"SLURM_STEP_ID", "0"},
                        {"SLURM_PROCID", "3"},
                        {"SLURM_NTASKS", "16"},
                        {"SLURM_STEP_NUM_TASKS", "4"},
                        {"SLURM_LOCALID", "1"},
                        {"SLURM_JOB_NODELIST", "gpu[07-09,12],login1"}};

// The step's tasks, not the job's; port 20000 + 1234567 mod 12000.
TEST(RankPlace, IsReadFromSrun) {
  EXPECT_EQ(place_from_environment(srun), (RankPlace{3, 4, 1, "gpu07", 30567}));
  Variables older = srun;
  older.erase("SLURM_STEP_NUM_TASKS");
  EXPECT_EQ(place_from_environment(older)->size, 16);
}

TEST(RankPlace, OfSrunMeetsAtTheFirstHostOfTheStep) {
  const auto master = [](const char* hosts) {
    Variables variables = srun;
    variables["SLURM_STEP_NODELIST"] = hosts;
    return place_from_environment(variables)->master;
  };
  EXPECT_EQ(master("node3"), "node3");
  EXPECT_EQ(master("node3,node4"), "node3");
  EXPECT_EQ(master("node[3,5-9]"), "node3");
  EXPECT_EQ(master("rack[1-2]-a,x"), "rack1-a");
  EXPECT_EQ(master("a,b[1-2]"), "a");
  Variables given = srun;
  given["MASTER_ADDR"] = "head";
  given["MASTER_PORT"] = "1111";
  EXPECT_EQ(place_from_environment(given), (RankPlace{3, 4, 1, "head", 1111}));
}

TEST(RankPlace, OfSrunNeedsAHost) {
  Variables nowhere = srun;
  nowhere.erase("SLURM_JOB_NODELIST");
  EXPECT_THAT(complaint(nowhere), HasSubstr("SLURM_JOB_NODELIST"));
  Variables incomplete = srun;
  incomplete.erase("SLURM_LOCALID");
  EXPECT_THAT(complaint(incomplete), HasSubstr("SLURM_LOCALID"));
}

TEST(RankPlace, IsReadFromOpenMpi) {
  Variables variables = {{"OMPI_COMM_WORLD_RANK", "2"},
                         {"OMPI_COMM_WORLD_SIZE", "4"},
                         {"OMPI_COMM_WORLD_LOCAL_RANK", "2"},
                         {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}};
  EXPECT_EQ(place_from_environment(variables), (RankPlace{2, 4, 2, "127.0.0.1", 29500}));
  variables["OMPI_COMM_WORLD_LOCAL_SIZE"] = "2";
  EXPECT_THAT(complaint(variables), HasSubstr("MASTER_ADDR"));
  variables["MASTER_ADDR"] = "10.0.0.1";
  EXPECT_EQ(place_from_environment(variables), (RankPlace{2, 4, 2, "10.0.0.1", 29500}));
  variables.erase("OMPI_COMM_WORLD_SIZE");
  EXPECT_THAT(complaint(variables), HasSubstr("OMPI_COMM_WORLD_SIZE"));
}

TEST(RankPlace, IsReadFromMpich) {
  const Variables variables = {
      {"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "2"}};
  EXPECT_EQ(place_from_environment(variables), (RankPlace{1, 2, 1, "127.0.0.1", 29500}));
  EXPECT_THAT(complaint({{"PMI_RANK", "1"}}), HasSubstr("PMI_SIZE"));
}

ScaleRequest small_request(int ranks) {
  graph::GraphBuilder b("net");
  graph::ValueId x = b.input("input", {50, 16});
  x = b.linear(x, "fc", 8);
  ScaleRequest request;
  request.request.graph = std::move(b).finish({x});
  request.request.identity.model = "net";
  request.request.identity.batch = 50;
  request.request.identity.phase = Phase::training;
  request.request.identity.optimizer = "sgd-momentum";
  for (int rank = 0; rank < ranks; ++rank) {
    request.devices.push_back("cuda:" + std::to_string(rank));
  }
  return request;
}

RunOptions fake() {
  RunOptions options;
  options.worker = ROOFLAB_FAKE_WORKER;
  return options;
}

TEST(ScaleRequest, IsReadAsItWasWritten) {
  ScaleRequest request = small_request(2);
  request.timeout_s = 7.5;
  request.exchange_alone = false;
  request.kernels = false;
  const Json json = file_json(request);
  const ScaleRequest again = from_file_json<ScaleRequest>(json, "a.json");
  EXPECT_EQ(again.devices, request.devices);
  EXPECT_EQ(again.timeout_s, 7.5);
  EXPECT_FALSE(again.exchange_alone);
  EXPECT_FALSE(again.kernels);
  EXPECT_EQ(file_json(again), json);
}

TEST(ScaleRequest, AWrongKeyIsNamed) {
  for (const char* key : {"case", "devices", "timeout_s", "exchange_alone", "trace_kernels"}) {
    Json json = file_json(small_request(2));
    json[key] = key == std::string("devices") ? Json::array() : Json("x");
    try {
      (void)from_file_json<ScaleRequest>(json, "a.json");
      ADD_FAILURE() << key;
    } catch (const Error& error) {
      if (key == std::string("case")) continue;  // its own reader says what is wrong
      EXPECT_THAT(error.full_message(), HasSubstr(key));
    }
  }
}

// 50 samples of 0.2 ms and a quarter of an exchange of 2 ms: 10.5 ms; rank 1 a hundredth more.
TEST(Ranks, GiveOneRun) {
  const ScaleRun run = run_ranks(small_request(2), fake());
  EXPECT_EQ(run.status, Status::ok) << run.message;
  EXPECT_EQ(run.ranks_wanted, 2);
  EXPECT_EQ(run.backend, "nccl");
  ASSERT_EQ(run.ranks.size(), 2U);
  EXPECT_EQ(run.ranks[1].device.index, 1);
  EXPECT_NEAR(*run.step_s(), 0.010605, 1e-9);
  EXPECT_NEAR(*run.samples_per_s(), 100 / 0.010605, 1e-3);
}

TEST(Ranks, OneAloneExchangesNothing) {
  const ScaleRun run = run_ranks(small_request(1), fake());
  EXPECT_EQ(run.status, Status::ok) << run.message;
  EXPECT_EQ(run.backend, "");
  EXPECT_NEAR(*run.step_s(), 0.010, 1e-9);
  EXPECT_THAT(run.bucket_bytes, IsEmpty());
}

TEST(Ranks, TheFirstOnesProgressIsTheRuns) {
  std::vector<std::string> stages;
  std::mutex mutex;
  RunOptions options = fake();
  options.on_progress = [&](const Progress& progress) {
    const std::lock_guard lock(mutex);
    stages.push_back(progress.stage);
  };
  (void)run_ranks(small_request(3), options);
  EXPECT_THAT(stages, ElementsAre("measure"));
}

TEST(Ranks, OneThatDiesIsNamedAndWhatWasTimedStays) {
  const EnvironmentVariable rule("ROOFLAB_FAKE", "kill-rank=1@net");
  const auto start = std::chrono::steady_clock::now();
  const ScaleRun run = run_ranks(small_request(3), fake());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(8));
  EXPECT_NE(run.status, Status::ok);  // worker_process_test.cpp has how a SIGKILL is read
  EXPECT_THAT(run.message, HasSubstr("rank 1: the "));
  EXPECT_THAT(run.message, HasSubstr("SIGKILL"));
  ASSERT_EQ(run.ranks.size(), 3U);
  for (const record::RankResult& rank : run.ranks) EXPECT_EQ(rank.steps_s.size(), 2U);
  EXPECT_EQ(run.environment.device.name, "NVIDIA H200");
  EXPECT_EQ(run.ranks[0].message, "rank 1 does not answer");
  EXPECT_EQ(run.ranks[2].message, "rank 1 does not answer");
}

TEST(Ranks, WithoutMemoryTellWhoLackedIt) {
  const EnvironmentVariable rule("ROOFLAB_FAKE", "oom@net");
  const ScaleRun run = run_ranks(small_request(2), fake());
  EXPECT_EQ(run.status, Status::oom);
  EXPECT_THAT(run.message, HasSubstr("rank 1: out of memory"));
  EXPECT_EQ(run.step_s(), std::nullopt);
}

TEST(Ranks, ThatEndWithoutAResultHaveFailed) {
  const EnvironmentVariable rule("ROOFLAB_FAKE", "mute@net");
  const ScaleRun run = run_ranks(small_request(2), fake());
  EXPECT_EQ(run.status, Status::failed);
  EXPECT_EQ(run.message, "rank 0 ended well but wrote no result");
}

TEST(Ranks, AreStoppedByTheUser) {
  const EnvironmentVariable rule("ROOFLAB_FAKE", "slow@net");
  RunOptions options = fake();
  options.should_stop = [] { return true; };
  const ScaleRun run = run_ranks(small_request(2), options);
  EXPECT_EQ(run.status, Status::interrupted);
}

TEST(Ranks, AreEndedByTheTimeLimit) {
  const EnvironmentVariable rule("ROOFLAB_FAKE", "slow@net");
  RunOptions options = fake();
  options.timeout_s = 0.3;
  const ScaleRun run = run_ranks(small_request(2), options);
  EXPECT_EQ(run.status, Status::failed);
  EXPECT_THAT(run.message, HasSubstr("the time limit ended it"));
}

TEST(Ranks, WithoutAWorkerFail) {
  RunOptions options;
  options.worker = "/no/such/worker";
  const ScaleRun run = run_ranks(small_request(2), options);
  EXPECT_EQ(run.status, Status::failed);
  EXPECT_THAT(run.message, HasSubstr("/no/such/worker"));
}

TEST(OneRank, OfALauncherReportsOnRankZeroAlone) {
  const ScaleRequest request = small_request(2);
  const auto first = run_one_rank(request, {0, 2, 0, "127.0.0.1", 29500}, fake());
  ASSERT_TRUE(first);
  EXPECT_EQ(first->ranks_wanted, 2);
  EXPECT_EQ(first->ranks.size(), 2U);
  EXPECT_EQ(run_one_rank(request, {1, 2, 1, "127.0.0.1", 29500}, fake()), std::nullopt);
}

TEST(OneRank, ThatFailsSaysSo) {
  const EnvironmentVariable rule("ROOFLAB_FAKE", "kill-rank=0@net");
  const auto other = run_one_rank(small_request(2), {1, 2, 1, "127.0.0.1", 29500}, fake());
  ASSERT_TRUE(other);
  EXPECT_EQ(other->message, "rank 1: rank 0 does not answer");
  EXPECT_EQ(other->ranks.at(0).steps_s.size(), 2U);
}

// Over two ranks 2 (1/2) bytes at 100 GB/s and 10 us, over three 2 (2/3) and 15 us.
TEST(LinkProbe, GoesOverTwoToAllDevices) {
  const LinkProbe probe = run_link_probe({"cuda:0", "cuda:1", "cuda:2"}, fake());
  EXPECT_EQ(probe.message, "");
  EXPECT_EQ(probe.backend, "nccl");
  ASSERT_EQ(probe.times.size(), 9U * 2 + 9);
  EXPECT_EQ(probe.times.front().bytes, 4096.0);
  EXPECT_NEAR(probe.times.front().time_s, 10e-6 + 4096 / 100e9, 1e-12);
  EXPECT_EQ(probe.times.back().ranks, 3);
  EXPECT_EQ(probe.times.back().bytes, 256.0 * 1024 * 1024);
  EXPECT_NEAR(probe.times.back().time_s, 15e-6 + 4.0 / 3 * 268435456 / 100e9, 1e-9);
}

TEST(LinkProbe, HasTheFiguresOfEveryNumberOfRanks) {
  const LinkProbe probe = run_link_probe({"cuda:0", "cuda:1", "cuda:2"}, fake());
  device::Calibration calibration;
  calibration.figures = probe.figures;
  const std::vector<device::Overlap> overlaps = device::overlaps_of(calibration);
  ASSERT_EQ(overlaps.size(), 2U);
  EXPECT_EQ(overlaps[0], (device::Overlap{2, 1.2, 1.4, 1.1, 1.3}));
  EXPECT_EQ(overlaps[1].ranks, 3);
}

TEST(LinkProbe, OfOneDeviceIsAnError) {
  EXPECT_THROW((void)run_link_probe({"cuda:0"}, fake()), Error);
}

}  // namespace
}  // namespace rooflab::engine
