// The worker on a CUDA GPU. Skipped, with the reason, without a GPU. No absolute times.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "../torch/number_file.hpp"
#include "../torch/recurrent_network.hpp"
#include "../torch/worker_case.hpp"
#include "base/format.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/predict/memory_model.hpp"
#include "rooflab/predict/op_model.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;

class CudaWorker : public testing::Test {
 protected:
  void SetUp() override {
    static const Capabilities capabilities = describe(ROOFLAB_TORCH_WORKER);
    const bool has_gpu = std::ranges::any_of(
        capabilities.devices, [](const auto& device) { return device.kind == "cuda"; });
    if (has_gpu) return;
    GTEST_SKIP() << (capabilities.missing.empty() ? "no CUDA device here"
                                                  : capabilities.missing.front());
  }

  static Case on_gpu(const std::string& model, std::int64_t batch, Phase phase,
                     Precision precision = Precision::fp32) {
    Case request = short_case(model, {.batch = batch}, phase);
    request.identity.device = "cuda:0";
    request.identity.precision = precision;
    return request;
  }

  static std::vector<double> numbers_in(const fs::path& path) {
    std::ifstream file(path);
    std::vector<double> numbers;
    for (std::string line; std::getline(file, line);) {
      if (const auto number = parse_number(line)) numbers.push_back(*number);
    }
    return numbers;
  }
};

// Stored by tests/data/torch/make_outputs.py on a CPU; a GPU adds in another order.
TEST_F(CudaWorker, OutputsEqualThoseOfTorchvision) {
  for (const std::string model : {"resnet18", "googlenet", "vit_b_16"}) {
    Case request = on_gpu(model, 2, Phase::inference);
    const fs::path file =
        fs::temp_directory_path() / format("rooflab-cuda-{}-{}", model, ::getpid());
    request.weights = WeightSource::formula;
    request.outputs = file;
    const record::Record result = run(request);
    ASSERT_EQ(result.status, record::Status::ok) << result.message;
    const std::vector<double> actual = numbers_in(file);
    fs::remove(file);
    const std::vector<double> expected =
        numbers_in(fs::path(ROOFLAB_SOURCE_DIR) / "tests/data/torch" / (model + "-inference.txt"));
    ASSERT_EQ(expected.size(), 200U);
    ASSERT_EQ(actual.size(), 2000U);
    double largest = 0.0;
    for (const double value : expected) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(actual[10 * i], expected[i], 1e-3 * largest) << model << ", score " << 10 * i;
    }
  }
}

// cuDNN runs all steps and layers in one call, from weights that lie together.
TEST_F(CudaWorker, RecurrentLayersAreThoseOfTheirEquations) {
  using graph::RecurrentCell;
  for (const auto cell : {RecurrentCell::lstm, RecurrentCell::gru, RecurrentCell::rnn_tanh}) {
    const graph::Recurrent op{.cell = cell,
                              .layers = 2,
                              .bidirectional = true,
                              .batch_first = true,
                              .initial_state = true};
    SCOPED_TRACE(name_of(cell));
    expect_defined(trained(recurrent::network_of(op), "cuda:0"), recurrent::definition_of(op));
  }
}

TEST_F(CudaWorker, KeepsWhatTheMemoryModelSays) {
  for (const std::string model : {"resnet18", "alexnet", "vgg16"}) {
    const Case request = on_gpu(model, 64, Phase::forward, Precision::tf32);
    const record::Record result = run(request);
    ASSERT_EQ(result.status, record::Status::ok) << result.message;
    const predict::MemoryEstimate expected = predict::estimate_memory(
        schedule::lower(request.graph, {.phase = Phase::forward, .precision = Precision::tf32}));
    const double kept = result.memory.value().saved.value().as_double();
    EXPECT_NEAR(kept / expected.saved_activations.as_double(), 1.0, 0.01) << model;
  }
}

