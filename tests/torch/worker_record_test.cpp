// What the worker's record holds, on the CPU: times in their places, memory, per-layer times.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <numeric>
#include <set>

#include "base/format.hpp"
#include "rooflab/predict/memory_model.hpp"
#include "rooflab/system/file.hpp"
#include "worker_case.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;
using record::NodeTiming;
using record::PhaseMemory;
using record::Record;
using record::Status;
using testing::ElementsAre;
using testing::IsEmpty;

const zoo::BuildOptions small = {.batch = 2, .image_size = 64};

/// A fixed number of steps, however long they take.
Case case_of_steps(const std::string& model, Phase phase, int steps) {
  Case request = short_case(model, small, phase);
  request.settings.iterations = steps;
  request.settings.max_time_s = 60.0;
  return request;
}

std::vector<std::string> phases_of(const Record& result) {
  std::vector<std::string> names;
  for (const PhaseMemory& phase : result.memory->phases) names.push_back(phase.phase);
  return names;
}

/// What the memory model says of resnet18 as `small` builds it.
predict::MemoryEstimate estimate(Phase phase) {
  return predict::estimate_memory(
      schedule::lower(zoo::build("resnet18", small),
                      {.phase = phase, .optimizer = schedule::Optimizer::sgd_momentum}));
}

TEST(WorkerRecord, KeepsSetUpFirstCallAndStepsApart) {
  const auto start = std::chrono::steady_clock::now();
  const Record result = run(case_of_steps("squeezenet1_0", Phase::inference, 7));
  const double whole =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ASSERT_EQ(result.status, Status::ok) << result.message;
  const record::Timing& timing = result.timing.value();
  ASSERT_EQ(timing.steps_s.size(), 7U);
  for (const double step : timing.steps_s) EXPECT_GT(step, 0.0);
  EXPECT_GT(timing.setup_s, 0.0);
  EXPECT_GT(timing.first_call_s, 0.0);
  EXPECT_GE(timing.warmup_steps, 1);
  // One after the other, within what this test saw; the kernel tells a process's age in ticks.
  EXPECT_LE(timing.setup_s + timing.first_call_s +
                std::accumulate(timing.steps_s.begin(), timing.steps_s.end(), 0.0),
            whole + 0.05);
  EXPECT_EQ(timing.clock, "steady clock");
  EXPECT_THAT(timing.data_s, IsEmpty());
  EXPECT_THAT(timing.copy_s, IsEmpty());
  EXPECT_FALSE(result.layers.has_value());
}

TEST(WorkerRecord, StopsAtTheTimeLimitOfTheSteps) {
  Case request = case_of_steps("squeezenet1_0", Phase::inference, 1'000'000);
  request.settings.max_time_s = 0.3;
  const Record result = run(request);
  ASSERT_EQ(result.status, Status::ok) << result.message;
  const std::vector<double>& steps = result.timing.value().steps_s;
  EXPECT_GE(steps.size(), 1U);
  // All but the last one began before the limit.
  EXPECT_LE(std::accumulate(steps.begin(), steps.end() - 1, 0.0), 0.3);
}

// On a CPU the times are those of the tiny ops. Every class and optimizer of the grid has its
// costs, unless the libtorch lacks an op; a chain of views is the cheapest.
TEST(WorkerRecord, MeasuresItsHostWhenAsked) {
  Case request = case_of_steps("squeezenet1_0", Phase::inference, 3);
  EXPECT_FALSE(run(request).issue_costs);
  request.settings.host_time_s = 0.2;
  const Record result = run(request);
  ASSERT_EQ(result.status, Status::ok) << result.message;
  EXPECT_EQ(result.timing.value().steps_s.size(), 3U);
  ASSERT_TRUE(result.issue_costs);
  const record::HostCosts& costs = *result.issue_costs;
  EXPECT_EQ(costs.issuer, "rooflab");
  EXPECT_EQ(costs.cpu, result.environment.cpu);
  EXPECT_EQ(costs.version, result.environment.libraries.at("libtorch"));
  for (const char* name : {"conv2d", "batch_norm", "layer_norm", "linear", "unary", "pool"}) {
    ASSERT_EQ(costs.ops.count(name), 1U) << name;
    const record::HostCost& cost = costs.ops.at(name);
    EXPECT_GT(cost.inference_s, 0.0) << name;
    EXPECT_GT(cost.forward_s.value_or(0.0), 0.0) << name;
    EXPECT_GT(cost.backward_s.value_or(0.0), 0.0) << name;
    EXPECT_LT(costs.ops.at("view").inference_s, cost.inference_s) << name;
  }
  for (const char* optimizer : {"sgd", "sgd-momentum", "adam"}) {
    EXPECT_EQ(costs.optimizer_per_tensor_s.count(optimizer), 1U) << optimizer;
  }
  EXPECT_GE(costs.jitter, 1.0);
  EXPECT_FALSE(costs.module_call_s);
}

