// Calibrations whose tables lie on their curves exactly (op_tables.hpp), so that times are sums
// that can be worked out by hand: a floor and a time for each byte or FLOP.

#include "rooflab/predict/time_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.hpp"
#include "calibrated_device.hpp"
#include "op_tables.hpp"
#include "toy_model.hpp"

namespace rooflab::predict {
namespace {

constexpr double floor_s = 5e-6;
constexpr double slow_s_per_byte = 1.25e-12;  // 80 % of 1 TB/s
constexpr double s_per_flop = 1.25e-13;       // 80 % of 10 TFLOP/s
constexpr double negligible = 1e-30;

const OpShape relu{"relu", "forward", "f32", "", {1e7}};
constexpr double relu_s = floor_s + 8e7 * slow_s_per_byte;  // 8 bytes an element
const OpShape linear{"linear", "forward", "fp32", "", {4096, 1024, 1024}};
constexpr double linear_s = floor_s + 2.0 * 4096 * 1024 * 1024 * s_per_flop;
/// batch 64, 784 pixels, 128 channels to 128, 3 x 3, stride 1
const OpShape conv{"conv2d", "forward", "fp32", "nchw", {64, 784, 128, 128, 1, 9, 1}};
constexpr double conv_flops = 2.0 * 64 * 784 * 128 * 128 * 9;
constexpr double conv_bytes = 4.0 * (2.0 * 64 * 784 * 128 + 128 * 128 * 9);

Tables usual_tables(double deviation = 1e-6) {
  return {{"relu.forward.f32", plain_table("relu", floor_s, slow_s_per_byte, deviation)},
          {"linear.forward.fp32",
           product_table("linear.forward.fp32", floor_s, s_per_flop, negligible, deviation)},
          {"conv2d.forward.fp32.nchw",
           product_table("conv2d.forward.fp32.nchw", floor_s, s_per_flop, negligible, deviation)}};
}

OpShape with(OpShape shape, std::string type) {
  shape.type = std::move(type);
  return shape;
}

// ---- the device that was measured

TEST(TimeModel, OfTheMeasuredDeviceIsTheModelOfTheKind) {
  const TimeModel model = model_of(usual_tables(0.1));
  EXPECT_FALSE(model.carried());
  const OpEstimate estimate = model.estimate(relu);
  EXPECT_NEAR(estimate.time_s / relu_s, 1.0, 1e-9);
  EXPECT_NEAR(estimate.deviation, 0.1, 1e-9);
  EXPECT_EQ(estimate.source, TimeSource::measured_kind);
  EXPECT_EQ(estimate.kind, "relu.forward.f32");
  EXPECT_NEAR(model.estimate(linear).time_s / linear_s, 1.0, 1e-9);
  // Its own convolutions were measured: nothing is assumed about Winograd's algorithm.
  EXPECT_NEAR(model.estimate(conv).time_s / (floor_s + conv_flops * s_per_flop), 1.0, 1e-9);
}

// ---- kinds that were not measured

// Equal peaks: an fp16 product takes what a bf16 product takes, and that is less sure.
TEST(TimeModel, Fp16IsTakenFromBf16) {
  const TimeModel model =
      model_of({{"linear.forward.bf16",
                 product_table("linear.forward.bf16", floor_s, s_per_flop / 16.0, negligible, 0.1)},
                {"linear.forward.fp32",
                 product_table("linear.forward.fp32", floor_s, s_per_flop, negligible, 0.1)}});
  const OpEstimate half = model.estimate(with(linear, "fp16"));
  const OpEstimate own = model.estimate(with(linear, "bf16"));
  EXPECT_NEAR(half.time_s / own.time_s, 1.0, 1e-9);
  EXPECT_EQ(half.kind, "linear.forward.bf16");
  EXPECT_EQ(half.source, TimeSource::other_kind);
  EXPECT_EQ(own.source, TimeSource::measured_kind);
  EXPECT_GT(half.deviation, own.deviation);
}

// Eight times the peak: bound by arithmetic in both types, an eighth of the time.
TEST(TimeModel, AnotherTypeIsScaledByTheLimits) {
  const TimeModel model = model_of(usual_tables());
  const OpEstimate tf32 = model.estimate(with(linear, "tf32"));
  EXPECT_EQ(tf32.kind, "linear.forward.fp32");
  EXPECT_NEAR(tf32.time_s / linear_s, 1.0 / 8.0, 1e-9);
}

// Half the bytes, half the time.
TEST(TimeModel, AnotherTypeOfDataIsScaledByItsBytes) {
  const TimeModel model = model_of(usual_tables());
  const OpEstimate half = model.estimate(with(relu, "f16"));
  EXPECT_NEAR(half.time_s / relu_s, 0.5, 1e-9);
  EXPECT_EQ(half.source, TimeSource::other_kind);
}

// Depthwise kernels for NCHW know no TF32: the FP32 measurements are those of the same kernel.
TEST(TimeModel, DepthwiseTf32IsFp32) {
  const std::string kind = "conv2d_depthwise.forward.fp32.nchw";
  const TimeModel model =
      model_of({{kind, product_table(kind, floor_s, s_per_flop, slow_s_per_byte, 0.1)}});
  const OpShape depthwise{
      "conv2d_depthwise", "forward", "fp32", "nchw", {64, 784, 1, 1, 128, 9, 1}};
  const OpEstimate fp32 = model.estimate(depthwise);
  const OpEstimate tf32 = model.estimate(with(depthwise, "tf32"));
  EXPECT_EQ(tf32.time_s, fp32.time_s);
  EXPECT_EQ(tf32.deviation, fp32.deviation);
  EXPECT_EQ(tf32.kind, kind);
}

TEST(TimeModel, TheOtherLayoutIsTakenWhereOneIsMissing) {
  const TimeModel model = model_of(usual_tables(0.1));
  OpShape nhwc = conv;
  nhwc.layout = "nhwc";
  const OpEstimate estimate = model.estimate(nhwc);
  EXPECT_EQ(estimate.kind, "conv2d.forward.fp32.nchw");
  EXPECT_EQ(estimate.source, TimeSource::other_kind);
  EXPECT_GT(estimate.deviation, 0.1);
  EXPECT_NEAR(estimate.time_s / model.estimate(conv).time_s, 1.0, 1e-9);
}

// An unmeasured function reads and writes as many bytes as a ReLU of as many elements.
TEST(TimeModel, AnotherFunctionIsTakenByItsBytes) {
  const TimeModel model = model_of(usual_tables(0.1));
  const OpEstimate gelu = model.estimate({"gelu", "backward", "f32", "", {1e7}});
  EXPECT_NEAR(gelu.time_s / relu_s, 1.0, 1e-9);
  EXPECT_EQ(gelu.kind, "relu.forward.f32");
  EXPECT_EQ(gelu.source, TimeSource::other_kind);
  EXPECT_GT(gelu.deviation, 0.1);
  // Backward of a softmax: three times 4 bytes an element; 12e6 bytes are a ReLU of 1.5e6.
  const OpEstimate softmax = model.estimate({"softmax", "backward", "f32", "", {1000, 1000}});
  EXPECT_NEAR(softmax.time_s / (floor_s + 12e6 * slow_s_per_byte), 1.0, 1e-9);
}

TEST(TimeModel, AStridedCastIsAtLeastACast) {
  Tables tables = usual_tables();
  tables["cast_bf16.forward.f32"] = plain_table("cast_bf16", floor_s, slow_s_per_byte);
  const TimeModel model = model_of(tables);
  const OpEstimate plain = model.estimate({"cast_bf16", "forward", "f32", "", {1e7}});
  const OpEstimate strided = model.estimate({"cast_bf16_strided", "forward", "f32", "", {1e7}});
  EXPECT_EQ(strided.kind, "cast_bf16.forward.f32");
  EXPECT_GE(strided.time_s, plain.time_s);
  EXPECT_GT(strided.deviation, plain.deviation);
}

// A copy of 1e7 numbers that keeps rows together: a type that has only plain copies takes 1.3 of
// one. Repeated elements are read once: 1e7 numbers, a fourth of them read, are 1.25 times 4e7
// bytes, as 0.625e7 that are read and written.
TEST(TimeModel, CopiesWithoutAKindOfTheirOwn) {
  Tables tables = usual_tables();
  tables["copy.forward.i64"] = plain_table("copy", floor_s, slow_s_per_byte);
  tables["copy_strided.forward.f32"] = plain_table("copy_strided", floor_s, slow_s_per_byte);
  const TimeModel model = model_of(tables);
  const OpEstimate strided = model.estimate({"copy_strided", "forward", "i64", "", {1e7, 64}});
  EXPECT_EQ(strided.kind, "copy.forward.i64");
  EXPECT_NEAR(strided.time_s / model.estimate({"copy", "forward", "i64", "", {1e7}}).time_s, 1.3,
              1e-9);
  const OpEstimate expanded =
      model.estimate({"copy_expanded", "forward", "f32", "", {1e7, 4, 4096}});
  EXPECT_EQ(expanded.kind, "copy_strided.forward.f32");
  EXPECT_NEAR(expanded.time_s / (floor_s + 5e7 * slow_s_per_byte), 1.0, 1e-9);
}

// 2 * 128 * 512^3 FLOPs at 10 TFLOP/s are 3.44 ms, and no op reaches its limit.
TEST(TimeModel, WithoutAnyMeasurementNearItIsTheRoofline) {
  const TimeModel model = model_of(usual_tables());
  const OpEstimate estimate =
      model.estimate({"matmul", "forward", "fp32", "", {128, 512, 512, 512}});
  EXPECT_EQ(estimate.source, TimeSource::roofline);
  EXPECT_EQ(estimate.kind, "limit");
  EXPECT_GT(estimate.time_s, 3.436e-3);
  EXPECT_LT(estimate.time_s, 3.0 * 3.436e-3);
  EXPECT_GT(estimate.deviation, 0.3);
  // 8e7 bytes at 1 TB/s: 80 us.
  const OpEstimate bytes = model_of({}).estimate(relu);
  EXPECT_EQ(bytes.source, TimeSource::roofline);
  EXPECT_GT(bytes.time_s, 80e-6);
  EXPECT_LT(bytes.time_s, 240e-6);
}

// An LSTM of 64 units over 10 steps of 32 samples with 128 features: a product of 320 rows, 10 of
// 32, and 10 times 8,192 elements of gates.
TEST(TimeModel, RecurrentLayersAreTheirProductsWhereNoneWereMeasured) {
  const TimeModel model = model_of(usual_tables(0.1));
  const OpEstimate estimate =
      model.estimate({"lstm", "forward", "fp32", "", {32, 10, 128, 64, 1, 1}});
  const double gates = 256.0;
  const double inputs = floor_s + 2.0 * 320 * 128 * gates * s_per_flop;
  const double states = floor_s + 2.0 * 32 * 64 * gates * s_per_flop;
  const double cells = floor_s + 8.0 * 32 * gates * slow_s_per_byte;
  EXPECT_NEAR(estimate.time_s / (inputs + 10.0 * (states + cells)), 1.0, 1e-9);
  EXPECT_EQ(estimate.source, TimeSource::other_kind);
  EXPECT_EQ(estimate.kind, "linear.forward.fp32");
  EXPECT_GT(estimate.deviation, 0.5);
}

TEST(RecurrentParts, AreThoseOfEveryLayerAndDirection) {
  const auto parts = [](const char* pass) {
    std::vector<std::string> lines;
    for (const OpPart& part :
         parts_of_recurrent({"gru", pass, "bf16", "", {32, 10, 128, 64, 3, 2}})) {
      std::string line = format("{} x {}", part.count, part.shape.kind());
      for (const double size : part.shape.sizes) line += format(" {}", size);
      lines.push_back(line);
    }
    return lines;
  };
  // 192 gates; layers above the first read 128 results; 3 layers, 2 directions, 10 steps.
  EXPECT_THAT(parts("forward"), testing::ElementsAre("2 x linear.forward.bf16 320 128 192",
                                                     "4 x linear.forward.bf16 320 128 192",
                                                     "60 x linear.forward.bf16 32 64 192",
                                                     "60 x tanh.forward.bf16 6144"));
  EXPECT_THAT(parts("weight_gradient"),
              testing::ElementsAre("2 x linear.weight_gradient.bf16 320 128 192",
                                   "4 x linear.weight_gradient.bf16 320 128 192",
                                   "6 x linear.weight_gradient.bf16 320 64 192"));
  EXPECT_EQ(parts("data_gradient").back(), "60 x tanh.backward.bf16 6144");
}

// Measured in any type, it is that kind: bound by arithmetic, an eighth of the time.
TEST(TimeModel, RecurrentLayersOfAnotherTypeComeBeforeTheirProducts) {
  Tables tables = usual_tables();
  device::OpTable lstm = product_table("lstm.forward.fp32", floor_s, s_per_flop, negligible);
  lstm.curve.push_back(-200.0);  // nothing for a step
  tables["lstm.forward.fp32"] = std::move(lstm);
  const OpEstimate estimate =
      model_of(std::move(tables)).estimate({"lstm", "forward", "tf32", "", {64, 64, 64, 64, 1, 1}});
  EXPECT_EQ(estimate.kind, "lstm.forward.fp32");
  EXPECT_EQ(estimate.source, TimeSource::other_kind);
}

// A table without a model (too few rows, or never fitted) is not a measurement of the kind.
TEST(TimeModel, AnUnfittedTableIsNotUsed) {
  Tables tables = usual_tables();
  tables["relu.forward.f32"].curve.clear();
  EXPECT_EQ(model_of(tables).estimate(relu).source, TimeSource::roofline);
}

// ---- a device that was not measured

/// With the figures that tell whether a device is nowhere better than another.
device::Device described(device::Device device, double clock = 1e9) {
  device.boost_clock = device::Figure{.value = clock};
  device.l2 = device::Figure{.value = 10e6};
  device.tdp = device::Figure{.value = 100.0};
  return device;
}

/// A linear op that takes `slowness` times what 10 TFLOP/s allow, on a source at 1 GHz.
struct Carried {
  double slowness;
  double target_scale = 0.5;  ///< scale of bandwidth and peaks
  double target_clock = 1e9;

