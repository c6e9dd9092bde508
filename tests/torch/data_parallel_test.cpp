// N processes that share a batch, over Gloo, against one with the whole batch.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/format.hpp"
#include "engine/ranks.hpp"
#include "notes/engine_notes.hpp"
#include "number_file.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/system/file.hpp"
#include "system/temporary_folder.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;
using record::ScaleRun;
using record::Status;
using std::chrono::steady_clock;
using testing::ContainsRegex;
using testing::HasSubstr;

/// Convolution, pooling and two linear layers; no batch norm, whose statistics are each rank's own.
graph::Graph network_of_a_rank(std::int64_t batch, bool norm = false) {
  graph::GraphBuilder b("net");
  graph::ValueId x = b.input("input", {batch, 3, 8, 8});
  x = b.conv(x, "conv", {.out_channels = 6, .kernel = 3, .padding = 1});
  if (norm) x = b.batch_norm(x, "norm");
  x = b.unary(x, graph::UnaryFunction::relu, "relu");
  x = b.flatten(x, 1, "flatten");
  x = b.linear(x, "fc1", 32);
  x = b.unary(x, graph::UnaryFunction::tanh, "tanh");
  x = b.linear(x, "fc2", 10);
  return std::move(b).finish({x});
}

ScaleRequest request_of(int ranks, std::int64_t global_batch, bool norm = false) {
  ScaleRequest request;
  request.request.graph = network_of_a_rank(global_batch / ranks, norm);
  request.devices.assign(static_cast<std::size_t>(ranks), "cpu");
  request.timeout_s = 20.0;
  record::CaseIdentity& identity = request.request.identity;
  identity.model = "net";
  identity.device = "cpu";
  identity.batch = global_batch / ranks;
  identity.phase = Phase::training;
  identity.optimizer = "sgd-momentum";
  identity.graph = graph::to_text(request.request.graph);
  request.request.weights = WeightSource::formula;
  MeasureSettings& settings = request.request.settings;
  settings.iterations = 5;
  settings.min_time_s = 0.0;
  settings.max_time_s = 5.0;
  settings.warmup_time_s = 0.0;
  settings.threads = 1;
  settings.sample_period_s = 0.0;
  return request;
}

RunOptions options() {
  RunOptions result;
  result.worker = ROOFLAB_TORCH_WORKER;
  result.timeout_s = 120.0;
  return result;
}

/// Not every libtorch comes with Gloo's headers.
class DataParallel : public testing::Test {
 protected:
  void SetUp() override {
    for (const std::string& missing : describe(ROOFLAB_TORCH_WORKER).missing) {
      if (missing.starts_with("Gloo")) GTEST_SKIP() << missing;
    }
  }
};

/// After three steps, of every rank.
std::vector<WorkerNumbers> train(ScaleRequest request) {
  const TemporaryFolder folder("data-parallel");
  request.request.outputs = folder.file("outputs");
  const ScaleRun run = run_ranks(request, options());
  EXPECT_EQ(run.status, Status::ok) << run.message;
  std::vector<WorkerNumbers> all;
  if (run.status != Status::ok) return all;
  for (std::size_t rank = 0; rank < request.devices.size(); ++rank) {
    fs::path file = folder.file("outputs");
    if (rank > 0) file += format(".{}", rank);
    all.push_back(worker_numbers_in(file));
  }
  return all;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b.at(i)));
  return largest;
}

/// Three steps: were a gradient wrong by a factor of the ranks, parameters would differ in their
/// second digit (weights move by about 0.01 a step).
void expect_equal_training(int ranks) {
  constexpr std::int64_t global_batch = 16;
  const std::vector<WorkerNumbers> one = train(request_of(1, global_batch));
  const std::vector<WorkerNumbers> many = train(request_of(ranks, global_batch));
  ASSERT_EQ(one.size(), 1U);
  ASSERT_EQ(many.size(), static_cast<std::size_t>(ranks));
  ASSERT_EQ(one[0].others.size(), 6U * 27 + 6 + 32 * 384 + 32 + 10 * 32 + 10);
  for (const WorkerNumbers& rank : many) {
    ASSERT_EQ(rank.others.size(), one[0].others.size());
    EXPECT_LT(largest_difference(one[0].others, rank.others), 2e-6);
  }
  // The whole batch's loss is the mean of the ranks', at every step.
  for (std::size_t step = 0; step < 3; ++step) {
    double mean = 0.0;
    for (const WorkerNumbers& rank : many) mean += rank.losses.at(step) / ranks;
    EXPECT_NEAR(mean, one[0].losses.at(step), 2e-6 * std::abs(one[0].losses[step])) << step;
  }
  // The ranks did see different samples, and the weights did move.
  EXPECT_GT(std::abs(many[0].losses[0] - many[1].losses[0]), 1e-4);
  EXPECT_GT(std::abs(one[0].losses[0] - one[0].losses[2]), 1e-4);
}

