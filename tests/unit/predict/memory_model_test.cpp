#include "rooflab/predict/memory_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/system/file.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::predict {
namespace {

using graph::GraphBuilder;
using graph::UnaryFunction;
using graph::ValueId;
using schedule::Optimizer;
using testing::ElementsAre;

// 1000 rows of 4 bytes: every 1000x1 activation is 4000 bytes; a weight is 4.
// input -> a = linear -> b = sigmoid -> c = linear -> d = relu, in place or not.
graph::Graph linear_chain(bool inplace = false) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {1000, 1});
  x = b.linear(x, "fc1", 1, false);
  x = b.unary(x, UnaryFunction::sigmoid, "sigmoid");
  x = b.linear(x, "fc2", 1, false);
  x = b.unary(x, UnaryFunction::relu, "relu", inplace);
  return std::move(b).finish({x});
}

MemoryEstimate estimate(const graph::Graph& network, Phase phase,
                        Optimizer optimizer = Optimizer::sgd_momentum) {
  return estimate_memory(schedule::lower(network, {.phase = phase, .optimizer = optimizer}));
}

TEST(MemoryModel, InferenceHoldsTwoActivationsOfAChain) {
  const MemoryEstimate memory = estimate(linear_chain(), Phase::inference);
  EXPECT_EQ(memory.parameters, Bytes(8));
  EXPECT_EQ(memory.input, Bytes(4000));
  EXPECT_EQ(memory.saved_activations, Bytes(0));
  EXPECT_EQ(memory.peak_activations, Bytes(8000));
  EXPECT_EQ(memory.allocated_peak, Bytes(8 + 4000 + 8000));
  EXPECT_EQ(memory.gradients, Bytes(0));
  EXPECT_EQ(memory.optimizer, Bytes(0));
}

// Sigmoid keeps its result b, which is also the second product's operand; relu its result d. The
// first product keeps the input, which does not count; a and c are dropped.
TEST(MemoryModel, ForwardKeepsWhatTheBackwardWillRead) {
  const MemoryEstimate memory = estimate(linear_chain(), Phase::forward);
  EXPECT_EQ(memory.saved_activations, Bytes(8000));
  EXPECT_EQ(memory.peak_activations, Bytes(12000));  // b, c and d
  const MemoryEstimate inplace = estimate(linear_chain(true), Phase::forward);
  EXPECT_EQ(inplace.saved_activations, Bytes(8000));
  EXPECT_EQ(inplace.peak_activations, Bytes(8000));  // d overwrites c
}

// A loop that keeps `out` holds b and d, 8000 bytes, of the step before while the next one runs.
TEST(MemoryModel, ALoopThatKeepsItsResultsHoldsTwoGraphs) {
  const schedule::Schedule schedule = schedule::lower(linear_chain(), {.phase = Phase::forward});
  const MemoryEstimate dropped = estimate_memory(schedule);
  const MemoryEstimate kept = estimate_memory(schedule, {GradientReset::after_loss, true});
  EXPECT_EQ(dropped.allocated_peak, Bytes(8 + 4000 + 12000));
  EXPECT_EQ(kept.allocated_peak, Bytes(8 + 4000 + 12000 + 8000));
  // Without autograd only d, the result, is kept.
  const schedule::Schedule inference = schedule::lower(linear_chain(), {.phase = Phase::inference});
  EXPECT_EQ(estimate_memory(inference, {GradientReset::after_loss, true}).allocated_peak,
            Bytes(8 + 4000 + 8000 + 4000));
}

TEST(MemoryModel, WithinALimitTwoGraphsNeedTheirRoom) {
  const graph::Graph large = zoo::single_layer("relu", {1024, 1024, 8});  // 32 MiB in, 32 MiB out
  const schedule::Schedule schedule = schedule::lower(large, {.phase = Phase::forward});
  const Bytes mib(1024 * 1024);
  EXPECT_TRUE(memory_within(schedule, mib * 70).has_value());
  EXPECT_FALSE(memory_within(schedule, mib * 70, {GradientReset::after_loss, true}).has_value());
  EXPECT_TRUE(memory_within(schedule, mib * 100, {GradientReset::after_loss, true}).has_value());
}

