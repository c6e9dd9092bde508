// The worker against torchvision's own modules: the same formula for the weights, the same outputs.
// tests/data/torch/make_outputs.py made the stored ones.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/format.hpp"
#include "number_file.hpp"
#include "worker_case.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;

const fs::path stored_outputs = fs::path(ROOFLAB_SOURCE_DIR) / "tests/data/torch";

class FrameworkOutputs : public testing::TestWithParam<std::string> {
 protected:
  /// What the worker computes for the formula's weights.
  static std::vector<double> outputs_of(const std::string& model, Phase phase, Precision precision,
                                        const std::string& prefix,
                                        const zoo::BuildOptions& options = {.batch = 2}) {
    const fs::path file = fs::temp_directory_path() /
                          format("rooflab-outputs-{}-{}-{}", model, name_of(phase), ::getpid());
    Case request = short_case(model, options, phase);
    request.identity.precision = precision;
    request.weights = WeightSource::formula;
    request.outputs = file;
    const record::Record result = run(request);
    EXPECT_EQ(result.status, record::Status::ok) << result.message;
    std::vector<double> values = numbers_in(file, prefix);
    fs::remove(file);
    return values;
  }
};

using InferenceStep = FrameworkOutputs;
using TrainingStep = FrameworkOutputs;
using AutocastStep = FrameworkOutputs;

using InferenceInDouble = FrameworkOutputs;

void expect_scores(const std::vector<double>& actual, const std::string& model, double tolerance) {
  const std::vector<double> expected = numbers_in(stored_outputs / (model + "-inference.txt"), "");
  ASSERT_EQ(expected.size(), 200U);
  ASSERT_EQ(actual.size(), 2000U);
  double largest = 0.0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  ASSERT_GT(largest, 0.0);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(actual[10 * i], expected[i], tolerance * largest) << "class score " << 10 * i;
  }
}

TEST_P(InferenceStep, EqualThoseOfTorchvision) {
  expect_scores(outputs_of(GetParam(), Phase::inference, Precision::fp32, ""), GetParam(), 2e-5);
}

// In single precision rounding grows to 3e-5 of the largest score in these networks.
TEST_P(InferenceInDouble, EqualThoseOfTorchvision) {
  expect_scores(outputs_of(GetParam(), Phase::inference, Precision::fp64, ""), GetParam(), 1e-7);
}

// Later losses depend on the gradients, the optimizer and, for AlexNet, dropout's random numbers.
// In double precision: batch norms over two images amplify single precision's rounding to 2 %.
TEST_P(TrainingStep, LossesEqualThoseOfTorchvision) {
  const std::vector<double> expected =
      numbers_in(stored_outputs / (GetParam() + "-training.txt"), "");
  ASSERT_EQ(expected.size(), 3U);
  const std::vector<double> actual =
      outputs_of(GetParam(), Phase::training, Precision::fp64, "loss ");
  ASSERT_EQ(actual.size(), 3U);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], 1e-6 * expected[i]) << "step " << i;
  }
}

// The losses of three steps: the same kernels on the same numbers. Images are small, because
// libtorch's convolutions in 16 bits are slow on CPUs without instructions for them.
TEST_P(AutocastStep, AmpAndAmpBf16AreTheSameOnACpu) {
  const auto losses = [](Precision precision) {
    return outputs_of(GetParam(), Phase::training, precision, "loss ",
                      {.batch = 2, .image_size = 32});
  };
  const std::vector<double> amp = losses(Precision::amp);
  ASSERT_EQ(amp.size(), 3U);
  EXPECT_EQ(losses(Precision::amp_bf16), amp);
  EXPECT_NE(losses(Precision::fp32), amp);
}

INSTANTIATE_TEST_SUITE_P(Networks, InferenceStep,
                         testing::Values("alexnet", "vgg16", "resnet18", "resnet50", "googlenet",
                                         "densenet121", "mobilenet_v2", "squeezenet1_0",
                                         "inception_v3", "mobilenet_v3_large", "mnasnet0_5",
                                         "efficientnet_b0", "shufflenet_v2_x0_5", "regnet_y_400mf",
                                         "convnext_tiny"),
                         [](const auto& test) { return test.param; });
INSTANTIATE_TEST_SUITE_P(LongNetworks, InferenceStep, testing::Values("vit_b_16"),
                         [](const auto& test) { return test.param; });
INSTANTIATE_TEST_SUITE_P(Networks, AutocastStep, testing::Values("resnet18"),
                         [](const auto& test) { return test.param; });
INSTANTIATE_TEST_SUITE_P(Networks, InferenceInDouble, testing::Values("swin_t"),
                         [](const auto& test) { return test.param; });
INSTANTIATE_TEST_SUITE_P(LongNetworks, InferenceInDouble, testing::Values("swin_v2_t", "maxvit_t"),
                         [](const auto& test) { return test.param; });
INSTANTIATE_TEST_SUITE_P(Networks, TrainingStep, testing::Values("resnet18", "mobilenet_v2"),
                         [](const auto& test) { return test.param; });
INSTANTIATE_TEST_SUITE_P(LongNetworks, TrainingStep,
                         testing::Values("alexnet", "densenet121", "swin_t", "vit_b_16"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace rooflab::engine
