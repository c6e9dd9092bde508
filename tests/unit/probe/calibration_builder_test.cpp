// Results of made-up items, and the rows that they become.

#include "probe/calibration_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/note_matchers.hpp"
#include "probe/probe_notes.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::probe {
namespace {

using engine::ProbeItem;
using engine::ProbeKind;
using engine::ProbeResult;
using graph::GraphBuilder;
using graph::ValueId;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;
using testing::UnorderedElementsAre;

constexpr double mib = 1024.0 * 1024.0;

device::Device plain_device() {
  device::Device device;
  device.id = "toy";
  device.peaks[ArithmeticPath::fp32_vector] = {.value = 1e12};
  return device;
}

ProbeItem item_of(GraphBuilder&& b, ValueId y, bool gradients) {
  ProbeItem item;
  item.graph = graph::to_text(std::move(b).finish({y}));
  item.gradients = gradients;
  return item;
}

/// 2 images of 8 x 8 with 8 channels to 16, 3 x 3: 2 x 16 x 64 x 4 = 8192 bytes of result.
ProbeItem convolution(std::int64_t batch = 2) {
  GraphBuilder b("op");
  graph::Conv op;
  op.kernel = {3, 3};
  op.stride = op.dilation = op.padding_begin = op.padding_end = {1, 1};
  const ValueId x = b.parameter("x", {batch, 8, 8, 8});
  const ValueId y = b.add(op, {x, b.parameter("w", {16, 8, 3, 3})}, "op");
  return item_of(std::move(b), y, true);
}

ProbeItem relu(std::int64_t elements, bool gradients = false) {
  GraphBuilder b("op");
  const ValueId y = b.unary(b.parameter("x", {elements}), graph::UnaryFunction::relu, "op");
  return item_of(std::move(b), y, gradients);
}

device::Calibration built(const std::vector<ProbeItem>& items,
                          const std::vector<ProbeResult>& results) {
  device::Calibration calibration;
  add_op_rows(calibration, items, results, plain_device());
  return calibration;
}

TEST(CalibrationBuilder, AConvolutionIsThreeKinds) {
  ProbeResult result;
  result.forward_s = 1e-4;
  result.data_gradient_s = 2e-4;
  result.weight_gradient_s = 3e-4;
  const device::Calibration calibration = built({convolution()}, {result});
  EXPECT_THAT(calibration.ops, UnorderedElementsAre(Key("conv2d.forward.fp32.nchw"),
                                                    Key("conv2d.data_gradient.fp32.nchw"),
                                                    Key("conv2d.weight_gradient.fp32.nchw")));
  const auto row = [&](const char* pass) {
    const device::OpTable& table = calibration.ops.at(std::string("conv2d.") + pass + ".fp32.nchw");
    EXPECT_THAT(table.columns, ElementsAre("batch", "pixels", "in_channels", "out_channels",
                                           "groups", "kernel", "stride"));
    EXPECT_EQ(table.rows.size(), 1U);
    return table.rows.front();
  };
  EXPECT_THAT(row("forward").sizes, ElementsAre(2, 64, 8, 16, 1, 9, 1));
  EXPECT_THAT(row("data_gradient").sizes, ElementsAre(2, 64, 8, 16, 1, 9, 1));
  EXPECT_EQ(row("forward").time_s, 1e-4);
  EXPECT_EQ(row("data_gradient").time_s, 2e-4);
  EXPECT_EQ(row("weight_gradient").time_s, 3e-4);
  EXPECT_FALSE(row("forward").workspace_bytes);  // no peak was observed
}

TEST(CalibrationBuilder, WhatWasNotMeasuredAddsNothing) {
  ProbeResult unsupported;
  unsupported.message = "not implemented for this type";
  EXPECT_THAT(built({convolution()}, {unsupported}).ops, IsEmpty());
  ProbeResult stranger;  // of a longer list
  stranger.item = 7;
  stranger.forward_s = 1.0;
  EXPECT_THAT(built({convolution()}, {stranger}).ops, IsEmpty());
  ProbeResult forward_only;
  forward_only.forward_s = 1e-4;
  EXPECT_THAT(built({convolution()}, {forward_only}).ops,
              ElementsAre(Key("conv2d.forward.fp32.nchw")));
}

// A call names its row itself; a row of that kind and size is not measured again.
TEST(CalibrationBuilder, ACallIsTheRowThatItNames) {
  ProbeItem item;
  item.kind = ProbeKind::call;
  item.graph = engine::text_of({"grouped_matmul.forward.bf16", {8, 256, 1024, 3584}});
  EXPECT_EQ(item.graph, "grouped_matmul.forward.bf16 8 256 1024 3584");
  ProbeResult result;
  result.forward_s = 3e-5;
  const device::Calibration calibration = built({item}, {result});
  const device::OpTable& table = calibration.ops.at("grouped_matmul.forward.bf16");
  EXPECT_THAT(table.columns, ElementsAre("groups", "rows", "inner", "columns"));
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_THAT(table.rows.front().sizes, ElementsAre(8, 256, 1024, 3584));
  EXPECT_EQ(table.rows.front().time_s, 3e-5);
  EXPECT_THAT(not_measured_yet({item}, calibration, plain_device()), IsEmpty());
  EXPECT_EQ(not_measured_yet({item}, {}, plain_device()).size(), 1U);
}

// Results belong to their item's number, not to their place in the list.
TEST(CalibrationBuilder, ResultsNameTheirItems) {
  ProbeResult second;
  second.item = 1;
  second.forward_s = 2e-5;
  const device::Calibration calibration = built({relu(1000), relu(5000)}, {second});
  const device::OpTable& table = calibration.ops.at("relu.forward.f32");
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_THAT(table.rows[0].sizes, ElementsAre(5000));
}

// The result's 8192 bytes are not workspace; nor is what is left by the allocator's rounding.
TEST(CalibrationBuilder, WorkspaceIsThePeakLessTheResults) {
  ProbeResult result;
  result.forward_s = 1e-4;
  result.forward_peak_bytes = 8192.0 + 10.0 * mib;
  result.data_gradient_s = 1e-4;
  result.data_gradient_peak_bytes = 4096.0 + 512.0;
  const device::Calibration calibration = built({convolution()}, {result});
  EXPECT_EQ(calibration.ops.at("conv2d.forward.fp32.nchw").rows[0].workspace_bytes, 10.0 * mib);
  EXPECT_EQ(calibration.ops.at("conv2d.data_gradient.fp32.nchw").rows[0].workspace_bytes, 0.0);
}

TEST(CalibrationBuilder, EqualShapesBecomeTheirMedian) {
  std::vector<ProbeResult> results(4);
  const double times[] = {3e-5, 1e-5, 2e-5, 7e-5};
  for (std::size_t i = 0; i < 4; ++i) {
    results[i].item = i;
    results[i].forward_s = times[i];
  }
  const device::Calibration calibration =
      built({relu(1000), relu(1000), relu(1000), relu(4000)}, results);
  const device::OpTable& table = calibration.ops.at("relu.forward.f32");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_THAT(table.rows[0].sizes, ElementsAre(1000));
  EXPECT_EQ(table.rows[0].time_s, 2e-5);
  EXPECT_EQ(table.rows[1].time_s, 7e-5);
}

// Both gradients of a product of two tensors are one kind: each takes its share of their sum.
TEST(CalibrationBuilder, GradientsOfOneKindShareTheirTime) {
  GraphBuilder b("op");
  const ValueId x = b.parameter("a", {6, 10, 20});
  const ValueId y = b.add(graph::MatMul{}, {x, b.parameter("b", {6, 20, 30})}, "op");
  ProbeResult result;
  result.forward_s = 1e-5;
  result.data_gradient_s = 2e-5;
  result.weight_gradient_s = 4e-5;
  const device::Calibration calibration = built({item_of(std::move(b), y, true)}, {result});
  const device::OpTable& table = calibration.ops.at("matmul.backward.fp32");
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_THAT(table.rows[0].sizes, ElementsAre(6, 10, 20, 30));
  EXPECT_DOUBLE_EQ(table.rows[0].time_s, 3e-5);
}

TEST(CalibrationBuilder, GradientsOfOtherOpsAreOneCall) {
  ProbeResult result;
  result.forward_s = 1e-5;
  result.gradients_s = 2e-5;
  const device::Calibration calibration = built({relu(1000, true)}, {result});
  EXPECT_EQ(calibration.ops.at("relu.forward.f32").rows[0].time_s, 1e-5);
  EXPECT_EQ(calibration.ops.at("relu.backward.f32").rows[0].time_s, 2e-5);
}

// A copy is the last node's only work: of 2 x 4 x 4 x 8 elements, none of which stay neighbours.
// All gradients less those of the data; the peak less x's gradient of 7 x 3 x 512 numbers, those of
// the states, of 3 x 512, and those of 4 x 512 x (2 x 512 + 2) weights.
TEST(CalibrationBuilder, WeightsOfRecurrentLayersFollowTheirData) {
  GraphBuilder b("op");
  const ValueId x = b.parameter("x", {7, 3, 512});
  const ValueId h = b.buffer("h0", {1, 3, 512});
  const ValueId c = b.buffer("c0", {1, 3, 512});
  const ValueId y = b.recurrent(x, "op", {}, 512, {h, c}).front();
  ProbeResult result;
  result.forward_s = 1e-4;
  result.data_gradient_s = 2e-4;
  result.gradients_s = 5e-4;
  const double data = 4.0 * (7 * 3 + 2 * 3) * 512;
  const double weights = 4.0 * 4 * 512 * (2 * 512 + 2);
  result.gradients_peak_bytes = data + weights + 40.0 * mib;
  const device::Calibration calibration = built({item_of(std::move(b), y, true)}, {result});
  EXPECT_THAT(calibration.ops,
              UnorderedElementsAre(Key("lstm.forward.fp32"), Key("lstm.data_gradient.fp32"),
                                   Key("lstm.weight_gradient.fp32")));
  EXPECT_EQ(calibration.ops.at("lstm.data_gradient.fp32").rows.front().time_s, 2e-4);
  const device::OpRow& row = calibration.ops.at("lstm.weight_gradient.fp32").rows.front();
  EXPECT_THAT(row.sizes, ElementsAre(3, 7, 512, 512, 1, 1));
  EXPECT_NEAR(row.time_s, 3e-4, 1e-12);
  ASSERT_TRUE(row.workspace_bytes);
  EXPECT_NEAR(*row.workspace_bytes / mib, 40.0, 1e-9);
}

TEST(CalibrationBuilder, ACopyIsARow) {
  GraphBuilder b("op");
  ValueId x = b.transpose(b.parameter("x", {2, 8, 4, 4}), {0, 2, 3, 1}, "turn");
  x = b.add(graph::Contiguous{}, {x}, "op");
  ProbeResult result;
  result.forward_s = 1e-5;
  const device::Calibration calibration = built({item_of(std::move(b), x, false)}, {result});
  EXPECT_THAT(calibration.ops.at("copy_strided.forward.f32").rows[0].sizes, ElementsAre(256, 1));
}

// Three passes of one step, one row: 1000 + 500 elements of 2 tensors.
TEST(CalibrationBuilder, AnOptimizersStepIsOneRow) {
  GraphBuilder b("op");
  const ValueId y = b.concat({b.parameter("p", {1000}), b.parameter("q", {500})}, 0, "use");
  ProbeItem item = item_of(std::move(b), y, true);
  item.kind = ProbeKind::optimizer;
  item.optimizer = "adam";
  ProbeResult result;
  result.optimizer_s = 5e-5;
  result.forward_s = 1.0;
  const device::Calibration calibration = built({item}, {result});
  ASSERT_THAT(calibration.ops, ElementsAre(Key("optimizer_adam.step.f32")));
  const device::OpTable& table = calibration.ops.begin()->second;
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_THAT(table.columns, ElementsAre("elements", "tensors"));
  EXPECT_THAT(table.rows[0].sizes, ElementsAre(1500, 2));
  EXPECT_EQ(table.rows[0].time_s, 5e-5);
}

// What the host takes is not a time of a device.
TEST(CalibrationBuilder, ChainsAreNotForTables) {
  ProbeItem chain = relu(16);
  chain.kind = ProbeKind::chain;
  ProbeResult result;
  result.forward_s = 1e-5;
  EXPECT_THAT(built({chain}, {result}).ops, IsEmpty());
}

TEST(CalibrationBuilder, FitsTablesAndDropsTheSmallOnes) {
  std::vector<ProbeItem> items;
  std::vector<ProbeResult> results;
  const auto add = [&](const ProbeItem& item, double time) {
    ProbeResult result;
    result.item = items.size();
    result.forward_s = time;
    items.push_back(item);
    results.push_back(result);
  };
  for (const std::int64_t elements : {1000, 10'000, 100'000, 1'000'000}) {
    add(relu(elements), 2e-6 + 8e-12 * static_cast<double>(elements));
  }
  add(convolution(), 1e-4);
  add(convolution(4), 2e-4);
  device::Calibration calibration = built(items, results);
  double done = 0.0;
  fit_tables(calibration, 100.0, [&](double fraction) {
    EXPECT_GT(fraction, done);
    done = fraction;
  });
  EXPECT_EQ(done, 1.0);
  ASSERT_THAT(calibration.ops, ElementsAre(Key("relu.forward.f32")));
  EXPECT_FALSE(calibration.ops.at("relu.forward.f32").curve.empty());
  EXPECT_THAT(calibration.notes,
              ElementsAre(Note{says.kind_too_small, {2}, "conv2d.forward.fp32.nchw"}));
}

// Two probes of one host: the undisturbed one tells each cost, in autocast too.
TEST(CalibrationBuilder, TheLowerOfTwoIssueCostsStays) {
  device::HostCosts first;
  first.issuer = "pytorch";
  first.ops = {{"linear", {8e-6, 2e-5, {}}}};
  first.autocast = {{"linear", {9e-6, 3e-5, 4e-5}}, {"attention", {5e-5, {}, {}}}};
  device::HostCosts second = first;
  second.ops["linear"].inference_s = 7e-6;
  second.autocast = {{"linear", {1e-5, 2.5e-5, 5e-5}}};
  device::Calibration calibration;
  add_host_costs(calibration, first);
  add_host_costs(calibration, second);
  ASSERT_EQ(calibration.hosts.size(), 1u);
  const device::HostCosts& kept = calibration.hosts.front();
  EXPECT_EQ(kept.ops.at("linear"), (device::HostCost{7e-6, 2e-5, {}}));
  EXPECT_EQ(kept.autocast.at("linear"), (device::HostCost{9e-6, 2.5e-5, 4e-5}));
  EXPECT_EQ(kept.autocast.at("attention"), (device::HostCost{5e-5, {}, {}}));
}

TEST(CalibrationBuilder, NothingIsFittedToNothing) {
  device::Calibration calibration;
  fit_tables(calibration, 1.0);
  EXPECT_THAT(calibration.ops, IsEmpty());
  EXPECT_THAT(calibration.notes, IsEmpty());
}

}  // namespace
}  // namespace rooflab::probe
