// Steps that are replayed as a CUDA graph, worked out by hand: three kernels of 10 us.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/thrown_error.hpp"
#include "calibrated_device.hpp"
#include "op_tables.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/predict/time_model.hpp"

namespace rooflab::predict {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double graph_tolerance = 0.001 * us;
constexpr std::size_t graph_kernels = 3;
/// From the issue of a kernel to its start, as step_time.cpp assumes it.
constexpr double start_latency_s = 4 * us;

/// Three ReLUs that take 10 us each: 8 bytes an element at 1 TB/s.
schedule::Schedule three_kernels() {
  graph::GraphBuilder b("net");
  std::vector<graph::ValueId> results;
  for (std::size_t i = 0; i < graph_kernels; ++i) {
    const graph::ValueId x = b.parameter("x" + std::to_string(i), {1'250'000});
    results.push_back(b.unary(x, graph::UnaryFunction::relu, "op" + std::to_string(i)));
  }
  return schedule::lower(std::move(b).finish(results), {});
}

/// A device with these figures, in s.
TimeModel model_with(const std::vector<std::pair<std::string, double>>& figures,
                     const device::Device& target = calibrated_device("source"),
                     double deviation = 1e-6, Tables more = {}) {
  Tables tables = {{"relu.forward.f32", plain_table("relu", 1e-12, 1e-12, deviation)}};
  tables.merge(more);
  device::Calibration calibration = calibration_of("source", std::move(tables));
  for (const auto& [name, value] : figures) {
    calibration.figures.push_back({name, "s", value, value, value, 1, ""});
  }
  return TimeModel({{device::LazyCalibration(calibration), calibrated_device("source")}}, target);
}

StepTime replayed(const schedule::Schedule& schedule, const TimeModel& model) {
  const GraphReplay graph = graph_replay(model);
  return predict_step(schedule, model, {.graph = &graph});
}

std::vector<std::string> codes_of(const std::vector<Note>& notes) {
  std::vector<std::string> codes;
  for (const Note& note : notes) codes.emplace_back(note.code.name());
  return codes;
}

// One number takes 2 us to write, which every op by itself has: 3 x (10 - 2 + 0.7) us.
TEST(GraphReplay, AnOpTakesWhatItTakesBeyondTheShortest) {
  const TimeModel model = model_with(
      {{"launch.graph_kernel", 0.7 * us}, {"launch.graph_launch", us}}, calibrated_device("source"),
      1e-6, {{"fill.forward.f32", plain_table("fill", 2 * us, 1e-12)}});
  EXPECT_NEAR(replayed(three_kernels(), model).time.value, 26.1 * us, graph_tolerance);
}

// 3 x (10 + 0.7) us. The host's 5 us are hidden.
TEST(GraphReplay, KernelsFollowEachOtherByTheGap) {
  const TimeModel model = model_with({{"launch.gap", 1.4 * us},
                                      {"launch.graph_kernel", 0.7 * us},
                                      {"launch.graph_launch", 5 * us}});
  const StepTime step = replayed(three_kernels(), model);
  EXPECT_NEAR(step.time.value, 32.1 * us, graph_tolerance);
  EXPECT_NEAR(step.device.value, 32.1 * us, graph_tolerance);
  EXPECT_NEAR(step.host.value, 5 * us, graph_tolerance);
  EXPECT_TRUE(step.replayed);
  EXPECT_FALSE(step.host_bound());
  EXPECT_NEAR(step.ops[1].start_s - step.ops[0].end_s, 0.7 * us, graph_tolerance);
  EXPECT_EQ(step.ops[1].issue_s, 0.0);
  EXPECT_THAT(codes_of(step.notes), ElementsAre("graph_replay"));
  EXPECT_EQ(step.notes.front().text(),
            "a CUDA graph is replayed: the host takes 5 us to launch a step, and the device"
            " takes 700 ns for the shortest kernel");
}

// A launch that takes longer than the kernels is what a step takes.
TEST(GraphReplay, BoundByTheLaunch) {
  const StepTime step =
      replayed(three_kernels(),
               model_with({{"launch.graph_kernel", 0.7 * us}, {"launch.graph_launch", 50 * us}}));
  EXPECT_NEAR(step.time.value, 50 * us, graph_tolerance);
  EXPECT_TRUE(step.host_bound());
}

// By the figures of an H100: 1.3 / 2.1 of 2.1 us. Up to the gap of kernels issued one by one: 3 x
// 0.8 us more; down to 0.55 us: 3 x 0.75 us less. Other errors are as good as none.
TEST(GraphReplay, AnUnknownGapIsAssumedFromThatOfKernelsIssuedOneByOne) {
  const TimeModel model = model_with({{"launch.gap", 2.1 * us}, {"launch.graph_launch", 5 * us}});
  const GraphReplay graph = graph_replay(model);
  EXPECT_NEAR(graph.kernel.expected, 1.3 * us, graph_tolerance);
  EXPECT_NEAR(graph.kernel.low, 0.55 * us, graph_tolerance);
  EXPECT_NEAR(graph.kernel.high, 2.1 * us, graph_tolerance);
  const StepTime step = replayed(three_kernels(), model);
  EXPECT_NEAR(step.time.value, 33.9 * us, graph_tolerance);
  // 3 % of the device's time is what single ops cannot show: exp(1.645 * 0.03) of 30 us.
  const double kernels_slow = 30 * us * (std::exp(1.6448536 * 0.03) - 1.0);
  EXPECT_NEAR(step.high.value, 33.9 * us + std::hypot(2.4 * us, kernels_slow), 0.05 * us);
  EXPECT_NEAR(step.low.value, 33.9 * us - std::hypot(2.25 * us, kernels_slow), 0.1 * us);
  EXPECT_THAT(codes_of(step.notes), ElementsAre("graph_replay", "graph_kernel_assumed"));
  EXPECT_THAT(step.notes.back().text(), HasSubstr("published for an H100"));
}

TEST(GraphReplay, NothingIsKnown) {
  const GraphReplay graph = graph_replay(model_with({}));
  EXPECT_EQ(graph.kernel, (GraphReplay::Cost{0.8 * us, 0.55 * us, 1.3 * us}));
  // 2.5 us + 1 ns for each of 1000 kernels, at most 2 us + 200 ns for each.
  const GraphReplay::Cost launch = graph.launch(1000);
  EXPECT_NEAR(launch.expected, 3.5 * us, graph_tolerance);
  EXPECT_NEAR(launch.low, 3.5 * us, graph_tolerance);
  EXPECT_NEAR(launch.high, 202 * us, graph_tolerance);
  EXPECT_THAT(codes_of(graph.notes(1000)),
              ElementsAre("graph_replay", "graph_kernel_assumed", "graph_launch_assumed"));
}

// A short gap is not made longer by what others published.
TEST(GraphReplay, TheAssumedGapIsBelowThatOfKernelsIssuedOneByOne) {
  const GraphReplay graph = graph_replay(model_with({{"launch.gap", 0.42 * us}}));
  EXPECT_NEAR(graph.kernel.expected, 0.26 * us, graph_tolerance);
  EXPECT_EQ(graph.kernel.low, graph.kernel.expected);
  EXPECT_NEAR(graph.kernel.high, 0.42 * us, graph_tolerance);
}

// Times of a launch are not scaled by what the devices achieve.
TEST(GraphReplay, ACarriedDeviceHasTheFiguresOfItsRelative) {
  const GraphReplay graph =
      graph_replay(model_with({{"launch.graph_kernel", 0.7 * us}, {"launch.graph_launch", 5 * us}},
                              calibrated_device("target", 2.0)));
  EXPECT_EQ(graph.kernel.expected, 0.7 * us);
  EXPECT_NEAR(graph.kernel.low, 0.581 * us, graph_tolerance);  // 17 % less
  EXPECT_NEAR(graph.kernel.high, 0.819 * us, graph_tolerance);
  EXPECT_EQ(graph.launch(10).expected, 5 * us);
}

// The issue costs of a host have no part in it.
TEST(GraphReplay, TheHostsCostsAndJitterDoNotCount) {
  const TimeModel model =
      model_with({{"launch.graph_kernel", 0.7 * us}, {"launch.graph_launch", 5 * us}});
  const GraphReplay graph = graph_replay(model);
  device::HostCosts host;
  host.ops["unary"] = {1.0, 1.0, 1.0};
  host.jitter = 3.0;
  const StepTime with = predict_step(three_kernels(), model, {.host = &host, .graph = &graph});
  const StepTime without = predict_step(three_kernels(), model, {.graph = &graph});
  EXPECT_EQ(with.time.value, without.time.value);
  EXPECT_EQ(with.high.value, without.high.value);
}

TEST(GraphReplay, AReadWithinTheStepIsAnError) {
  schedule::Schedule schedule = three_kernels();
  schedule.ops[1].host_reads = true;
  const TimeModel model = model_with({});
  const Error error = thrown_error(ErrorKind::usage, [&] { (void)replayed(schedule, model); });
  EXPECT_EQ(std::string(error.what()),
            "no CUDA graph can hold this step: the host waits within it for 'relu'");
  EXPECT_THAT(error.hint(), HasSubstr(".item()"));
}

// Behind the last kernel the host waits, launches (5 us), and the first kernel starts 4 us later.
TEST(GraphReplay, AReadBehindTheStepWaitsForIt) {
  schedule::Schedule schedule = three_kernels();
  schedule.ops[2].host_reads = true;
  const StepTime step = replayed(
      schedule, model_with({{"launch.graph_kernel", 0.7 * us}, {"launch.graph_launch", 5 * us}}));
  EXPECT_NEAR(step.time.value, 5 * us + start_latency_s + 31.4 * us, graph_tolerance);
}

// A cache that grows by a token has other sizes in each step.
TEST(GraphReplay, SaysThatACacheOfChangingSizeCannotBeReplayed) {
  schedule::Schedule schedule = three_kernels();
  schedule.lives.assign(schedule.storages.size(), {0, schedule.ops.size(), true});
  EXPECT_THAT(codes_of(replayed(schedule, model_with({{"launch.graph_kernel", 1 * us},
                                                      {"launch.graph_launch", 1 * us}}))
                           .notes),
              ElementsAre("graph_replay"));
  schedule.storages.push_back({Bytes(100), schedule::Role::cache});
  schedule.lives.push_back({1, schedule.ops.size(), false});
  EXPECT_THAT(codes_of(replayed(schedule, model_with({{"launch.graph_kernel", 1 * us},
                                                      {"launch.graph_launch", 1 * us}}))
                           .notes),
              ElementsAre("graph_replay", "graph_needs_fixed_sizes"));
}

}  // namespace
}  // namespace rooflab::predict