// input -> a = linear to one column -> loss. Rows 1000, classes 1.
// At the loss: logits, log-probabilities and their gradients, one after the other.
TEST(MemoryModel, TrainingAddsGradientsAndTheOptimizersState) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {1000, 2});
  x = b.linear(x, "fc", 1, false);
  const graph::Graph network = std::move(b).finish({x});
  const MemoryEstimate memory = estimate(network, Phase::training);
  EXPECT_EQ(memory.parameters, Bytes(8));
  EXPECT_EQ(memory.gradients, Bytes(8));
  EXPECT_EQ(memory.optimizer, Bytes(8));
  EXPECT_EQ(memory.input, Bytes(8000 + 8000));  // images and i64 labels
  // Logits 4000, log-probabilities 4000, the likelihood's gradient 4000 and the logits' gradient
  // 4000 while log-softmax's backward runs. The loss of 4 bytes was read before.
  EXPECT_EQ(memory.peak_activations, Bytes(16000));
  EXPECT_EQ(estimate(network, Phase::training, Optimizer::sgd).optimizer, Bytes(0));
  EXPECT_EQ(estimate(network, Phase::training, Optimizer::adam).optimizer, Bytes(16));
  const MemoryEstimate none = estimate(network, Phase::training, Optimizer::none);
  EXPECT_EQ(none.optimizer, Bytes(0));
  EXPECT_EQ(none.gradients, Bytes(8));
  // Parameters, images, labels, the last step's gradients, and the peak of activations above.
  EXPECT_EQ(none.allocated_peak, Bytes(8 + 8000 + 8000 + 8 + 16000));
}

// One weight of 400 x 400 (640,000 bytes) and one row: everything else is small. The gradient of
// the step before lives through the forward pass unless it is dropped first; Adam's step needs a
// temporary as large as the parameters.
TEST(MemoryModel, OldGradientsAndAdamsTemporaryShowInThePeak) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {1, 400});
  x = b.linear(x, "fc", 400, false);
  const graph::Graph network = std::move(b).finish({x});
  constexpr std::int64_t weight = 640000;
  const auto peak_in_weights = [&network](Optimizer optimizer, GradientReset reset) {
    const schedule::Schedule schedule =
        schedule::lower(network, {.phase = Phase::training, .optimizer = optimizer});
    return estimate_memory(schedule, reset).allocated_peak.as_double() / weight;
  };
  using enum GradientReset;
  EXPECT_NEAR(peak_in_weights(Optimizer::none, after_loss), 2.0, 0.05);
  EXPECT_NEAR(peak_in_weights(Optimizer::none, before_forward), 2.0, 0.05);
  EXPECT_NEAR(peak_in_weights(Optimizer::sgd, after_loss), 2.0, 0.05);
  EXPECT_NEAR(peak_in_weights(Optimizer::sgd_momentum, after_loss), 3.0, 0.05);
  EXPECT_NEAR(peak_in_weights(Optimizer::adam, after_loss), 5.0, 0.05);
}

// 100,000 rows of 4 and a weight of 4 x 4: the forward pass decides, and with it the reset.
TEST(MemoryModel, ResettingGradientsFirstNeverNeedsMore) {
  const graph::Graph network = zoo::build("alexnet", {.batch = 2});
  const schedule::Schedule schedule = schedule::lower(network, {.phase = Phase::training});
  EXPECT_LE(estimate_memory(schedule, GradientReset::before_forward).allocated_peak,
            estimate_memory(schedule, GradientReset::after_loss).allocated_peak);
}

TEST(MemoryModel, ReservedIsWholeSegments) {
  const MemoryEstimate memory = estimate(linear_chain(), Phase::inference);
  EXPECT_EQ(memory.reserved, Bytes(2 * 1024 * 1024));
  EXPECT_EQ(memory.total, memory.reserved);
}