TEST_F(CudaWorker, OutOfMemoryIsAnOutcomeThatSaysWhatWasAsked) {
  const record::Record result = run(on_gpu("vgg16", 100'000, Phase::training));
  EXPECT_EQ(result.status, record::Status::oom);
  EXPECT_THAT(result.message, testing::HasSubstr("Tried to allocate"));
  EXPECT_THAT(result.message, testing::HasSubstr("Tensors held at most"));
  EXPECT_FALSE(result.timing);
}

TEST_F(CudaWorker, EnergyClocksAndSamplesCoverTheTimedSteps) {
  Case request = on_gpu("resnet18", 64, Phase::training);
  request.settings.min_time_s = 1.5;
  request.settings.max_time_s = 5.0;
  const record::Record result = run(request);
  ASSERT_EQ(result.status, record::Status::ok) << result.message;
  EXPECT_GT(result.energy_j.value(), 0.0);
  ASSERT_FALSE(result.samples.empty());
  EXPECT_EQ(result.samples.front().device, "cuda:0");
  EXPECT_GE(result.samples.front().samples.size(), 10U);
  EXPECT_GT(result.environment.clocks_after.value().sm_clock_hz.value(), 0.0);
  EXPECT_EQ(result.environment.device.kind, "cuda");
  EXPECT_TRUE(result.environment.libraries.contains("cudnn"));
}

TEST_F(CudaWorker, LayersAddUpWithoutTheHostAndWaitingCostsMore) {
  Case request = on_gpu("resnet18", 64, Phase::training);
  request.settings.per_layer = true;
  const record::Record result = run(request);
  ASSERT_EQ(result.status, record::Status::ok) << result.message;
  const record::LayerTimes& layers = result.layers.value();
  EXPECT_LE(layers.sum_s, layers.whole_s);
  EXPECT_GE(layers.sum_s, 0.8 * layers.whole_s);
  EXPECT_GT(layers.synchronized_sum_s.value(), layers.forward_whole_s.value());
  EXPECT_GT(result.timing.value().issue_s.value(), 0.0);
  EXPECT_LE(result.timing.value().device_s.value(), 1.1 * quantile(result.timing->steps_s, 0.5));
}

// At batch 1 the host is what a step waits for. The costs that were measured behind the steps,
// added up over the nodes, come to the time that the host took to issue one of them; and the case
// is the one that it is without them.
TEST_F(CudaWorker, IssueCostsAddUpToTheIssueTimeOfAStep) {
  for (const std::string model : {"resnet18", "mobilenet_v2"}) {
    Case request = on_gpu(model, 1, Phase::inference);
    request.settings.warmup_time_s = 2.0;
    request.settings.iterations = 20;
    request.settings.max_time_s = 60.0;
    const record::Record without = run(request);
    EXPECT_FALSE(without.issue_costs);
    request.settings.host_time_s = 1.0;
    const record::Record with = run(request);
    ASSERT_EQ(with.status, record::Status::ok) << with.message;
    ASSERT_TRUE(with.issue_costs);
    EXPECT_EQ(with.memory.value().allocated_peak, without.memory.value().allocated_peak);
    EXPECT_EQ(with.memory->reserved_peak, without.memory->reserved_peak);
    double sum_s = 0.0;
    for (const graph::Node& node : request.graph.nodes) {
      const auto [named, own, wider] = predict::host_classes_of(node);
      const std::string host_class(wider.empty() ? own : wider);
      ASSERT_EQ(with.issue_costs->ops.count(host_class), 1U) << host_class;
      sum_s += with.issue_costs->ops.at(host_class).inference_s;
    }
    const double issue_s = with.timing.value().issue_s.value();
    EXPECT_GT(sum_s, 0.6 * issue_s) << model;
    EXPECT_LT(sum_s, 1.5 * issue_s) << model;
  }
}

TEST_F(CudaWorker, EveryPrecisionTrains) {
  for (const Precision precision :
       {Precision::fp64, Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16,
        Precision::amp, Precision::amp_fp16, Precision::amp_bf16}) {
    const record::Record result = run(on_gpu("resnet18", 8, Phase::training, precision));
    EXPECT_EQ(result.status, record::Status::ok) << name_of(precision) << ": " << result.message;
    EXPECT_EQ(result.environment.tf32_convolution, precision == Precision::tf32);
  }
}

// The first loss is that of the same weights; the optimizer runs once the scale has come down.
TEST_F(CudaWorker, AutocastToFp16TrainsAsBf16Does) {
  const auto trained = [](Precision precision) {
    Case request = on_gpu("resnet18", 16, Phase::training, precision);
    request.weights = WeightSource::formula;
    const fs::path file = fs::temp_directory_path() / format("rooflab-amp-{}", ::getpid());
    request.outputs = file;
    const record::Record result = run(request);
    EXPECT_EQ(result.status, record::Status::ok) << result.message;
    const Numbers losses = worker_numbers_in(file).losses;
    fs::remove(file);
    return std::pair(losses, result.memory.value().saved.value().as_double());
  };
  const auto [bf16, bf16_saved] = trained(Precision::amp_bf16);
  const auto [fp16, fp16_saved] = trained(Precision::amp_fp16);
  ASSERT_EQ(fp16.size(), bf16.size());
  ASSERT_FALSE(fp16.empty());
  for (const double loss : fp16) EXPECT_TRUE(std::isfinite(loss));
  EXPECT_NEAR(fp16.front(), bf16.front(), 0.02 * bf16.front());
  // PyTorch's own peaks differ too: cuDNN's batch norm keeps a separate reserve in fp16.
  EXPECT_NEAR(fp16_saved / bf16_saved, 1.0, 0.005);
}

// The rule that DenseNet's inference peak depends on: a local variable keeps a concatenation alive.
// PyTorch 2.11 on an H200 holds 80,281,600 B of activations at most for 8 images in fp32.
TEST_F(CudaWorker, DenseNetsInferencePeakHoldsTheConcatenation) {
  const record::Record result = run(on_gpu("densenet121", 8, Phase::inference));
  ASSERT_EQ(result.status, record::Status::ok) << result.message;
  const record::MemoryUse& memory = result.memory.value();
  const double activations =
      (memory.allocated_peak.value() - memory.persistent.value()).as_double();
  EXPECT_GE(activations, 80'281'600.0);
  EXPECT_LE(activations, 1.05 * 80'281'600.0);
}

}  // namespace
}  // namespace rooflab::engine