  [[nodiscard]] double time_s() const {
    const device::Device source = described(calibrated_device("source"));
    const device::Device target =
        described(calibrated_device("target", target_scale), target_clock);
    Tables tables;
    tables["linear.forward.fp32"] =
        product_table("linear.forward.fp32", floor_s, slowness / 10e12, negligible);
    return TimeModel({{device::LazyCalibration(calibration_of("source", tables)), source}}, target)
               .estimate(linear)
               .time_s -
           floor_s;
  }
};
constexpr double linear_at_peak_s = 2.0 * 4096 * 1024 * 1024 / 10e12;

// Half the peaks: what runs at the peak takes twice as long. What takes ten times what the peak
// allows (e = 0.1, a = e^2 = 0.01) takes 2^0.01 as long, and follows the clock instead.
TEST(TimeModel, WhatIsFarFromThePeakFollowsTheClock) {
  EXPECT_NEAR(Carried{1.0}.time_s() / linear_at_peak_s, 2.0, 1e-6);
  EXPECT_NEAR(Carried{10.0}.time_s() / (10.0 * linear_at_peak_s), std::pow(2.0, 0.01), 1e-6);
  EXPECT_NEAR((Carried{10.0, 1.0, 0.5e9}.time_s()) / (10.0 * linear_at_peak_s), std::pow(2.0, 0.99),
              1e-6);
}

// At 1.25 times what the peak allows, e = 0.8, a = 0.64: 1.25 x 2^0.64 = 1.95 is less than the
// target's peak allows, 2.
TEST(TimeModel, NothingIsFasterThanTheTargetsRatesAllow) {
  EXPECT_NEAR(Carried{1.25}.time_s() / linear_at_peak_s, 2.0, 1e-6);
  EXPECT_NEAR((Carried{1.25, 2.0}.time_s()) / linear_at_peak_s, 1.25 * std::pow(0.5, 0.64), 1e-6);
}

// Winograd's algorithm on the source: it saves as much on the target.
TEST(TimeModel, SavedWorkIsSavedOnTheTarget) {
  EXPECT_NEAR(Carried{0.5}.time_s() / (0.5 * linear_at_peak_s), 2.0, 1e-6);
}

// Half the multiprocessors and half of everything: as long as the source takes for twice the rows,
// since each multiprocessor does as much.
TEST(TimeModel, HalfADeviceTakesWhatTheWholeTakesForTwiceTheWork) {
  Tables tables = usual_tables();
  tables["linear.forward.fp32"] =
      product_table("linear.forward.fp32", floor_s, 1.0 / 10e12, negligible, 1e-6, 64.0);
  const TimeModel carried = model_of(tables, calibrated_device("half", 0.5, 50.0));
  const TimeModel own = model_of(tables);
  for (const double rows : {256.0, 4096.0}) {
    OpShape shape = linear;
    shape.sizes[0] = rows;
    const double time = carried.estimate(shape).time_s;
    shape.sizes[0] *= 2.0;
    EXPECT_NEAR(time / own.estimate(shape).time_s, 1.0, 1e-9) << rows;
  }
}

// A target that is in no figure better is never faster, though its clock is not the source's.
TEST(TimeModel, ADeviceThatIsNowhereBetterIsNeverFaster) {
  for (const double slowness : {0.3, 1.0, 1.5, 4.0, 30.0}) {
    for (const double scale : {1.0, 0.9, 0.5}) {
      EXPECT_GE((Carried{slowness, scale, 0.9e9}.time_s()),
                slowness * linear_at_peak_s * (1.0 - 1e-9))
          << slowness << " " << scale;
    }
  }
}

// The source's convolution runs at a quarter of the peak and its products at 80 %: by Winograd's
// algorithm a target with as good figures would be faster than the source was measured to be.
TEST(TimeModel, NoAlgorithmMakesADeviceThatIsNowhereBetterFaster) {
  Tables tables = usual_tables();
  tables["conv2d.forward.fp32.nchw"] =
      product_table("conv2d.forward.fp32.nchw", floor_s, 4.0 / 10e12, negligible);
  const device::Device source = described(calibrated_device("source"));
  const auto time_on = [&](const device::Device& target) {
    const TimeModel model({{device::LazyCalibration(calibration_of("source", tables)), source}},
                          target);
    return model.estimate(conv).time_s;
  };
  const double measured_s = time_on(source);
  device::Device target = described(calibrated_device("target"), 0.9e9);
  EXPECT_NEAR(time_on(target) / measured_s, 1.0, 0.2);
  EXPECT_GE(time_on(target), measured_s * (1.0 - 1e-9));
  target.tdp->value = 101.0;  // better in one figure
  EXPECT_LT(time_on(target), 0.5 * measured_s);
}

/// A calibration of `id` whose linear layers take `slowness` times what 10 TFLOP/s allow.
CalibratedDevice with_linear(const char* id, double slowness, bool published, double clock = 1e9) {
  Tables tables = {{"linear.forward.fp32",
                    product_table("linear.forward.fp32", floor_s, slowness / 10e12, negligible)}};
  if (published) {
    tables["linear.forward.fp32"].published = device::PublishedRows{.origin = "table"};
  }
  device::Calibration calibration = calibration_of(id, tables);
  calibration.origins["table"].title = "A table";
  return {device::LazyCalibration(calibration), described(calibrated_device(id), clock)};
}

// Published rows of the target say 1, the better device's own probe says 2: so 2, and less sure.
// Published rows of the better device say nothing about the target's own.
TEST(TimeModel, AProbedDeviceBoundsPublishedTimesOfALesserOne) {
  const auto estimate = [&](bool published) {
    device::Device target = described(calibrated_device("target"), 0.9e9);
    return TimeModel({with_linear("target", 1.0, true), with_linear("better", 2.0, published)},
                     target)
        .estimate(linear);
  };
  EXPECT_NEAR(estimate(true).time_s, floor_s + linear_at_peak_s, 1e-9);
  EXPECT_NEAR(estimate(false).time_s, floor_s + 2.0 * linear_at_peak_s, 1e-9);
  const double ratio = estimate(false).time_s / estimate(true).time_s;
  EXPECT_NEAR(estimate(false).deviation, std::hypot(estimate(true).deviation, std::log(ratio)),
              1e-9);
}

// ---- devices of one architecture

// Two boards whose rows contradict each other: the better one takes at most what the lesser one was
// measured to take. Without the other in sight each keeps its own.
TEST(TimeModel, OfTwoPublishedDevicesTheBetterOneIsNotSlower) {
  const CalibratedDevice lesser = with_linear("lesser", 1.0, true, 0.9e9);
  const CalibratedDevice better = with_linear("better", 2.0, true, 1e9);
  const auto time_on = [&](const device::Device& target, std::vector<device::Device> siblings) {
    return TimeModel({better, lesser}, target, std::move(siblings)).estimate(linear).time_s;
  };
  EXPECT_NEAR(time_on(better.device, {}), floor_s + 2.0 * linear_at_peak_s, 1e-9);
  EXPECT_NEAR(time_on(better.device, {lesser.device}), floor_s + linear_at_peak_s, 1e-9);
  EXPECT_NEAR(time_on(lesser.device, {better.device}), floor_s + linear_at_peak_s, 1e-9);
}

// A probe is surer than published rows, and rows are surer than what is carried over.
TEST(TimeModel, TheSurerDeviceDecidesInAnArchitecture) {
  const CalibratedDevice lesser = with_linear("lesser", 1.0, true, 0.9e9);
  const CalibratedDevice better = with_linear("better", 2.0, false, 1e9);
  const TimeModel probed({better, lesser}, better.device, {lesser.device});
  EXPECT_NEAR(probed.estimate(linear).time_s, floor_s + 2.0 * linear_at_peak_s, 1e-9);
  const TimeModel published({better, lesser}, lesser.device, {better.device});
  EXPECT_NEAR(published.estimate(linear).time_s, floor_s + 2.0 * linear_at_peak_s, 1e-9);

  // Half the peaks, and not measured: by itself it would take twice the source's time.
  const device::Device third = described(calibrated_device("third", 0.5), 0.8e9);
  const CalibratedDevice source = with_linear("source", 1.0, true, 1e9);
  const TimeModel alone({source}, third);
  EXPECT_NEAR(alone.estimate(linear).time_s, floor_s + 2.0 * linear_at_peak_s, 1e-9);
  // A board that is nowhere better than it was measured to take three halves.
  CalibratedDevice fourth = with_linear("fourth", 1.5, true, 0.7e9);
  fourth.device = described(calibrated_device("fourth", 0.2), 0.7e9);  // and farther away
  const TimeModel ordered({source, fourth}, third, {source.device, fourth.device});
  EXPECT_NEAR(ordered.estimate(linear).time_s, floor_s + 1.5 * linear_at_peak_s, 1e-9);
}

// 2^28 numbers of 4 bytes, read and written, less 10 MB of cache, at 1 TB/s: 2.137 ms.
TEST(TimeModel, NothingIsFasterThanWhatTheCacheCannotHold) {
  Tables tables = {{"clip.backward.f32", plain_table("clip", 0.2e-6, 1e-30)}};
  const device::Device source = described(calibrated_device("source"));
  const TimeModel model({{device::LazyCalibration(calibration_of("source", tables)), source}},
                        source);
  const OpShape clip{"clip", "backward", "f32", "", {268435456.0}};
  EXPECT_NEAR(model.estimate(clip).time_s, 2.137483648e-3, 1e-9);
  const OpShape cached{"clip", "backward", "f32", "", {1000000.0}};
  EXPECT_NEAR(model.estimate(cached).time_s, 0.2e-6, 1e-9);
}

// 1 GB of keys and values takes 1 ms at 1 TB/s; the row of 5 ms shows what half as much takes.
TEST(TimeModel, ARowOfTheDeviceShowsASlowOpWithinAFactorOfTwo) {
  Tables tables = {{"relu.forward.f32", plain_table("relu", floor_s, 1e-12)}};
  device::OpTable& table = tables["relu.forward.f32"];
  table.rows = {{{62500000.0}, 5e-3, std::nullopt}};  // 0.5 GB: 0.5 ms
  const device::Device source = described(calibrated_device("source"));
  const CalibratedDevice calibrated{device::LazyCalibration(calibration_of("source", tables)),
                                    source};
  const TimeModel model({calibrated}, source);
  EXPECT_TRUE(model.has_row_slower({"relu", "forward", "f32", "", {125000000.0}}, 4.0));
  EXPECT_FALSE(model.has_row_slower({"relu", "forward", "f32", "", {125000000.0}}, 11.0));
  EXPECT_FALSE(model.has_row_slower({"relu", "forward", "f32", "", {126000000.0}}, 4.0));
  EXPECT_FALSE(model.has_row_slower({"gelu", "forward", "f32", "", {125000000.0}}, 4.0));
  const TimeModel other({calibrated}, described(calibrated_device("other")));
  EXPECT_FALSE(other.has_row_slower({"relu", "forward", "f32", "", {125000000.0}}, 4.0));
}

// Boards that differ in the size of their memory only.
TEST(TimeModel, TheSameBoardTakesTheSameTime) {
  const device::Device source = described(calibrated_device("source"));
  const device::Device target = described(calibrated_device("target"));
  for (const OpShape& shape : {relu, linear, conv}) {
    const auto time_on = [&](const device::Device& device) {
      return TimeModel(
                 {{device::LazyCalibration(calibration_of("source", usual_tables())), source}},
                 device)
          .estimate(shape)
          .time_s;
    };
    EXPECT_DOUBLE_EQ(time_on(target), time_on(source));
  }
}

// ---- several calibrations

TEST(TimeModel, EveryKindIsOfTheNearestDeviceThatHasIt) {
  const auto table_of = [](double slowness) {
    return product_table("linear.forward.fp32", floor_s, slowness / 10e12, negligible);
  };
  Tables own = {{"relu.forward.f32", plain_table("relu", floor_s, slow_s_per_byte)}};
  Tables near = {{"linear.forward.fp32", table_of(2.0)}};
  Tables far = usual_tables();
  const TimeModel model(
      {{device::LazyCalibration(calibration_of("target", own)), calibrated_device("target")},
       {device::LazyCalibration(calibration_of("near", near)), calibrated_device("near")},
       {device::LazyCalibration(calibration_of("far", far)), calibrated_device("far")}},
      calibrated_device("target"));
  EXPECT_FALSE(model.carried());
  const OpEstimate measured = model.estimate(relu);
  EXPECT_EQ(measured.source, TimeSource::measured_kind);
  EXPECT_EQ(measured.device, "target");
  EXPECT_EQ(measured.common_deviation, 0.0);
  const OpEstimate carried = model.estimate(linear);
  EXPECT_EQ(carried.source, TimeSource::carried_kind);
  EXPECT_EQ(carried.device, "near");
  EXPECT_GT(carried.common_deviation, 0.0);
  EXPECT_NEAR(carried.time_s, floor_s + 2.0 * linear_at_peak_s, 1e-9);
  EXPECT_EQ(model.estimate(conv).device, "far");
  // A neighbouring kind is asked for only where no device has the kind itself.
  EXPECT_EQ(model.estimate(with(linear, "bf16")).source, TimeSource::other_kind);
}

// What bf16 takes on a far device says more about fp16 than the FP32 of a near one; a device's own
// bf16 comes before both.
TEST(TimeModel, Fp16IsCarriedFromBf16BeforeANearerFp32) {
  const auto source = [](const char* id, const char* kind) {
    return CalibratedDevice{
        device::LazyCalibration(
            calibration_of(id, {{kind, product_table(kind, floor_s, s_per_flop, negligible)}})),
        calibrated_device(id)};
  };
  const CalibratedDevice near = source("near", "linear.forward.fp32");
  const CalibratedDevice far = source("far", "linear.forward.bf16");
  const OpEstimate carried =
      TimeModel({near, far}, calibrated_device("target")).estimate(with(linear, "fp16"));
  EXPECT_EQ(carried.device, "far");
  EXPECT_EQ(carried.kind, "linear.forward.bf16");
  EXPECT_EQ(carried.source, TimeSource::other_kind);
  const OpEstimate own =
      TimeModel({source("target", "linear.forward.bf16"), far}, calibrated_device("target"))
          .estimate(with(linear, "fp16"));
  EXPECT_EQ(own.device, "target");
}

// The device runs forward convolutions 1.5 times as long as carrying from the other says; 0.7 of
// that, as a logarithm, is taken over for gradients.
TEST(TimeModel, TheForwardPassTellsTheLevelOfCarriedGradients) {
  const auto products = [](const char* kind, double slowness) {
    device::OpTable table = product_table(kind, floor_s, slowness / 10e12, negligible);
    table.rows = {{linear.sizes, floor_s + slowness * linear_at_peak_s, {}}};
    return std::pair<const std::string, device::OpTable>(kind, table);
  };
  const auto gradient_s = [&](double forward_slowness) {
    const TimeModel model({{device::LazyCalibration(calibration_of(
                                "target", {products("linear.forward.fp32", forward_slowness)})),
                            calibrated_device("target")},
                           {device::LazyCalibration(calibration_of(
                                "source", {products("linear.forward.fp32", 2.0),
                                           products("linear.data_gradient.fp32", 2.0)})),
                            calibrated_device("source")}},
                          calibrated_device("target"));
    OpShape gradient = linear;
    gradient.pass = "data_gradient";
    return model.estimate(gradient).time_s;
  };
  EXPECT_NEAR(gradient_s(3.0) / gradient_s(2.0), std::pow(1.5, 0.7), 1e-3);
}

// Published 3x3 convolutions tell the level of gradients of 3x3 ones, whatever was asked before,
// and nothing of 1x1 ones.
TEST(TimeModel, TheLevelIsThatOfTheKernelsThatWereMeasured) {
  const auto convolutions = [](const char* kind, double slowness, bool published) {
    device::OpTable table = product_table(kind, floor_s, slowness / 10e12, negligible);
    const OpShape shape{"conv2d", "forward", "fp32", "nchw", {64, 784, 128, 128, 1, 9, 1}};
    table.rows = {{shape.sizes, floor_s + slowness * work_of(shape).matrix_flops / 10e12, {}}};
    if (published) table.published = device::PublishedRows{.origin = "table"};
    return std::pair<const std::string, device::OpTable>(kind, table);
  };
  const auto model = [&](double forward_slowness) {
    device::Calibration target = calibration_of(
        "target", {convolutions("conv2d.forward.fp32.nchw", forward_slowness, true)});
    target.origins["table"] = {};
    return TimeModel({{device::LazyCalibration(std::move(target)), calibrated_device("target")},
                      {device::LazyCalibration(calibration_of(
                           "source", {convolutions("conv2d.forward.fp32.nchw", 2.0, false),
                                      convolutions("conv2d.data_gradient.fp32.nchw", 2.0, false)})),
                       calibrated_device("source")}},
                     calibrated_device("target"));
  };
  const auto gradient = [](double kernel) {
    return OpShape{"conv2d", "data_gradient", "fp32", "nchw", {64, 784, 128, 128, 1, kernel, 1}};
  };
  const TimeModel slow = model(3.0);
  const TimeModel same = model(2.0);
  EXPECT_NEAR(slow.estimate(gradient(1)).time_s / same.estimate(gradient(1)).time_s, 1.0, 1e-9);
  EXPECT_NEAR(slow.estimate(gradient(9)).time_s / same.estimate(gradient(9)).time_s,
              std::pow(1.5, 0.7), 1e-3);
  const TimeModel other_order = model(3.0);
  EXPECT_EQ(other_order.estimate(gradient(9)).time_s, slow.estimate(gradient(9)).time_s);
  EXPECT_EQ(other_order.estimate(gradient(1)).time_s, slow.estimate(gradient(1)).time_s);
}

// The source's L2 let it run at three times its memory's bandwidth; the target has no such luck.
TEST(TimeModel, MemoryBoundWorkIsNeverFasterThanTheMemory) {
  const TimeModel model = model_of({{"relu.forward.f32", plain_table("relu", 1e-6, 0.33e-12)}},
                                   calibrated_device("target", 0.5));
  EXPECT_GE(model.estimate(relu).time_s, 8e7 / 0.5e12);
}

TEST(TimeModel, CarryingOverIsLessSureTheFartherItGoes) {
  device::Device target = calibrated_device("target", 0.5);
  const double near = model_of(usual_tables(), target).estimate(linear).common_deviation;
  target.architecture = "Other";
  const double far = model_of(usual_tables(), target).estimate(linear).common_deviation;
  target.vendor = "Other";
  const double farthest = model_of(usual_tables(), target).estimate(linear).common_deviation;
  EXPECT_GT(near, 0.0);
  EXPECT_GT(far, near);
  EXPECT_GT(farthest, far);
}

// Better figures of the target, one after another or all at once, never make anything slower.
TEST(TimeModel, IsMonotoneInTheTargetsPeaks) {
  const std::vector<OpShape> shapes = {
      relu,
      linear,
      with(linear, "tf32"),
      conv,
      with(conv, "bf16"),
      {"linear", "forward", "fp32", "", {1, 64, 10}},
      {"matmul", "forward", "fp16", "", {16, 64, 64, 64}},
      {"softmax", "backward", "f32", "", {1000, 10}},
      {"batch_norm", "forward", "bf16", "nchw", {32, 64, 3136}},
  };
  const auto improved = [](double bandwidth, double peaks) {
    device::Device device = calibrated_device("target");
    device.bandwidth->value *= bandwidth;
    for (auto& [path, peak] : device.peaks) peak.value *= peaks;
    return device;
  };
  for (const OpShape& shape : shapes) {
    for (const auto& [bandwidth, peaks] : {std::pair{1.4, 1.0}, {1.0, 1.4}, {1.4, 1.4}}) {
      double before = std::numeric_limits<double>::infinity();
      double b = 0.1;
      double p = 0.1;
      for (int i = 0; i < 14; ++i) {
        const double time = model_of(usual_tables(), improved(b, p)).estimate(shape).time_s;
        EXPECT_LE(time, before * (1.0 + 1e-12)) << shape.kind() << " at " << b << ", " << p;
        EXPECT_GT(time, 0.0);
        before = time;
        b *= bandwidth;
        p *= peaks;
      }
    }
  }
}

// ---- Winograd's algorithm

/// Time of the direct algorithm on a device of half the source: at its peak of 5 TFLOP/s.
double direct_s(const OpShape& shape) { return floor_s + work_of(shape).matrix_flops / 5e12; }

Tables with_linear(double s_per_flop_of_linear) {
  Tables tables = usual_tables();
  tables["linear.forward.fp32"] =
      product_table("linear.forward.fp32", floor_s, s_per_flop_of_linear, negligible);
  return tables;
}

// Products as fast as the convolution's own: 2.25 times fewer, and images through the memory.
TEST(TimeModel, WinogradNeedsFewerProducts) {
  const TimeModel model = model_of(usual_tables(), calibrated_device("target", 0.5));
  const double time = model.estimate(conv).time_s;
  EXPECT_LT(time, direct_s(conv));
  EXPECT_GT(time, (direct_s(conv) - floor_s) / 2.25);
  EXPECT_LT(time, floor_s + (direct_s(conv) - floor_s) / 2.25 + 4.0 * conv_bytes / 0.5e12);
}

TEST(TimeModel, WinogradIsNeverAboveTheDirectAlgorithm) {
  for (const double slower : {0.5, 1.0, 2.0, 3.0, 10.0, 100.0}) {
    const TimeModel model =
        model_of(with_linear(slower * s_per_flop), calibrated_device("target", 0.5));
    EXPECT_LE(model.estimate(conv).time_s, direct_s(conv) * (1.0 + 1e-9)) << slower;
  }
  const TimeModel slow =
      model_of(with_linear(100.0 * s_per_flop), calibrated_device("target", 0.5));
  EXPECT_NEAR(slow.estimate(conv).time_s / direct_s(conv), 1.0, 1e-9);
}

// Another kernel, stride or arithmetic, too few channels, another vendor: the direct algorithm,
// however fast products may be.
TEST(TimeModel, WinogradIsForFp32Kernels3x3OfStride1) {
  const device::Device half = calibrated_device("target", 0.5);
  const TimeModel model = model_of(with_linear(0.4 * s_per_flop), half);
  ASSERT_LT(model.estimate(conv).time_s, 0.5 * direct_s(conv));
  const auto is_direct = [](const TimeModel& asked, const OpShape& shape) {
    EXPECT_NEAR(asked.estimate(shape).time_s / direct_s(shape), 1.0, 1e-9) << shape.kind();
  };
  OpShape other = conv;
  other.sizes[5] = 1.0;
  is_direct(model, other);
  other.sizes[5] = 25.0;
  is_direct(model, other);
  other = conv;
  other.sizes[6] = 4.0;
  is_direct(model, other);
  other = conv;
  other.sizes[2] = 3.0;  // of an image
  is_direct(model, other);
  device::Device amd = half;
  amd.vendor = "AMD";
  is_direct(model_of(with_linear(0.4 * s_per_flop), amd), conv);
  // TF32 runs on tensor cores, where 2.25 times fewer products bring no gain.
  Tables tables = with_linear(0.4 * s_per_flop);
  tables["conv2d.forward.tf32.nchw"] =
      product_table("conv2d.forward.tf32.nchw", floor_s, s_per_flop / 8.0, negligible);
  const double tf32 = floor_s + conv_flops / 40e12;
  EXPECT_NEAR(model_of(tables, half).estimate(with(conv, "tf32")).time_s / tf32, 1.0, 1e-9);
}

// ---- workspace

TEST(TimeModel, WorkspaceIsAShareOfTheBytes) {
  Tables tables = usual_tables();
  // Row: 64 x 64 by 64 x 64, so 3 x 64^2 x 4 = 49152 bytes, and twice that as workspace.
  tables["linear.forward.fp32"].rows.front().workspace_bytes = 2.0 * 49152.0;
  const TimeModel model = model_of(tables);
  const auto workspace = model.workspace(linear);
  ASSERT_TRUE(workspace);
  const double bytes = 4.0 * (4096.0 * 1024 + 1024.0 * 1024 + 4096.0 * 1024);
  EXPECT_DOUBLE_EQ(workspace->workspace.expected(bytes), 2.0 * bytes);
  EXPECT_DOUBLE_EQ(workspace->workspace.most, 2.0 * bytes);
  EXPECT_FALSE(model.workspace(relu));  // was not observed
  EXPECT_FALSE(model.workspace({"matmul", "forward", "fp32", "", {1, 64, 64, 64}}));
}

// ---- which calibration

device::Device device_of(std::string id, std::string architecture, std::string capability,
                         std::string vendor = "NVIDIA") {
  device::Device device = calibrated_device(std::move(id));
  device.architecture = std::move(architecture);
  device.compute_capability = device::Fact{.value = std::move(capability)};
  device.vendor = std::move(vendor);
  return device;
}

TEST(Relatives, AreTheDeviceItsChipThenTheNearestCapabilityAndAnotherMakerLast) {
  std::vector<CalibratedDevice> calibrated;
  const auto chosen = [&](const device::Device& target) {
    const std::vector<CalibratedDevice> relatives = relatives_of(target, calibrated);
    return relatives.empty() ? "none" : relatives.front().device.id;
  };
  const auto calibrate = [&](const device::Device& device, Tables tables = usual_tables()) {
    calibrated.push_back(
        {device::LazyCalibration(calibration_of(device.id, std::move(tables))), device});
  };
  device::Device target = device_of("target", "Hopper", "9.0");
  target.chip = "GH100";
  EXPECT_EQ(chosen(target), "none");
  calibrate(device_of("figures-only", "Hopper", "9.0"), {});
  EXPECT_EQ(chosen(target), "none");
  calibrate(device_of("other-vendor", "CDNA", "9.0", "AMD"));
  EXPECT_EQ(chosen(target), "other-vendor");
  calibrate(device_of("pascal", "Pascal", "6.1"));
  EXPECT_EQ(chosen(target), "pascal");
  calibrate(device_of("ampere", "Ampere", "8.0"));
  EXPECT_EQ(chosen(target), "ampere");
  calibrate(device_of("turing", "Turing", "7.5"));
  EXPECT_EQ(chosen(target), "ampere");
  device::Device sister = device_of("sister", "Hopper", "9.0");
  sister.chip = "GH100";
  sister.bandwidth->value *= 4.0;
  calibrate(sister);
  EXPECT_EQ(chosen(target), "sister");
  calibrate(target);
  EXPECT_EQ(chosen(target), "target");
  calibrate(device_of("third", "Hopper", "9.0"));
  EXPECT_EQ(chosen(target), "target");
  EXPECT_EQ(relatives_of(target, calibrated).back().device.id, "other-vendor");
}

// A multiprocessor with four times the bandwidth is two halvings away, farther than a generation.
TEST(Relatives, AreAlikeInWhatAMultiprocessorGets) {
  device::Device wide = device_of("wide", "Hopper", "9.0");
  wide.bandwidth->value *= 4.0;
  const device::Device older = device_of("older", "Ampere", "8.0");
  const std::vector<CalibratedDevice> relatives =
      relatives_of(device_of("target", "Ada", "8.9"),
                   {{device::LazyCalibration(calibration_of("wide", usual_tables())), wide},
                    {device::LazyCalibration(calibration_of("older", usual_tables())), older}});
  EXPECT_EQ(relatives.front().device.id, "older");
}

// Casts are named after the type that they give, other kinds have that of their data: both are
// taken from bf16, and are but little less sure than it.
TEST(TimeModel, Fp16DataIsTakenFromBf16Data) {
  constexpr double deviation = 0.1;
  const TimeModel model =
      model_of({{"cast_bf16.forward.f32", plain_table("cast_bf16", floor_s, 1e-12, deviation)},
                {"cast_f32.forward.bf16", plain_table("cast_f32", floor_s, 2e-12, deviation)},
                {"gelu.forward.bf16", plain_table("gelu", floor_s, 3e-12, deviation)},
                {"relu.forward.f32", plain_table("relu", floor_s, 9e-12, deviation)},
                {"relu.forward.bf16", plain_table("relu", floor_s, 9e-12, deviation)}});
  const auto source = [&](const char* op, const char* type) {
    return model.estimate({op, "forward", type, "", {1e6}}).kind;
  };
  EXPECT_EQ(source("cast_f16", "f32"), "cast_bf16.forward.f32");
  EXPECT_EQ(source("cast_f16_strided", "f32"), "cast_bf16.forward.f32");
  EXPECT_EQ(source("cast_f32", "f16"), "cast_f32.forward.bf16");
  EXPECT_EQ(source("gelu", "f16"), "gelu.forward.bf16");
  const OpEstimate half = model.estimate({"gelu", "forward", "f16", "", {1e6}});
  const OpEstimate own = model.estimate({"gelu", "forward", "bf16", "", {1e6}});
  EXPECT_EQ(half.time_s, own.time_s);
  EXPECT_NEAR(half.deviation, std::hypot(own.deviation, 0.07), 1e-12);
}

}  // namespace
}  // namespace rooflab::predict