TEST(MemoryModel, WhatNeedsACalibrationIsUnknown) {
  const MemoryEstimate memory = estimate(linear_chain(), Phase::inference);
  EXPECT_EQ(memory.workspace, std::nullopt);
  EXPECT_EQ(memory.context, std::nullopt);
  EXPECT_THAT(memory.unknown, ElementsAre("workspace", "context"));
}

TEST(MemoryModel, PartsAddUpToNoMoreThanThePeak) {
  for (const Phase phase : {Phase::inference, Phase::forward, Phase::training}) {
    const MemoryEstimate memory = estimate(zoo::build("resnet18", {.batch = 4}), phase);
    EXPECT_GE(memory.allocated_peak, memory.parameters + memory.buffers + memory.optimizer +
                                         memory.input + memory.peak_activations);
    EXPECT_GE(memory.reserved, memory.allocated_peak);
    EXPECT_GE(memory.peak_activations, memory.saved_activations);
  }
}

// Of 1000 bytes 900 may be taken, and what is alive at once may fill all of them.
TEST(Fit, TheWorstCaseDecidesAboutFitsTheExpectedOneAboutLikelyTheLeastAboutOom) {
  const auto verdict_of = [](std::int64_t least, std::int64_t expected, std::int64_t most) {
    MemoryEstimate memory;
    memory.least_total = Bytes(least);
    memory.total = Bytes(expected);
    memory.most_total = Bytes(most);
    return fit(memory, Bytes(1000))->verdict;
  };
  EXPECT_EQ(verdict_of(900, 900, 900), Verdict::fits);
  EXPECT_EQ(verdict_of(100, 900, 901), Verdict::likely);
  EXPECT_EQ(verdict_of(100, 901, 901), Verdict::risky);
  EXPECT_EQ(verdict_of(1000, 5000, 9000), Verdict::risky);
  EXPECT_EQ(verdict_of(1001, 5000, 9000), Verdict::oom);
}

TEST(Fit, WithSomethingUnknownItIsAtBestRisky) {
  MemoryEstimate memory;
  memory.total = memory.most_total = memory.least_total = Bytes(100);
  EXPECT_EQ(fit(memory, Bytes(1000))->verdict, Verdict::fits);
  memory.unknown = {"context"};
  EXPECT_EQ(fit(memory, Bytes(1000))->verdict, Verdict::risky);
}

// What is not counted only adds to what is.
TEST(Fit, WithOpsOfUnknownMemoryOnlyOomIsCertain) {
  MemoryEstimate memory;
  memory.total = memory.most_total = memory.least_total = Bytes(100);
  memory.counted = false;
  EXPECT_FALSE(fit(memory, Bytes(1000)));
  EXPECT_EQ(fit(memory, Bytes(99))->verdict, Verdict::oom);
}

TEST(Fit, OfADeviceIsThatOfItsMemory) {
  MemoryEstimate memory;
  memory.total = memory.most_total = memory.least_total = Bytes(100);
  device::Device device{.id = "toy", .name = "Toy"};
  EXPECT_FALSE(fit(memory, device));
  device.memory = device::Figure{.value = 99.0};
  EXPECT_EQ(fit(memory, device)->verdict, Verdict::oom);
  device.memory = device::Figure{.value = 1e19};
  EXPECT_THROW((void)fit(memory, device), Error);
}

TEST(Fit, TheMarginIsThatOfTheExpectedMemory) {
  MemoryEstimate memory;
  memory.total = Bytes(800);
  memory.most_total = Bytes(2000);
  EXPECT_DOUBLE_EQ(fit(memory, Bytes(1000))->margin, 0.2);
  memory.total = Bytes(1500);
  EXPECT_DOUBLE_EQ(fit(memory, Bytes(1000))->margin, -0.5);
}

/// One tensor of 64 MiB that an op makes of an input of 1 MiB.
MemoryEstimate memory_of_copies(const LibraryMemory& library) {
  graph::GraphBuilder b("net");
  const graph::ValueId y = b.linear(b.input("x", {512, 512}), "fc", 32768, false);
  return estimate_memory(schedule::lower(std::move(b).finish({y}), {}), GradientReset::after_loss,
                         &library);
}