TEST(WorkerRecord, SaysWhereItCameFrom) {
  Case request = case_of_steps("squeezenet1_0", Phase::inference, 1);
  request.identity.command = "rooflab measure squeezenet1_0";
  request.settings.threads = 1;
  const Record result = run(request);
  ASSERT_EQ(result.status, Status::ok) << result.message;
  EXPECT_EQ(result.environment.command, "rooflab measure squeezenet1_0");
  EXPECT_EQ(result.environment.threads, 1);
  EXPECT_EQ(result.environment.device.kind, "cpu");
  EXPECT_EQ(result.environment.libraries.count("libtorch"), 1U);
  EXPECT_THAT(result.environment.date, testing::MatchesRegex("20..-..-..T..:..:..Z"));
  EXPECT_EQ(result.identity.model, "squeezenet1_0");
  EXPECT_EQ(result.identity.batch.value(), 2);
}

TEST(WorkerRecord, ThreadsAreAsManyAsAskedFor) {
  Case request = case_of_steps("squeezenet1_0", Phase::inference, 1);
  request.settings.threads = 2;
  EXPECT_EQ(run(request).environment.threads, 2);
}

// resnet18 has 11,689,512 parameters and 9,600 running statistics of 4 bytes; the input 2 x 3 x 64
// x 64 x 4 bytes. In training mode 20 batch norms count their batches, 8 bytes each.
constexpr std::int64_t parameter_bytes = 46'758'048;
constexpr std::int64_t statistic_bytes = 38'400;
constexpr std::int64_t input_bytes = 98'304;
constexpr std::int64_t count_bytes = 160;

TEST(WorkerRecord, InferenceSavesNothingForABackwardPass) {
  const Record result = run(case_of_steps("resnet18", Phase::inference, 1));
  ASSERT_EQ(result.status, Status::ok) << result.message;
  EXPECT_EQ(result.memory->saved, std::nullopt);
  EXPECT_THAT(phases_of(result), ElementsAre("forward"));
  EXPECT_EQ(result.memory->persistent, Bytes(parameter_bytes + statistic_bytes + input_bytes));
  EXPECT_EQ(result.memory->reserved_peak, std::nullopt);  // the CPU's allocator reserves nothing
  EXPECT_EQ(result.memory->device_used, std::nullopt);
  EXPECT_EQ(result.memory->context, std::nullopt);
}