TEST_F(DataParallel, TwoRanksTrainAsOneWithTheWholeBatch) { expect_equal_training(2); }
TEST_F(DataParallel, FourRanksTrainAsOneWithTheWholeBatch) { expect_equal_training(4); }

TEST_F(DataParallel, RandomWeightsAreTheFirstRanksOnAll) {
  ScaleRequest request = request_of(2, 8);
  request.request.weights = WeightSource::random;
  const std::vector<WorkerNumbers> ranks = train(request);
  ASSERT_EQ(ranks.size(), 2U);
  EXPECT_EQ(ranks[0].others, ranks[1].others);
}

TEST_F(DataParallel, ARunTellsEverythingOfItsRanks) {
  ScaleRequest request = request_of(2, 8, true);
  request.request.settings.sample_period_s = 0.05;
  const ScaleRun run = run_ranks(request, options());
  ASSERT_EQ(run.status, Status::ok) << run.message;
  EXPECT_EQ(run.backend, "gloo");
  ASSERT_EQ(run.ranks.size(), 2U);
  // All in fp32: conv, norm and the two linear layers fit the first bucket of 1 MiB.
  constexpr std::int64_t parameters = 6 * 27 + 6 + 12 + 32 * 384 + 32 + 10 * 32 + 10;
  ASSERT_EQ(run.bucket_bytes.size(), 1U);
  EXPECT_EQ(run.bucket_bytes[0], 4 * parameters);
  EXPECT_EQ(run.ranks[0].steps_s.size(), run.ranks[1].steps_s.size());
  for (const record::RankResult& rank : run.ranks) {
    EXPECT_GE(rank.steps_s.size(), 5U);
    EXPECT_GT(rank.alone_s.value_or(0.0), 0.0);
    EXPECT_GT(rank.exchange_s.value_or(0.0), 0.0);
    EXPECT_EQ(rank.kernels, std::nullopt);  // a CPU has no activity records
    EXPECT_FALSE(rank.host.empty());
    EXPECT_EQ(rank.device.kind, "cpu");
    EXPECT_FALSE(rank.samples.empty());
    EXPECT_EQ(rank.message, "");
  }
}

// As DistributedDataParallel makes them after its first step: gradients come from the last layer
// to the first, 1 MiB closes the first bucket, 25 MiB the others. Weights of 512 x 512: 1 MiB.
TEST_F(DataParallel, BucketsFillInTheOrderOfTheGradients) {
  ScaleRequest request = request_of(2, 4);
  graph::GraphBuilder b("wide");
  graph::ValueId x = b.input("input", {2, 512});
  for (int i = 0; i < 4; ++i) x = b.linear(x, format("fc{}", i), 512, false);
  request.request.graph = std::move(b).finish({x});
  request.request.identity.graph = graph::to_text(request.request.graph);
  const ScaleRun run = run_ranks(request, options());
  ASSERT_EQ(run.status, Status::ok) << run.message;
  constexpr std::int64_t mib = 1024 * 1024;
  EXPECT_THAT(run.bucket_bytes, testing::ElementsAre(1 * mib, 3 * mib));
}

/// Workers of this process, by their environment.
std::optional<pid_t> process_of_rank(int rank) {
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    const std::optional<std::int64_t> pid = parse_integer(entry.path().filename().string());
    if (!pid) continue;
    std::ifstream stat(entry.path() / "stat");
    std::string text((std::istreambuf_iterator<char>(stat)), {});
    const std::size_t paren = text.rfind(')');
    if (paren == std::string::npos) continue;
    std::istringstream rest(text.substr(paren + 2));
    std::string state;
    pid_t parent = 0;
    rest >> state >> parent;
    if (parent != ::getpid()) continue;
    std::ifstream environment(entry.path() / "environ");
    text.assign((std::istreambuf_iterator<char>(environment)), {});
    if (('\0' + text).find(format("{}RANK={}{}", '\0', rank, '\0')) != std::string::npos) {
      return static_cast<pid_t>(*pid);
    }
  }
  return std::nullopt;
}

