#include "rooflab/predict/limit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/zoo/zoo.hpp"
#include "toy_device.hpp"

namespace rooflab::predict {
namespace {

using graph::GraphBuilder;
using graph::UnaryFunction;
using graph::ValueId;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// linear 2x20 -> 2x10 with bias: 400 MACs, 800 matrix and 20 vector FLOPs;
// bytes (40 + 200 + 10 + 20) * 4 = 1080. relu: 20 FLOPs, 160 bytes.
schedule::Schedule linear_and_relu(Precision precision = Precision::fp32,
                                   Phase phase = Phase::inference) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 20});
  x = b.linear(x, "fc", 10);
  x = b.unary(x, UnaryFunction::relu, "relu");
  return schedule::lower(std::move(b).finish({x}), {.phase = phase, .precision = precision});
}

TEST(Limit, IsTheSlowerOfArithmeticAndMemoryOpByOp) {
  const NetworkLimit limit = limit_of(linear_and_relu(), toy_device());
  ASSERT_EQ(limit.ops.size(), 2u);
  // 820 FLOP / 1000 FLOP/s = 0.82 s; 1080 B / 100 B/s = 10.8 s.
  EXPECT_DOUBLE_EQ(limit.ops[0].time->value, 10.8);
  EXPECT_EQ(limit.ops[0].bound, Bound::memory);
  EXPECT_EQ(limit.ops[0].matrix_path, ArithmeticPath::fp32_vector);
  EXPECT_DOUBLE_EQ(limit.ops[1].time->value, 1.6);
  EXPECT_DOUBLE_EQ(limit.time->value, 12.4);
  EXPECT_EQ(limit.macs, Macs(400));
  EXPECT_EQ(limit.flops(), Flops(840));
  EXPECT_EQ(limit.compulsory_bytes, Bytes(1240));
  EXPECT_DOUBLE_EQ(limit.intensity(), 840.0 / 1240.0);
  EXPECT_DOUBLE_EQ(*limit.ridge_point, 10.0);
  EXPECT_EQ(limit.bound, Bound::memory);
  EXPECT_THAT(limit.missing, IsEmpty());
}

// One fused op moves input 160, parameters 840 and output 80 bytes: 10.8 s.
TEST(Limit, TheIdealMovesOnlyWhatEntersAndLeaves) {
  const NetworkLimit limit = limit_of(linear_and_relu(), toy_device());
  EXPECT_EQ(limit.ideal_bytes, Bytes(160 + 840 + 80));
  EXPECT_DOUBLE_EQ(limit.ideal_time->value, 10.8);
}

// Without an optimizer the parameters (840 bytes) are read once and their gradients written once;
// SGD reads and writes the parameters, and its gradients need not leave. Input 160, labels 2 x 8,
// output 80.
TEST(Limit, TheIdealOfAStepWithoutAnOptimizerWritesTheGradients) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 20});
  x = b.linear(x, "fc", 10);
  const graph::Graph network = std::move(b).finish({x});
  const auto ideal = [&network](schedule::Optimizer optimizer) {
    const schedule::Schedule schedule =
        schedule::lower(network, {.phase = Phase::training, .optimizer = optimizer});
    return limit_of(schedule, toy_device()).ideal_bytes;
  };
  EXPECT_EQ(ideal(schedule::Optimizer::none), Bytes(160 + 16 + 80 + 840 + 840));
  EXPECT_EQ(ideal(schedule::Optimizer::sgd), Bytes(160 + 16 + 80 + 2 * 840));
}

// On the same lanes the times add up, with tensor cores they overlap.
TEST(Limit, VectorWorkAddsToMatrixWorkOnTheSameLanesOnly) {
  device::Device fast_memory = toy_tensor_device();
  fast_memory.bandwidth->value = 1e12;
  EXPECT_DOUBLE_EQ(limit_of(linear_and_relu(), fast_memory).ops[0].time->value, 0.82);
  const NetworkLimit tf32 = limit_of(linear_and_relu(Precision::tf32), fast_memory);
  EXPECT_DOUBLE_EQ(tf32.ops[0].time->value, 0.2);  // 800 / 4000; 20 / 1000 at the same time
  EXPECT_EQ(tf32.ops[0].bound, Bound::compute);
  EXPECT_EQ(tf32.main_path, ArithmeticPath::tf32_tensor);
  EXPECT_EQ(tf32.flops_by_path.at(ArithmeticPath::tf32_tensor), Flops(800));
  EXPECT_EQ(tf32.flops_by_path.at(ArithmeticPath::fp32_vector), Flops(40));
}