// Weights and result have 64 MiB each, the input 1 MiB.
TEST(MemoryEstimate, WhatWasNotObservedIsAssumedAndLeftOutOfTheLeast) {
  constexpr std::int64_t mib = 1024 * 1024;
  constexpr std::int64_t tensors = 129 * mib;
  LibraryMemory library;
  library.workspace = {Workspace{{{4.0 * mib, 1.0}}, 16.0 * mib, 0.0}};
  library.kept = Bytes(32 * mib);
  library.context = Bytes(500 * mib);
  library.most_context = Bytes(900 * mib);
  const MemoryEstimate observed = memory_of_copies(library);
  EXPECT_EQ(observed.least_total, Bytes(tensors + 32 * mib + 250 * mib));
  EXPECT_TRUE(observed.assumed.empty());
  library.workspace_source = "rules of another";
  library.context_source = "others";
  const MemoryEstimate assumed = memory_of_copies(library);
  EXPECT_EQ(assumed.least_total, Bytes(tensors));
  EXPECT_EQ(assumed.total, observed.total);
  EXPECT_EQ(assumed.most_total, observed.most_total);
  // 4 MiB need a segment of 20 MiB, 16 MiB a separate one; the input's is one of 2 MiB.
  ASSERT_EQ(assumed.assumed.size(), 2U);
  EXPECT_EQ(assumed.assumed[0].part, "workspace");
  EXPECT_EQ(assumed.assumed[0].expected, Bytes((32 + 20) * mib));
  EXPECT_EQ(assumed.assumed[0].most, Bytes((32 + 16) * mib + 4 * mib));
  EXPECT_EQ(assumed.assumed[0].source, "rules of another");
  EXPECT_EQ(assumed.assumed[1].part, "context");
  EXPECT_EQ(assumed.assumed[1].expected, Bytes(500 * mib));
  EXPECT_EQ(assumed.assumed[1].most, Bytes(900 * mib));
}

// Measured with PyTorch on a GPU at batch 256 (allocated after the forward pass minus before, which
// books what the allocator does not split off): 0.9992, 0.9970 and 1.0000 of it.
TEST(SavedActivations, OfThePublishedThreeAreWithinOnePercent) {
  const auto saved = [](const char* model) {
    return estimate(zoo::build(model, {.batch = 256}), Phase::forward).saved_activations;
  };
  EXPECT_NEAR(saved("resnet18").as_double() / 5529157632.0, 1.0, 0.01);
  EXPECT_NEAR(saved("alexnet").as_double() / 796762112.0, 1.0, 0.01);
  EXPECT_NEAR(saved("vgg16").as_double() / 18619539456.0, 1.0, 0.01);
}

// Every network of the zoo but its largest, in four precisions: equal to the byte.
TEST(SavedActivations, EqualWhatAutogradHoldsOnAnH200) {
  int rows = 0;
  for (const std::string& line :
       split(read_file(ROOFLAB_SOURCE_DIR "/tests/data/predict/torchvision_saved_activations.csv"),
             '\n')) {
    const std::vector<std::string> cells = split(line, ',');
    if (line.starts_with("#") || cells.size() != 6 || cells[0] == "model") continue;
    const graph::Graph network = zoo::build(
        cells[0],
        {.batch = std::stoll(cells[3]), .image_size = std::stoll(cells[2]), .variant = cells[1]});
    const Bytes saved =
        estimate_memory(schedule::lower(network, {.phase = Phase::forward,
                                                  .precision = *from_name<Precision>(cells[4])}))
            .saved_activations;
    EXPECT_EQ(saved.value(), std::stoll(cells[5])) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 284);
}

