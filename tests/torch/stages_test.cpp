// A network in stages computes what the network computes: outputs, and losses of later training
// steps, which depend on every gradient and on the optimizer.

#include "engine/stages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "base/format.hpp"
#include "number_file.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "worker_case.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;
using graph::BinaryFunction;
using graph::GraphBuilder;
using graph::NodeId;
using graph::UnaryFunction;
using graph::ValueId;
using record::Status;

/// Convolutions with a residual and a value that is read two stages later; no batch norm, so that
/// micro-batches change nothing.
graph::Graph network(std::int64_t batch) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {batch, 3, 8, 8});
  x = b.conv(x, "conv1", {.out_channels = 8, .kernel = 3, .padding = 1});
  x = b.unary(x, UnaryFunction::relu, "relu1", true);
  const ValueId kept = x;
  x = b.conv(x, "conv2", {.out_channels = 8, .kernel = 3, .padding = 1});
  x = b.unary(x, UnaryFunction::relu, "relu2", true);
  x = b.conv(x, "conv3", {.out_channels = 8, .kernel = 3, .padding = 1});
  x = b.binary(x, kept, BinaryFunction::add, "add");
  x = b.unary(x, UnaryFunction::relu, "relu3", true);
  x = b.adaptive_pool(x, "pool", 1);
  x = b.flatten(x, 1, "flatten");
  x = b.linear(x, "fc", 5);
  return std::move(b).finish({x});
}

Case case_of(graph::Graph graph, Phase phase) {
  Case request;
  request.identity.model = "net";
  request.identity.device = "cpu";
  request.identity.batch = graph.batch();
  request.identity.phase = phase;
  request.identity.precision = Precision::fp64;
  request.identity.optimizer = phase == Phase::training ? "sgd-momentum" : "";
  request.graph = std::move(graph);
  request.weights = WeightSource::formula;
  request.settings.iterations = 1;
  request.settings.min_time_s = 0.0;
  request.settings.max_time_s = 10.0;
  request.settings.warmup_time_s = 0.0;
  return request;
}

class Stages : public testing::Test {
 protected:
  void TearDown() override { fs::remove(file_); }

  WorkerNumbers whole(const graph::Graph& graph, Phase phase) const {
    Case request = case_of(graph, phase);
    request.outputs = file_;
    const record::Record result = run(request);
    EXPECT_EQ(result.status, Status::ok) << result.message;
    return worker_numbers_in(file_);
  }

  record::StageRun in_stages(const graph::Graph& graph, Phase phase, std::vector<NodeId> cuts,
                             int micro_batches) const {
    StageRequest request;
    request.request = case_of(graph, phase);
    request.request.outputs = file_;
    request.devices.assign(cuts.size() + 1, "cpu");
    request.cuts = std::move(cuts);
    request.micro_batches = micro_batches;
    request.warmup_steps = 2;
    record::StageRun run = run_stages(request, {.worker = ROOFLAB_TORCH_WORKER});
    EXPECT_EQ(run.status, Status::ok) << run.message;
    return run;
  }

  static void expect_equal(const WorkerNumbers& expected, const WorkerNumbers& actual) {
    ASSERT_FALSE(expected.others.empty());
    ASSERT_EQ(actual.others.size(), expected.others.size());
    for (std::size_t i = 0; i < expected.others.size(); ++i) {
      EXPECT_NEAR(actual.others[i], expected.others[i], 1e-8) << "output " << i;
    }
    ASSERT_EQ(actual.losses.size(), expected.losses.size());
    for (std::size_t i = 0; i < expected.losses.size(); ++i) {
      EXPECT_NEAR(actual.losses[i], expected.losses[i], 1e-8) << "step " << i;
    }
  }

  fs::path file_ = fs::temp_directory_path() / format("rooflab-stages-{}", ::getpid());
};

TEST_F(Stages, TrainAsTheWholeDoes) {
  const graph::Graph graph = network(8);
  const WorkerNumbers expected = whole(graph, Phase::training);
  ASSERT_EQ(expected.losses.size(), 3U);
  EXPECT_GT(std::abs(expected.losses[2] - expected.losses[0]), 1e-4);  // it learns something
  // Cuts before an op in place, within the residual, and with a stage that passes a value by.
  const std::vector<std::pair<std::vector<NodeId>, int>> ways = {
      {{1}, 4}, {{3, 4}, 1}, {{2, 5, 8}, 4}};
  for (const auto& [cuts, micro_batches] : ways) {
    (void)in_stages(graph, Phase::training, cuts, micro_batches);
    expect_equal(expected, worker_numbers_in(file_));
  }
}

TEST_F(Stages, EvaluateAsTheWholeDoes) {
  const graph::Graph graph = network(4);
  const WorkerNumbers expected = whole(graph, Phase::inference);
  (void)in_stages(graph, Phase::inference, {3, 6}, 2);
  expect_equal(expected, worker_numbers_in(file_));
}

// With batch norms the whole batch has to go through at once.
TEST_F(Stages, TrainABuiltInNetwork) {
  const graph::Graph graph = zoo::build("resnet18", {.batch = 2, .image_size = 32});
  const WorkerNumbers expected = whole(graph, Phase::training);
  const std::vector<NodeId> possible = graph::possible_cuts(graph);
  (void)in_stages(graph, Phase::training, {possible[possible.size() / 2]}, 1);
  expect_equal(expected, worker_numbers_in(file_));
}

TEST_F(Stages, SayWhatEachTook) {
  const record::StageRun run = in_stages(network(8), Phase::training, {3}, 2);
  EXPECT_EQ(run.steps_s.size(), 1U);
  ASSERT_EQ(run.stages.size(), 2U);
  EXPECT_EQ(run.stages[0].first, "conv1");
  EXPECT_EQ(run.stages[0].last, "conv2");
  EXPECT_EQ(run.stages[1].first, "relu2");
  EXPECT_EQ(run.stages[1].last, "fc");
  EXPECT_GT(run.stages[0].time_s, 0.0);
  EXPECT_GT(run.stages[1].time_s, 0.0);
  EXPECT_EQ(run.stages[0].received, Bytes(0));
  // relu1 and conv2, 8 channels of 8 x 8 doubles for 8 images each.
  EXPECT_EQ(run.stages[1].received, Bytes(2 * 8 * 8 * 8 * 8 * 8));
  EXPECT_TRUE(run.stages[0].allocated_peak.has_value());
}

TEST_F(Stages, EndInAnOutcome) {
  StageRequest request;
  request.request = case_of(network(8), Phase::training);
  request.cuts = {3};
  request.devices = {"cpu", "cpu"};
  request.micro_batches = 3;
  EXPECT_EQ(run_stages(request, {.worker = ROOFLAB_TORCH_WORKER}).status, Status::unsupported);
  request.micro_batches = 2;
  request.request.settings.memory_limit_bytes = 1'000'000'000;
  const record::StageRun limited = run_stages(request, {.worker = ROOFLAB_TORCH_WORKER});
  EXPECT_EQ(limited.status, Status::unsupported);
  EXPECT_THAT(limited.message, testing::HasSubstr("memory limit on a CPU"));
  Case alone = case_of(network(8), Phase::inference);
  alone.settings.memory_limit_bytes = 1'000'000'000;
  EXPECT_EQ(run(alone).status, Status::unsupported);
}

}  // namespace
}  // namespace rooflab::engine