TEST(Limit, HalfPrecisionHalvesBytesAndTakesItsOwnRoof) {
  const NetworkLimit limit = limit_of(linear_and_relu(Precision::fp16), toy_tensor_device());
  EXPECT_DOUBLE_EQ(limit.ops[0].time->value, 5.4);
  EXPECT_EQ(limit.main_path, ArithmeticPath::fp16_tensor_fp32);
  EXPECT_FALSE(limit.flops_by_path.contains(ArithmeticPath::fp16_vector));
}

TEST(Limit, AMissingPathGivesNoTimeAndTheReason) {
  const NetworkLimit limit = limit_of(linear_and_relu(Precision::bf16), toy_device());
  EXPECT_EQ(limit.time, std::nullopt);
  EXPECT_EQ(limit.ideal_time, std::nullopt);
  EXPECT_EQ(limit.ops[0].time, std::nullopt);
  EXPECT_THAT(limit.missing, ElementsAre("Toy has no peak for bf16 work"));
  EXPECT_EQ(limit.macs, Macs(400));  // counted all the same
}

TEST(Limit, WithoutABandwidthThereIsNoTime) {
  device::Device device = toy_device();
  device.bandwidth.reset();
  const NetworkLimit limit = limit_of(linear_and_relu(), device);
  EXPECT_EQ(limit.time, std::nullopt);
  EXPECT_EQ(limit.ridge_point, std::nullopt);
  EXPECT_THAT(limit.missing, ElementsAre(HasSubstr("bandwidth")));
}

TEST(Limit, PercentOfPeakScalesBothRoofs) {
  const NetworkLimit half =
      limit_of(linear_and_relu(), toy_device(), {.compute = 1.0, .memory = 0.5});
  EXPECT_DOUBLE_EQ(half.time->value, 24.8);
  device::Device fast_memory = toy_device();
  fast_memory.bandwidth->value = 1e12;
  const NetworkLimit tenth =
      limit_of(linear_and_relu(), fast_memory, {.compute = 0.1, .memory = 1.0});
  EXPECT_DOUBLE_EQ(tenth.ops[0].time->value, 8.2);
}

TEST(Limit, AnOpWithoutARuleHasNoTimeAndTheRestIsSummed) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {2, 10});
  x = b.add(graph::Opaque{"", "Mystery", {{2, 10}}, {DType::f32}}, {x}, "mystery");
  x = b.unary(x, UnaryFunction::relu, "relu");
  const NetworkLimit limit = limit_of(schedule::lower(std::move(b).finish({x}), {}), toy_device());
  EXPECT_EQ(limit.ops[0].cost, std::nullopt);
  EXPECT_EQ(limit.ops[0].time, std::nullopt);
  EXPECT_DOUBLE_EQ(limit.time->value, 1.6);
}

// Properties, on a whole network in every phase and precision.
TEST(Limit, IsAdditiveMonotoneAndAboveTheIdeal) {
  const graph::Graph resnet = zoo::build("resnet18", {.batch = 2});
  const device::Device device = toy_tensor_device();
  device::Device faster = device;
  faster.bandwidth->value *= 2;
  for (auto& [path, peak] : faster.peaks) peak.value *= 2;
  for (const Phase phase : {Phase::inference, Phase::forward, Phase::training}) {
    for (const Precision precision :
         {Precision::fp64, Precision::fp32, Precision::tf32, Precision::fp16, Precision::amp}) {
      const schedule::Schedule schedule =
          schedule::lower(resnet, {.phase = phase, .precision = precision});
      const NetworkLimit limit = limit_of(schedule, device);
      ASSERT_TRUE(limit.time) << name_of(precision);
      double sum = 0.0;
      Flops flops;
      for (const OpLimit& op : limit.ops) {
        sum += op.time->value;
        flops += op.cost->flops();
      }
      EXPECT_NEAR(limit.time->value, sum, 1e-9 * sum);
      EXPECT_EQ(limit.flops(), flops);
      EXPECT_LE(limit.ideal_time->value, limit.time->value);
      EXPECT_NEAR(limit_of(schedule, faster).time->value, sum / 2, 1e-9 * sum);
    }
  }
}

// A table of which five rows are read moves five rows, fused or not.
TEST(Limit, TheIdealOfAnEmbeddingIsNotAboveItsLimit) {
  GraphBuilder b("net");
  const ValueId table = b.parameter("table", {1000, 8});
  const ValueId ids = b.input("ids", {5}, DType::i64);
  const ValueId y = b.add(graph::Gather{0}, {table, ids}, "embedding");
  const NetworkLimit limit = limit_of(schedule::lower(std::move(b).finish({y}), {}), toy_device());
  EXPECT_DOUBLE_EQ(limit.time->value, 3.6);  // 160 + 40 + 160 bytes
  EXPECT_LE(limit.ideal_time->value, limit.time->value);
}

}  // namespace
}  // namespace rooflab::predict