// Forward of 3 sigmoids on 20 MiB: the input and three results are held, 4 segments of 20 MiB. The
// input, a parameter-free chain, is all else.
TEST(MemoryModel, EndsWithinWhatItHolds) {
  constexpr std::int64_t mib = 1 << 20;
  GraphBuilder b("net");
  ValueId x = b.input("input", {5 * mib, 1});
  const ValueId weight = b.parameter("weight", {1});
  x = b.binary(x, weight, graph::BinaryFunction::mul, "mul");
  for (int i = 0; i < 3; ++i) x = b.unary(x, UnaryFunction::sigmoid, "s" + std::to_string(i));
  const schedule::Schedule held =
      schedule::lower(std::move(b).finish({x}), {.phase = Phase::forward});
  // The weight takes a small segment of 2 MiB; while s0 runs, mul's result is there too.
  EXPECT_TRUE(memory_within(held, Bytes(82 * mib)).has_value());
  EXPECT_FALSE(memory_within(held, Bytes(81 * mib)).has_value());
  // A context takes from it; a workspace that finds no room is done without, what is kept is not.
  LibraryMemory library;
  const auto every_op_takes = [&](std::int64_t bytes, std::int64_t less) {
    const auto taken = static_cast<double>(bytes);
    library.workspace.assign(held.ops.size(),
                             Workspace{{{taken, 1.0}}, taken, static_cast<double>(less)});
  };
  every_op_takes(64 * mib, 0);
  EXPECT_TRUE(
      memory_within(held, Bytes(82 * mib), GradientReset::after_loss, &library).has_value());
  library.context = Bytes(10 * mib);
  EXPECT_TRUE(
      memory_within(held, Bytes(92 * mib), GradientReset::after_loss, &library).has_value());
  EXPECT_FALSE(
      memory_within(held, Bytes(91 * mib), GradientReset::after_loss, &library).has_value());
  EXPECT_EQ(memory_within(held, Bytes(92 * mib), GradientReset::after_loss, &library)->workspace,
            Bytes(0));
  // An algorithm that needs less is run instead where that has room: the first ops hold less.
  every_op_takes(64 * mib, 20 * mib);
  EXPECT_EQ(memory_within(held, Bytes(92 * mib), GradientReset::after_loss, &library)->workspace,
            Bytes(20 * mib));
  // A segment of 22 MiB that then holds 20 leaves too little for the last.
  every_op_takes(64 * mib, 22 * mib);
  EXPECT_FALSE(
      memory_within(held, Bytes(92 * mib), GradientReset::after_loss, &library).has_value());
  every_op_takes(64 * mib, 0);
  const MemoryEstimate roomy =
      memory_within(held, Bytes(500 * mib), GradientReset::after_loss, &library).value();
  EXPECT_EQ(roomy.workspace, Bytes(64 * mib));
  EXPECT_LE(roomy.total, Bytes(500 * mib));
  library.kept = Bytes(32 * mib);
  EXPECT_FALSE(
      memory_within(held, Bytes(92 * mib), GradientReset::after_loss, &library).has_value());
  EXPECT_TRUE(
      memory_within(held, Bytes(124 * mib), GradientReset::after_loss, &library).has_value());
}

// What the estimate reserves is always enough; never less than the peak is.
TEST(MemoryModel, TheEdgeLiesBetweenPeakAndReserved) {
  for (const char* const model : {"resnet18", "alexnet", "googlenet"}) {
    const schedule::Schedule step =
        schedule::lower(zoo::build(model, {.batch = 16}), {.phase = Phase::training});
    const MemoryEstimate memory = estimate_memory(step);
    EXPECT_TRUE(memory_within(step, memory.reserved).has_value()) << model;
    EXPECT_FALSE(memory_within(step, memory.allocated_peak - Bytes(1)).has_value()) << model;
  }
}

// Scale and growth tracker, 4 bytes each, live from step to step; what is saved is as in bf16.
TEST(MemoryModel, LossScalingHoldsTwoNumbers) {
  const auto memory = [](Precision precision) {
    return estimate_memory(
        schedule::lower(linear_chain(), {.phase = Phase::training, .precision = precision}));
  };
  const MemoryEstimate bf16 = memory(Precision::amp);
  const MemoryEstimate fp16 = memory(Precision::amp_fp16);
  EXPECT_EQ(bf16.optimizer, Bytes(8));
  EXPECT_EQ(fp16.optimizer, Bytes(8 + 8));
  EXPECT_EQ(fp16.saved_activations, bf16.saved_activations);
  EXPECT_EQ(fp16.gradients, bf16.gradients);
}

}  // namespace
}  // namespace rooflab::predict
