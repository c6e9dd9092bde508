// Steps of three linear layers whose ops take 10 ms each, worked out by hand: weights of 25 MiB, so
// that every gradient fills a separate bucket.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../base/thrown_error.hpp"
#include "base/format.hpp"
#include "calibrated_device.hpp"
#include "op_tables.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/predict/predicted_scaling.hpp"

namespace rooflab::predict {
namespace {

using graph::GraphBuilder;
using graph::ValueId;
using testing::ElementsAre;

constexpr double mib = 1024.0 * 1024.0;
constexpr std::int64_t wide = 2560;  // 2560 * 2560 * 4 B = 25 MiB
constexpr double gradient_bytes = 25.0 * mib;
constexpr double scaling_tolerance = 1e-6;

/// Linear layers without bias of these widths, the first one's input included.
schedule::Schedule trained_layers(const std::vector<std::int64_t>& widths, bool norm = false) {
  GraphBuilder b("net");
  ValueId x = b.input("x", {4, widths.front()});
  for (std::size_t i = 1; i < widths.size(); ++i) {
    x = b.linear(x, format("fc{}", i), widths[i], false);
  }
  if (norm) x = b.batch_norm(x, "bn");
  return schedule::lower(std::move(b).finish({x}), {.phase = Phase::training});
}

/// Every op that gives a gradient takes 10 ms, nothing else takes any time.
StepTime step_of(const schedule::Schedule& schedule, double host_s = 0.0) {
  StepTime step;
  step.ops.resize(schedule.ops.size());
  double at = 0.0;
  for (const GradientReady& gradient : gradients_of(schedule)) {
    OpTime& op = step.ops[gradient.op];
    op.device.kind = "linear";
    op.device.time_s = 10 * ms;
    op.start_s = at;
    op.end_s = at += 10 * ms;
  }
  step.time = step.device = Seconds{at};
  step.host = Seconds{host_s};
  step.low = Seconds{at * std::exp(-1.645 * 0.05)};
  step.high = Seconds{at * std::exp(1.645 * 0.05)};
  return step;
}

/// Copies take no time worth mentioning.
device::Device swift_device(double bandwidth = 1e30) {
  device::Device device = calibrated_device("swift");
  device.bandwidth = device::Figure{.value = bandwidth};
  device.sm_count = device::Figure{.value = 100.0};
  return device;
}

/// Two devices exchange 25 MiB in `all_reduce_s`: a ring of two moves every byte once.
LinkModel link_of(double all_reduce_s, int multiprocessors = 0) {
  device::Link link{.id = "toy", .name = "Toy", .source = "", .latency_source = ""};
  link.bandwidth = gradient_bytes / all_reduce_s;
  link.multiprocessors = multiprocessors;
  return LinkModel(link);
}

DataParallelStep scaled(const schedule::Schedule& schedule, const LinkModel& link, int devices = 2,
                        const device::Device& device = swift_device()) {
  return predict_data_parallel_step(schedule, step_of(schedule), device, link, devices,
                                    AllReduce::ring);
}

// ---- what comes when

TEST(GradientBuckets, OneMebibyteFirstThenTwentyFive) {
  const std::vector<double> bytes = {0.5 * mib, 0.6 * mib, 20 * mib, 4 * mib,
                                     2 * mib,   30 * mib,  1 * mib};
  EXPECT_THAT(gradient_buckets(bytes), ElementsAre(ElementsAre(0U, 1U), ElementsAre(2U, 3U, 4U),
                                                   ElementsAre(5U), ElementsAre(6U)));
  EXPECT_TRUE(gradient_buckets({}).empty());
}

TEST(GradientBuckets, ALimitThatIsMetClosesTheBucket) {
  EXPECT_THAT(gradient_buckets({1 * mib, 25 * mib, 1.0}),
              ElementsAre(ElementsAre(0U), ElementsAre(1U), ElementsAre(2U)));
}

TEST(Gradients, ComeFromTheLastLayerToTheFirst) {
  const schedule::Schedule schedule = trained_layers({8, 16, 32, 64});
  const std::vector<GradientReady> gradients = gradients_of(schedule);
  ASSERT_EQ(gradients.size(), 3U);
  EXPECT_EQ(gradients[0].bytes, 64.0 * 32.0 * 4.0);
  EXPECT_EQ(gradients[1].bytes, 32.0 * 16.0 * 4.0);
  EXPECT_EQ(gradients[2].bytes, 16.0 * 8.0 * 4.0);
  EXPECT_LT(gradients[0].op, gradients[1].op);
}

// They are exchanged whether or not an optimizer reads them.
TEST(Gradients, AreThereWithoutAnOptimizer) {
  GraphBuilder b("net");
  const ValueId x = b.linear(b.input("x", {4, 8}), "fc", 16, false);
  const schedule::Schedule schedule = schedule::lower(
      std::move(b).finish({x}), {.phase = Phase::training, .optimizer = schedule::Optimizer::none});
  const std::vector<GradientReady> gradients = gradients_of(schedule);
  ASSERT_EQ(gradients.size(), 1U);
  EXPECT_EQ(gradients[0].bytes, 8.0 * 16.0 * 4.0);
  EXPECT_EQ(schedule.ops[gradients[0].op].pass, schedule::Pass::weight_gradient);
}

/// A weight that two layers share has one gradient, ready with the sum of both.
TEST(Gradients, OfASharedWeightComeOnce) {
  GraphBuilder b("net");
  const ValueId w = b.parameter("w", {8, 8});
  const ValueId x = b.input("x", {4, 8});
  const ValueId y = b.add(graph::Linear{}, {b.add(graph::Linear{}, {x, w}, "one"), w}, "two");
  const schedule::Schedule schedule =
      schedule::lower(std::move(b).finish({y}), {.phase = Phase::training});
  const std::vector<GradientReady> gradients = gradients_of(schedule);
  ASSERT_EQ(gradients.size(), 1U);
  EXPECT_EQ(gradients[0].bytes, 8.0 * 8.0 * 4.0);
  EXPECT_TRUE(std::holds_alternative<schedule::AccumulateWork>(schedule.ops[gradients[0].op].work));
}

// Autograd hands on the bias of a linear layer before its weight, which goes through a
// transposition.
TEST(Gradients, OfALinearLayersBiasComesFirst) {
  GraphBuilder b("net");
  const ValueId y = b.linear(b.input("x", {4, 8}), "fc", 16);
  const schedule::Schedule schedule =
      schedule::lower(std::move(b).finish({y}), {.phase = Phase::training});
  const std::vector<GradientReady> gradients = gradients_of(schedule);
  ASSERT_EQ(gradients.size(), 2U);
  EXPECT_EQ(gradients[0].bytes, 16.0 * 4.0);
  EXPECT_EQ(gradients[1].bytes, 16.0 * 8.0 * 4.0);
  EXPECT_EQ(gradients[0].op, gradients[1].op);
}

// ---- the memory

// Two weights of 25 MiB: two devices hold a bucket of 25 MiB for each, one device holds none.
TEST(DataParallelStep, HoldsABucketForEveryGradient) {
  const schedule::Schedule schedule = trained_layers({wide, wide, wide});
  const DataParallelStep one = scaled(schedule, link_of(1 * ms), 1);
  const DataParallelStep two = scaled(schedule, link_of(1 * ms));
  const Bytes buckets(50 * 1024 * 1024);
  EXPECT_FALSE(one.memory.exchange.has_value());
  EXPECT_EQ(two.memory.exchange, buckets);
  EXPECT_EQ(two.memory.parameters, buckets);  // a replica
  EXPECT_EQ(two.memory.allocated_peak, one.memory.allocated_peak + buckets);
  EXPECT_EQ(two.memory.reserved, one.memory.reserved + Bytes(2 * 26 * 1024 * 1024));
}

// Two channels of three connections of 4 MiB, 512 KiB and 4.6875 MiB; at most 64 of five.
TEST(DataParallelStep, HoldsTheBuffersOfItsMessagesOnAGpu) {
  const schedule::Schedule schedule = trained_layers({wide, wide, wide});
  const auto gpu_step = [&](int devices) {
    const device::Device device = device::Catalog::built_in().find("t4");
    const auto step = percent_of_peak_step(schedule, device, {0.5, 0.5});
    return predict_data_parallel_step(schedule, step.value(), device, link_of(1 * ms), devices,
                                      AllReduce::ring);
  };
  EXPECT_FALSE(gpu_step(1).memory.communication_buffers);
  const DataParallelStep two = gpu_step(2);
  const Bytes buffers(2 * 3 * 9633792);
  EXPECT_EQ(two.memory.communication_buffers, buffers);
  EXPECT_EQ(two.memory.total, two.memory.reserved + *two.memory.context + buffers);
  const auto assumed = std::ranges::find(two.memory.assumed, "link buffers", &AssumedMemory::part);
  ASSERT_NE(assumed, two.memory.assumed.end());
  EXPECT_EQ(assumed->most, Bytes(64 * 5 * std::int64_t{9633792}));
  EXPECT_TRUE(two.fit);
}

// ---- the step

TEST(DataParallelStep, OfOneDeviceIsThePlainStep) {
  const schedule::Schedule schedule = trained_layers({wide, wide, wide});
  const DataParallelStep one = scaled(schedule, link_of(1 * ms), 1);
  EXPECT_EQ(one.devices, 1);
  EXPECT_NEAR(one.time.value, 20 * ms, scaling_tolerance);
  EXPECT_EQ(one.communication.value, 0.0);
  EXPECT_EQ(one.global_batch, 4);
  EXPECT_NEAR(one.samples_per_s, 4 / (20 * ms), 1e-3);
  EXPECT_TRUE(one.bucket_bytes.empty());
}

// Exchanged at 10-12 and 20-22; the last gradient is 1 KiB and takes next to nothing.
TEST(DataParallelStep, FullyHidden) {
  const schedule::Schedule schedule = trained_layers({16, wide, wide, wide});
  const DataParallelStep two = scaled(schedule, link_of(2 * ms));
  EXPECT_THAT(two.bucket_bytes, ElementsAre(gradient_bytes, gradient_bytes, 16.0 * 2560.0 * 4.0));
  const double last = 16.0 * 2560.0 * 4.0 / gradient_bytes * 2 * ms;
  EXPECT_NEAR(two.time.value, 30 * ms + last, scaling_tolerance);
  EXPECT_NEAR(two.communication.value, 4 * ms + last, scaling_tolerance);
  EXPECT_NEAR(two.hidden.value, 4 * ms, scaling_tolerance);
  EXPECT_NEAR(two.compute.value, 30 * ms, scaling_tolerance);
  EXPECT_EQ(two.global_batch, 8);
}

// The only gradient comes with the last op: nothing to hide it behind.
TEST(DataParallelStep, FullyExposed) {
  const DataParallelStep two = scaled(trained_layers({wide, wide}), link_of(7 * ms));
  EXPECT_NEAR(two.time.value, 17 * ms, scaling_tolerance);
  EXPECT_NEAR(two.communication.value, 7 * ms, scaling_tolerance);
  EXPECT_NEAR(two.hidden.value, 0.0, scaling_tolerance);
  EXPECT_NEAR(two.samples_per_s, 8 / (17 * ms), 1e-3);
}

// Gradients at 10, 20, 30; all-reduces of 15 ms wait for one another: 10-25, 25-40, 40-55.
TEST(DataParallelStep, AllReducesQueueUp) {
  const DataParallelStep two = scaled(trained_layers({wide, wide, wide, wide}), link_of(15 * ms));
  EXPECT_NEAR(two.time.value, 55 * ms, scaling_tolerance);
  EXPECT_NEAR(two.communication.value, 45 * ms, scaling_tolerance);
  EXPECT_NEAR(two.hidden.value, 20 * ms, scaling_tolerance);
}

// A copy reads and writes 25 MiB at 50 MiB/ms: 1 ms. In at 10-11, exchanged at 11-21, back at 22.
TEST(DataParallelStep, GradientsAreCopiedInAndBack) {
  const device::Device device = swift_device(2.0 * gradient_bytes / (1 * ms));
  const DataParallelStep two = scaled(trained_layers({wide, wide}), link_of(10 * ms), 2, device);
  EXPECT_NEAR(two.time.value, 22 * ms, scaling_tolerance);
}

// 20 of 100 multiprocessors are taken: 1.25 times as long. The first all-reduce runs at 10-20, in
// which the second op gets 8 of its 10 ms done: it ends at 22. The second runs at 22-32, so the
// third op ends at 34, and the last all-reduce at 44.
TEST(DataParallelStep, ContentionSlowsWhatRunsBeside) {
  const DataParallelStep two =
      scaled(trained_layers({wide, wide, wide, wide}), link_of(10 * ms, 20));
  EXPECT_NEAR(two.slowdown, 1.25, 1e-12);
  EXPECT_NEAR(two.time.value, 44 * ms, scaling_tolerance);
  EXPECT_NEAR(two.hidden.value, 20 * ms, scaling_tolerance);
}

/// 10 ms for 25 MiB; at the same time both take longer.
LinkModel slowed_link(const device::Overlap& overlap) {
  LinkModel link = link_of(10 * ms, 20);
  link.add(std::vector<device::Overlap>{overlap});
  return link;
}

// Products take 1.25 times as long during an all-reduce, and it 1.6 times. The second op runs at
// 10-22.5; the first all-reduce has then done 12.5 / 1.6 of its 10 ms, and 2.1875 are left, which
// take 3.5: until 26. The third op has done 2.8 by then and needs 9 more during the second
// all-reduce: 35. Of that 5.625 are done, and 4.375 alone last until 39.375; the third ends at
// 49.375. All-reduces took 16 + 13.375 + 10.
TEST(DataParallelStep, ProductsAndAllReducesSlowEachOther) {
  const LinkModel link = slowed_link({.ranks = 2,
                                      .product = 1.25,
                                      .copy = 3.0,
                                      .all_reduce_beside_product = 1.6,
                                      .all_reduce_beside_copy = 3.0});
  const DataParallelStep two = scaled(trained_layers({wide, wide, wide, wide}), link);
  EXPECT_NEAR(two.time.value, 49.375 * ms, scaling_tolerance);
  EXPECT_NEAR(two.slowdown, 1.25, 1e-6);
  EXPECT_NEAR(two.all_reduce_slowdown, 39.375 / 30.0, 1e-6);
  EXPECT_NEAR(two.communication.value, 30 * ms, scaling_tolerance);
}

// The same layers on a device whose arithmetic costs nothing are bound by memory: 1.5 times as
// long. The second op has done 10 / 1.5 when the first all-reduce ends at 20, and ends at 23.333;
// the third ends at 36.667, and the last all-reduce 10 ms later.
TEST(DataParallelStep, OpsBoundByMemoryAreSlowedAsCopiesAre) {
  device::Device device = swift_device();
  for (auto& [path, peak] : device.peaks) peak.value = 1e60;
  const LinkModel link = slowed_link({.ranks = 2, .product = 3.0, .copy = 1.5});
  const DataParallelStep two = scaled(trained_layers({wide, wide, wide, wide}), link, 2, device);
  EXPECT_NEAR(two.time.value, (36.0 + 2.0 / 3.0 + 10.0) * ms, scaling_tolerance);
  EXPECT_NEAR(two.slowdown, 1.5, 1e-6);
  EXPECT_NEAR(two.all_reduce_slowdown, 1.0, 1e-6);
}

// A ratio below 1 is noise: nothing runs faster while something else runs.
TEST(DataParallelStep, NothingIsFasterBesideAnAllReduce) {
  const LinkModel link =
      slowed_link({.ranks = 2, .product = 0.9, .copy = 0.9, .all_reduce_beside_product = 0.9});
  EXPECT_NEAR(scaled(trained_layers({wide, wide, wide, wide}), link).time.value, 40 * ms,
              scaling_tolerance);
}

// Batch norm of 2560 channels: two floats a channel in one group, its count of batches in another.
// A copy of 20 KiB takes 2 * 20480 / 1e9 s. Concatenated, sent in half of an all-reduce, copied
// back in two pieces: 3 passes over 40 KiB in all. The count's eight bytes are lost in the
// scaling_tolerance.
TEST(DataParallelStep, BuffersAreSentBeforeTheForwardPass) {
  const device::Device device = swift_device(1e9);
  const LinkModel link = link_of(1 * ms);
  const schedule::Schedule with = trained_layers({wide, wide}, true);
  StepTime nothing;
  nothing.ops.resize(with.ops.size());
  const double both = 2.0 * 2560.0 * 4.0;
  const double sent = 2.0 * (2.0 * both / 1e9) + 0.5 * both / link.bandwidth();
  // Gradients: the layer's and the norm's two, in and back; exchanged in two buckets.
  const double gradients = gradient_bytes + both;
  const double copies = 2.0 * (2.0 * gradients / 1e9);
  const DataParallelStep two =
      predict_data_parallel_step(with, nothing, device, link, 2, AllReduce::ring);
  ASSERT_EQ(two.bucket_bytes.size(), 1U);
  EXPECT_NEAR(two.time.value, sent + copies + gradients / link.bandwidth(), scaling_tolerance);
}

// The step ends when the gradients are back: 10 ms of backward work, an exchange, two copies.
TEST(DataParallelStep, WithoutAnOptimizerTheExchangeEndsTheStep) {
  GraphBuilder b("net");
  const ValueId x = b.linear(b.input("x", {4, wide}), "fc", wide, false);
  const graph::Graph network = std::move(b).finish({x});
  const LinkModel link = link_of(12 * ms);
  const auto time = [&](schedule::Optimizer optimizer) {
    const schedule::Schedule schedule =
        schedule::lower(network, {.phase = Phase::training, .optimizer = optimizer});
    return scaled(schedule, link).time.value;
  };
  EXPECT_GT(time(schedule::Optimizer::none), 21 * ms);
  EXPECT_NEAR(time(schedule::Optimizer::none), time(schedule::Optimizer::sgd), scaling_tolerance);
}

TEST(DataParallelStep, TheHostPaysForCopiesAndCalls) {
  // One launch 1 ms; a copy as the calibration has it for C++: 2 ms.
  device::Calibration calibration =
      calibration_of("source", {{"relu.forward.f32", plain_table("relu", 1e-12, 1e-18, 1e-6)}});
  calibration.figures = {{"launch.issue", "s", 1 * ms, 1 * ms, 1 * ms, 1, ""}};
  device::HostCosts host;
  host.issuer = "rooflab";
  host.ops["copy"] = {2 * ms, {}, {}};
  calibration.hosts = {host};
  const TimeModel model({{device::LazyCalibration(calibration), calibrated_device("source")}},
                        calibrated_device("source"));
  const schedule::Schedule schedule = trained_layers({wide, wide});
  StepTime step = step_of(schedule, 1 * ms);
  // The host: 1 ms once a step, 2 for the copy, 5 for the call, 2 for the copy back. Behind an op
  // of 10 ms it keeps ahead.
  const LinkModel link = link_of(0.001 * ms);
  EXPECT_NEAR(predict_data_parallel_step(schedule, step, model, link, 2).time.value, 10 * ms,
              0.01 * ms);
  // An op of 0.1 ms is there 1.1 ms after the step begins; every step then takes the host 10.
  step.ops[gradients_of(schedule)[0].op].device.time_s = 0.1 * ms;
  step.time = Seconds{1.1 * ms};
  EXPECT_NEAR(predict_data_parallel_step(schedule, step, model, link, 2).time.value,
              (1.1 + 9.0) * ms, 0.01 * ms);
}

TEST(DataParallelStep, GrowsWithDevicesAndShrinksWithBandwidth) {
  const schedule::Schedule schedule = trained_layers({wide, wide, wide, wide});
  double last = 0.0;
  for (const int devices : {1, 2, 3, 4, 8, 64}) {
    const double time = scaled(schedule, link_of(12 * ms), devices).time.value;
    EXPECT_GE(time, last) << devices;
    last = time;
  }
  last = 1e9;
  for (const double time_s : {30 * ms, 20 * ms, 10 * ms, 1 * ms, 0.1 * ms}) {
    const double time = scaled(schedule, link_of(time_s), 4).time.value;
    EXPECT_LE(time, last);
    last = time;
  }
}

void expect_interval(const DataParallelStep& two, double exchange_part) {
  const double deviation = std::hypot(0.05 * two.compute.value / two.time.value, exchange_part);
  EXPECT_NEAR(std::log(two.high.value / two.time.value), 1.645 * deviation, 1e-6);
  EXPECT_NEAR(std::log(two.time.value / two.low.value), 1.645 * deviation, 1e-6);
}

// What is exposed doubles when the link halves: 10 ms of step and 10 of exchange. A datasheet's
// deviation of 0.42 makes 10 * (e^0.42 - e^-0.42) between the two.
TEST(DataParallelStep, IntervalCarriesStepAndLink) {
  const double link_part = 0.5 * std::log((10 + 10 * std::exp(0.42)) / (10 + 10 * std::exp(-0.42)));
  expect_interval(scaled(trained_layers({wide, wide}), link_of(10 * ms)), link_part);
}

// All-reduces at 10, 20 and 30, of 10 ms: 40. Longer ones queue up, 10 + 3 * 10 * e^0.42; of
// shorter ones only the last counts. Kernels and all-reduces that run at the same time may take
// 1.189 times as long: the second op and the first all-reduce end at 21.89, the third op and the
// second at 33.78, and the last all-reduce runs alone until 43.78. Less than alone is not possible.
TEST(DataParallelStep, IntervalCarriesContentionThatWasNotMeasured) {
  const schedule::Schedule layers = trained_layers({wide, wide, wide, wide});
  const double link_part = 0.5 * std::log((10 + 30 * std::exp(0.42)) / (30 + 10 * std::exp(-0.42)));
  const double contention_part = 0.5 * std::log(43.78 / 40.0);
  expect_interval(scaled(layers, link_of(10 * ms)), std::hypot(link_part, contention_part));
  expect_interval(scaled(layers, slowed_link({})), link_part);
}

TEST(DataParallelStep, WhatCannotBeScaledIsAnError) {
  const schedule::Schedule schedule = trained_layers({8, 8});
  EXPECT_THROW((void)scaled(schedule, link_of(1.0), 0), Error);
  GraphBuilder b("net");
  const ValueId y = b.linear(b.input("x", {4, 8}), "fc", 8);
  const schedule::Schedule inference = schedule::lower(std::move(b).finish({y}), {});
  const auto message = [](const schedule::Schedule& of) {
    return thrown_message(ErrorKind::usage, [&] { return scaled(of, link_of(1.0), 2); });
  };
  EXPECT_EQ(message(inference), "only training has gradients to exchange");
  GraphBuilder without("net");
  const ValueId x = without.unary(without.input("x", {4, 8}), graph::UnaryFunction::relu, "relu");
  EXPECT_EQ(message(schedule::lower(std::move(without).finish({x}), {.phase = Phase::training})),
            "the network has no parameters: no gradients are exchanged");
}

// Each op at 50 % of 10 TFLOP/s or all of the bandwidth: the sum is the limit's.
TEST(PercentOfPeakStep, IsTheLimitOneOpAfterAnother) {
  const schedule::Schedule schedule = trained_layers({wide, wide, wide});
  const device::Device device = calibrated_device("source");
  const PercentOfPeak percent{0.5, 1.0};
  const std::optional<StepTime> step = percent_of_peak_step(schedule, device, percent);
  ASSERT_TRUE(step);
  EXPECT_NEAR(step->time.value, limit_of(schedule, device, percent).time->value, 1e-12);
  EXPECT_EQ(step->ops.size(), schedule.ops.size());
  EXPECT_EQ(step->low.value, step->high.value);
  const DataParallelStep two =
      predict_data_parallel_step(schedule, *step, device, link_of(1 * ms), 2, AllReduce::ring);
  EXPECT_EQ(two.low.value, two.time.value);  // no interval
  EXPECT_EQ(two.high.value, two.time.value);
}

// Unscaling writes every gradient, after the exchange: what is exchanged, and when, stays.
TEST(GradientBuckets, LossScalingComesAfterTheExchange) {
  const auto gradients = [](Precision precision) {
    GraphBuilder b("net");
    ValueId x = b.linear(b.input("x", {4, 8}), "fc1", 16);
    x = b.linear(x, "fc2", 4);
    const schedule::Schedule schedule = schedule::lower(
        std::move(b).finish({x}), {.phase = Phase::training, .precision = precision});
    std::vector<std::string> lines;
    for (const GradientReady& gradient : gradients_of(schedule)) {
      lines.push_back(format("{} {}", schedule.name_of(schedule.ops[gradient.op]), gradient.bytes));
    }
    return lines;
  };
  EXPECT_EQ(gradients(Precision::amp_fp16), gradients(Precision::amp));
  EXPECT_EQ(gradients(Precision::amp_fp16).size(), 4U);
}

}  // namespace
}  // namespace rooflab::predict