/// Runs three ranks without end and sends one of them a signal while steps are timed.
ScaleRun run_with_signal(int rank, int signal, double timeout_s, double& ended_after_s) {
  ScaleRequest request = request_of(3, 6);
  request.timeout_s = timeout_s;
  request.request.settings.min_time_s = 600.0;
  request.request.settings.max_time_s = 600.0;
  std::atomic<bool> measuring = false;
  RunOptions run_options = options();
  run_options.on_progress = [&](const Progress& progress) {
    if (progress.stage == "measure") measuring = true;
  };
  steady_clock::time_point sent;
  std::thread killer([&] {
    while (!measuring) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::this_thread::sleep_for(std::chrono::milliseconds(600));  // some chunks
    sent = steady_clock::now();
    if (const auto process = process_of_rank(rank)) ::kill(*process, signal);
  });
  ScaleRun run = run_ranks(request, run_options);
  killer.join();
  ended_after_s = std::chrono::duration<double>(steady_clock::now() - sent).count();
  return run;
}

void expect_steps_of_all(const ScaleRun& run) {
  ASSERT_EQ(run.ranks.size(), 3U);
  for (const record::RankResult& each : run.ranks) {
    EXPECT_GE(each.steps_s.size(), 1U) << each.rank;
  }
}

TEST_F(DataParallel, ARankThatIsKilledEndsTheOthersAndIsNamed) {
  double after_s = 0.0;
  const ScaleRun run = run_with_signal(1, SIGKILL, 20.0, after_s);
  EXPECT_LT(after_s, 25.0);
  EXPECT_NE(run.status, Status::ok);
  EXPECT_THAT(run.message, ContainsRegex("rank [01]: .*SIGKILL"));
  expect_steps_of_all(run);
  EXPECT_THAT(run.ranks[0].message, HasSubstr("rank 1 does not answer"));
  EXPECT_THAT(run.ranks[2].message, HasSubstr("rank 1 does not answer"));
}

TEST_F(DataParallel, WithoutTheFirstRankTheOthersKnowItToo) {
  double after_s = 0.0;
  const ScaleRun run = run_with_signal(0, SIGKILL, 20.0, after_s);
  EXPECT_LT(after_s, 25.0);
  EXPECT_THAT(run.message, ContainsRegex("rank [01]: .*SIGKILL"));
  expect_steps_of_all(run);
  EXPECT_THAT(run.ranks[1].message, HasSubstr("rank 0"));
  EXPECT_THAT(run.ranks[2].message, HasSubstr("rank 0"));
}

using LongDataParallel = DataParallel;

// It lives and holds its connections: only time tells.
TEST_F(LongDataParallel, ARankThatStandsStillIsGivenUpAfterTheTimeLimit) {
  double after_s = 0.0;
  const ScaleRun run = run_with_signal(2, SIGSTOP, 4.0, after_s);
  EXPECT_LT(after_s, 45.0);
  EXPECT_NE(run.status, Status::ok);
  EXPECT_THAT(run.message, HasSubstr("rank 2 does not answer"));
  expect_steps_of_all(run);
}

TEST_F(LongDataParallel, ALinkProbeOverGlooTimesMessagesAndKernelsBesideThem) {
  RunOptions run_options = options();
  const LinkProbe probe = run_link_probe({"cpu", "cpu"}, run_options);
  EXPECT_EQ(probe.message, "");
  EXPECT_EQ(probe.backend, "gloo");
  std::map<std::string, std::size_t> sizes;
  for (const LinkTime& row : probe.times) {
    ++sizes[row.collective];
    EXPECT_GT(row.time_s, 0.0);
    EXPECT_LE(row.least_s, row.time_s);
    EXPECT_GE(row.most_s, row.time_s);
  }
  // What this version's Gloo lacks is a note.
  const auto missing = static_cast<std::size_t>(
      std::ranges::count(probe.notes, NoteCode(engine::says.link_not_measured), &Note::code));
  EXPECT_EQ(sizes.size() + missing, 4U);
  EXPECT_EQ(sizes["all_reduce"], 17U);
  for (const auto& [collective, count] : sizes) EXPECT_EQ(count, 17U) << collective;
  EXPECT_GT(probe.times[16].time_s, 100.0 * probe.times.front().time_s);
  // Gloo's threads and the products share the cores: no more can be said of the ratios. Where the
  // rounds failed, a note stands for two figures.
  EXPECT_EQ(probe.figures.size() + 2 * (probe.notes.size() - missing), 4U);
  for (const device::MeasuredFigure& figure : probe.figures) {
    EXPECT_THAT(figure.name, ContainsRegex("^overlap\\..*\\.2$"));
    EXPECT_EQ(figure.unit, "1");
    EXPECT_GT(figure.least, 0.0);
    EXPECT_LE(figure.least, figure.value);
    EXPECT_LE(figure.value, figure.most);
    EXPECT_GE(figure.repetitions, 3);
    EXPECT_THAT(figure.at, HasSubstr("all-reduces of 25 MiB"));
  }
}

}  // namespace
}  // namespace rooflab::engine