// What autograd holds of resnet18 as `small` builds it, in bytes. Stem: the results of convolution
// and ReLU, 524,288 each, the pooled 131,072 and its indices, 262,144. Layer 1: two blocks that
// keep the results of two convolutions and two ReLUs, 131,072 each. Layers 2 to 4 one more for the
// downsampling convolution, nine of 65,536, of 32,768 and of 16,384. Then 4,096 of the pooled
// features, 8,000 of the scores and 38,400 of the batch norms' means and deviations.
constexpr std::int64_t saved_bytes = 2 * 524'288 + 131'072 + 262'144 + 8 * 131'072 +
                                     9 * (65'536 + 32'768 + 16'384) + 4'096 + 8'000 + 38'400;
static_assert(saved_bytes == 3'573'056);

// libtorch 1.13 holds these bytes exactly; another one may keep a mask in another type.
TEST(WorkerRecord, ForwardSavesWhatTheScheduleSays) {
  EXPECT_EQ(estimate(Phase::forward).saved_activations, Bytes(saved_bytes));
  const Record result = run(case_of_steps("resnet18", Phase::forward, 1));
  ASSERT_EQ(result.status, Status::ok) << result.message;
  EXPECT_THAT(phases_of(result), ElementsAre("forward"));
  EXPECT_NEAR(result.memory->saved.value().as_double(), saved_bytes, 0.01 * saved_bytes);
  EXPECT_GE(result.memory->allocated_peak, *result.memory->saved + *result.memory->persistent);
}

TEST(WorkerRecord, TrainingHoldsWhatTheMemoryModelSays) {
  const predict::MemoryEstimate expected = estimate(Phase::training);
  EXPECT_EQ(expected.saved_activations, Bytes(saved_bytes));
  const Record result = run(case_of_steps("resnet18", Phase::training, 2));
  ASSERT_EQ(result.status, Status::ok) << result.message;
  EXPECT_THAT(phases_of(result), ElementsAre("forward", "loss", "backward", "optimizer"));
  for (const PhaseMemory& phase : result.memory->phases) {
    EXPECT_GE(phase.peak, phase.before) << phase.phase;
    EXPECT_GE(phase.peak, phase.after) << phase.phase;
    EXPECT_LE(phase.peak, result.memory->allocated_peak) << phase.phase;
  }
  // Parameters, gradients and momentum; the labels take 16 bytes and the loss 4.
  EXPECT_EQ(result.memory->persistent,
            Bytes(3 * parameter_bytes + statistic_bytes + input_bytes + count_bytes + 16 + 4));
  EXPECT_NEAR(result.memory->saved.value().as_double(), saved_bytes, 0.01 * saved_bytes);
  // The convolutions' scratch memory comes on top, 9.4 MB in libtorch 1.13.
  EXPECT_GE(result.memory->allocated_peak.value().as_double(),
            0.99 * expected.allocated_peak.as_double());
  EXPECT_GT(result.memory->resident_peak.value(), Bytes(3 * parameter_bytes));
}

// Parameters and the gradients that stay until the next step drops them.
TEST(WorkerRecord, AStepWithoutAnOptimizerEndsWithTheBackwardPass) {
  Case request = case_of_steps("resnet18", Phase::training, 2);
  request.identity.optimizer = "none";
  request.settings.per_layer = true;
  const Record result = run(request);
  ASSERT_EQ(result.status, Status::ok) << result.message;
  EXPECT_THAT(phases_of(result), ElementsAre("forward", "loss", "backward"));
  EXPECT_EQ(result.memory->persistent,
            Bytes(2 * parameter_bytes + statistic_bytes + input_bytes + count_bytes + 16 + 4));
  for (const NodeTiming& node : result.layers.value().nodes) EXPECT_NE(node.node, "(optimizer)");
}

/// With times of layers: of three runs at most, the first in which tests that run at the same time
/// did not stretch single steps, so that medians of parts and whole belong together.
Record run_per_layer(Case request) {
  request.settings.per_layer = true;
  Record result = run(request);
  for (int more = 2; more > 0 && result.layers; --more) {
    if (result.layers->sum_s <= 1.05 * result.layers->whole_s) break;
    result = run(request);
  }
  return result;
}

TEST(WorkerRecord, PerLayerTimesNameEveryNodeOnce) {
  const Case request = case_of_steps("resnet18", Phase::training, 1);
  const Record result = run_per_layer(request);
  ASSERT_EQ(result.status, Status::ok) << result.message;
  const record::LayerTimes& layers = result.layers.value();
  std::vector<std::string> expected;
  for (const graph::Node& node : request.graph.nodes) expected.push_back(node.name);
  const std::size_t nodes = expected.size();
  expected.insert(expected.end(), {"(loss)", "(optimizer)", "(other)"});
  std::vector<std::string> names;
  for (const NodeTiming& node : layers.nodes) names.push_back(node.node);
  EXPECT_EQ(names, expected);
  EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < layers.nodes.size(); ++i) {
    const NodeTiming& node = layers.nodes[i];
    sum += node.forward_s + node.backward_s.value_or(0.0);
    if (i >= nodes) continue;
    EXPECT_GT(node.forward_s, 0.0) << node.node;
    ASSERT_TRUE(node.backward_s.has_value()) << node.node;
    EXPECT_GT(*node.backward_s, 0.0) << node.node;
    EXPECT_FALSE(node.synchronized_s) << node.node;  // a CPU has nothing to wait for
  }
  EXPECT_NEAR(layers.sum_s, sum, 1e-9);
  EXPECT_GE(layers.repetitions, 3);
  // The parts of a step are no more than the step, and most of it.
  EXPECT_LE(layers.sum_s, 1.05 * layers.whole_s);
  EXPECT_GE(layers.sum_s, 0.5 * layers.whole_s);
  EXPECT_LT(layers.forward_whole_s.value(), layers.whole_s);
}

TEST(WorkerRecord, PerLayerTimesOfInferenceHaveNoBackward) {
  const Case request = case_of_steps("squeezenet1_0", Phase::inference, 1);
  const Record result = run_per_layer(request);
  ASSERT_EQ(result.status, Status::ok) << result.message;
  ASSERT_EQ(result.layers->nodes.size(), request.graph.nodes.size());
  for (const NodeTiming& node : result.layers->nodes) {
    EXPECT_EQ(node.backward_s, std::nullopt) << node.node;
  }
  EXPECT_LE(result.layers->sum_s, 1.05 * result.layers->whole_s);
}

TEST(WorkerRecord, TheSeedDecidesTheOutputs) {
  const fs::path file = fs::temp_directory_path() / format("rooflab-seed-{}", ::getpid());
  const auto outputs_of = [&](std::uint64_t seed) {
    Case request = short_case("squeezenet1_0", small);
    request.settings.seed = seed;
    request.outputs = file;
    const Record result = run(request);
    EXPECT_EQ(result.status, Status::ok) << result.message;
    std::string text = read_file(file);
    fs::remove(file);
    return text;
  };
  const std::string first = outputs_of(1);
  EXPECT_TRUE(first.starts_with("output 2000\n"));
  EXPECT_TRUE(outputs_of(1) == first);
  EXPECT_FALSE(outputs_of(2) == first);
}

}  // namespace
}  // namespace rooflab::engine
