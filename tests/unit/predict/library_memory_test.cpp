// A calibration of two rows: products with a workspace that can be multiplied out by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrated_device.hpp"
#include "op_tables.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/predict/memory_model.hpp"

namespace rooflab::predict {
namespace {

using graph::GraphBuilder;
using graph::ValueId;
using testing::Each;
using testing::ElementsAre;

/// Products of 64 x 64 x 64 (4 x 3 x 64^2 = 49152 bytes) without, of 256 x 256 x 256 (786432 bytes)
/// with half as much workspace.
Tables two_rows() {
  device::OpTable table = product_table("linear.forward.fp32", 1e-6, 1e-13, 1e-12);
  table.rows = {{{64, 64, 64}, 1e-6, 0.0}, {{256, 256, 256}, 1e-5, 393216.0}};
  return {{"linear.forward.fp32", table}};
}

device::Calibration calibration(Tables tables) {
  auto made = calibration_of("source", std::move(tables));
  const auto figure = [&](const char* name, double bytes) {
    made.figures.push_back({name, "B", bytes, bytes, bytes, 1, ""});
  };
  figure("memory.context", 5e8);
  figure("memory.blas_workspace", 8e6);
  figure("memory.blas_workspace_training", 4e7);
  return made;
}

TimeModel model_with_memory(Tables tables,
                            const device::Device& target = calibrated_device("source")) {
  return TimeModel(
      {{device::LazyCalibration(calibration(std::move(tables))), calibrated_device("source")}},
      target);
}

/// linear 256 -> 256, relu, linear 256 -> 64 over 64 rows of the result's transpose.
schedule::Schedule two_products(Phase phase = Phase::inference) {
  GraphBuilder b("net");
  ValueId x = b.linear(b.input("x", {256, 256}), "wide", 256, false);
  x = b.unary(x, graph::UnaryFunction::relu, "relu");
  const ValueId y = b.linear(b.input("z", {64, 64}), "narrow", 64, false);
  return schedule::lower(std::move(b).finish({x, y}), {.phase = phase});
}

/// Expected bytes by op, in addition to 1 GB.
std::vector<double> expected_of(const LibraryMemory& memory) {
  std::vector<double> result;
  for (const Workspace& workspace : memory.workspace) result.push_back(workspace.expected(1e9));
  return result;
}

TEST(LibraryMemory, WorkspaceOfEachProduct) {
  const LibraryMemory memory = library_memory(two_products(), model_with_memory(two_rows()));
  EXPECT_THAT(expected_of(memory), ElementsAre(393216.0, 0.0, 0.0));
  // A neighbour takes half its bytes: 49152 / 2 have to be reckoned with for the small one.
  EXPECT_THAT(memory.workspace, ElementsAre(testing::Field(&Workspace::most, 393216.0),
                                            testing::Field(&Workspace::most, 0.0),
                                            testing::Field(&Workspace::most, 24576.0)));
  EXPECT_THAT(memory.workspace, Each(testing::Field(&Workspace::less, 0.0)));
  EXPECT_EQ(memory.workspace_source, "");
}

TEST(LibraryMemory, WhatTheProcessHoldsBesides) {
  const LibraryMemory memory = library_memory(two_products(), model_with_memory(two_rows()));
  EXPECT_EQ(memory.kept, Bytes(8'000'000));
  EXPECT_EQ(memory.context, Bytes(500'000'000));
}

// Backward products run in a separate thread, with a separate workspace.
TEST(LibraryMemory, TrainingKeepsMore) {
  GraphBuilder b("net");
  const ValueId y = b.linear(b.input("x", {256, 256}), "fc", 256, false);
  const schedule::Schedule schedule =
      schedule::lower(std::move(b).finish({y}), {.phase = Phase::training});
  const LibraryMemory memory = library_memory(schedule, model_with_memory(two_rows()));
  EXPECT_EQ(memory.kept, Bytes(40'000'000));
  ASSERT_EQ(memory.workspace.size(), schedule.ops.size());
  EXPECT_EQ(expected_of(memory).front(), 393216.0);
  // Nobody observed the gradient of the weights: 3 x 256 x 256 x 4 bytes, twice at most.
  EXPECT_THAT(expected_of(memory), testing::Contains(786432.0));
  EXPECT_THAT(memory.workspace, testing::Contains(testing::Field(&Workspace::most, 1572864.0)));
  EXPECT_EQ(memory.workspace_source, "copies of operands");
}

// No product: nothing is kept by a library that is never called.
TEST(LibraryMemory, WithoutProductsNothingIsKept) {
  GraphBuilder b("net");
  const ValueId y = b.unary(b.input("x", {64}), graph::UnaryFunction::relu, "relu");
  const LibraryMemory memory =
      library_memory(schedule::lower(std::move(b).finish({y}), {}), model_with_memory(two_rows()));
  EXPECT_EQ(memory.kept, Bytes(0));
  EXPECT_THAT(expected_of(memory), ElementsAre(0.0));
}

TEST(LibraryMemory, WhatNobodyObservedCopiesItsOperandsOnceAndTwiceAtMost) {
  Tables tables = two_rows();
  for (device::OpRow& row : tables["linear.forward.fp32"].rows) row.workspace_bytes.reset();
  const LibraryMemory memory = library_memory(two_products(), model_with_memory(std::move(tables)));
  EXPECT_THAT(expected_of(memory), ElementsAre(786432.0, 0.0, 49152.0));
  EXPECT_THAT(memory.workspace, ElementsAre(testing::Field(&Workspace::most, 1572864.0),
                                            testing::Field(&Workspace::most, 0.0),
                                            testing::Field(&Workspace::most, 98304.0)));
  EXPECT_EQ(memory.workspace_source, "copies of operands");
}

// Libraries of another architecture may pick other algorithms, so the most is doubled.
TEST(LibraryMemory, OfAnotherDeviceIsAssumed) {
  device::Device target = calibrated_device("target");
  target.vendor = "NVIDIA";
  target.architecture = "Turing";
  const LibraryMemory memory =
      library_memory(two_products(), model_with_memory(two_rows(), target));
  EXPECT_THAT(expected_of(memory), ElementsAre(393216.0, 0.0, 0.0));
  EXPECT_THAT(memory.workspace, ElementsAre(testing::Field(&Workspace::most, 786432.0),
                                            testing::Field(&Workspace::most, 0.0),
                                            testing::Field(&Workspace::most, 49152.0)));
  EXPECT_THAT(memory.workspace_source, testing::HasSubstr(calibrated_device("source").name));
  EXPECT_EQ(memory.kept, Bytes(8'000'000));
  // data/driver_contexts.toml, where the driver is not known.
  EXPECT_EQ(memory.context, Bytes(500'000'000));
  EXPECT_EQ(memory.most_context, Bytes(1'600'000'000));
  EXPECT_THAT(memory.context_source, testing::HasSubstr("Turing"));
}

// 64 images of 3 channels, kernels of 3 x 3, 56 x 56 pixels, FP32: 64 x 3136 x 27 x 4 bytes.
TEST(LibraryMemory, AnotherMakersConvolutionMayWriteTheWholeBatchAsAProduct) {
  GraphBuilder b("net");
  graph::Conv conv;
  const ValueId y = b.conv(b.input("x", {64, 3, 56, 56}), "conv",
                           {.out_channels = 8, .kernel = 3, .padding = 1, .bias = false});
  device::Device target = calibrated_device("target");
  target.vendor = "AMD";
  target.architecture = "CDNA3";
  const LibraryMemory memory = library_memory(schedule::lower(std::move(b).finish({y}), {}),
                                              model_with_memory(two_rows(), target));
  ASSERT_EQ(memory.workspace.size(), 1U);
  EXPECT_GE(memory.workspace.front().most, 64.0 * 3136.0 * 27.0 * 4.0);
}

TEST(LibraryMemory, WithoutACalibrationTheContextAloneIsKnown) {
  device::Device device = calibrated_device("bare");
  device.vendor = "NVIDIA";
  device.architecture = "Hopper";
  EXPECT_EQ(library_memory(device).context, Bytes(860'000'000));
  EXPECT_TRUE(library_memory(device).workspace.empty());
  device.vendor = "Nobody";
  EXPECT_FALSE(library_memory(device).context);
}

}  // namespace
}  // namespace rooflab::predict
