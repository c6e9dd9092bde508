#include "rooflab/analyze/network_count.hpp"

#include <gtest/gtest.h>

#include "networks.hpp"

namespace rooflab::analyze {
namespace {

double mebibytes_of(std::int64_t bytes) { return static_cast<double>(bytes) / (1024.0 * 1024.0); }

// Published by torchsummary for a 3 x 224 x 224 input.
TEST(NetworkCount, TorchsummarysFigures) {
  const NetworkCount resnet = count_network(scheduled("resnet18"));
  EXPECT_NEAR(mebibytes_of(2 * resnet.activation_bytes.value()), 62.79, 0.005);
  EXPECT_NEAR(mebibytes_of(resnet.parameter_bytes.value()), 44.59, 0.005);
  EXPECT_NEAR(mebibytes_of(resnet.input_bytes.value()), 0.57, 0.005);
  EXPECT_EQ(resnet.parameters, 11689512);
  const NetworkCount alexnet = count_network(scheduled("alexnet"));
  EXPECT_NEAR(mebibytes_of(2 * alexnet.activation_bytes.value()), 8.38, 0.005);
  EXPECT_NEAR(mebibytes_of(alexnet.parameter_bytes.value()), 233.08, 0.005);
  EXPECT_EQ(alexnet.input_bytes, Bytes(4 * 3 * 224 * 224));
}

double megabytes_of(Bytes bytes) { return bytes.as_double() / 1e6; }

// Published by torchinfo for images of 3 x 224 x 224; its MB are 10^6 bytes. Of ResNet-18's layers
// those with parameters have 4,968,424 outputs an image. The last figure is of vit_b_16 with a head
// for 3 classes and batch 32, whose attention modules do not call the layer that they hold.
TEST(NetworkCount, TorchinfosFigures) {
  const NetworkCount resnet = count_network(scheduled("resnet18", 256));
  EXPECT_EQ(resnet.torchinfo_pass(), Bytes(4968424LL * 4 * 2 * 256));
  EXPECT_NEAR(megabytes_of(*resnet.torchinfo_pass()), 10175.33, 0.005);
  EXPECT_NEAR(megabytes_of(resnet.input_bytes), 154.14, 0.005);
  EXPECT_NEAR(megabytes_of(resnet.parameter_bytes), 46.76, 0.005);
  const NetworkCount alexnet = count_network(scheduled("alexnet", 256));
  EXPECT_NEAR(megabytes_of(*alexnet.torchinfo_pass()), 1012.09, 0.005);
  EXPECT_NEAR(megabytes_of(alexnet.parameter_bytes), 244.40, 0.005);
  const NetworkCount vgg = count_network(scheduled("vgg16", 256));
  EXPECT_NEAR(megabytes_of(*vgg.torchinfo_pass()), 27764.15, 0.005);
  EXPECT_NEAR(megabytes_of(vgg.parameter_bytes), 553.43, 0.005);
  const graph::Graph vit = zoo::build("vit_b_16", {.batch = 32, .classes = 3});
  for (const Phase phase : {Phase::inference, Phase::training}) {
    const NetworkCount count = count_network(schedule::lower(vit, {.phase = phase}));
    EXPECT_NEAR(megabytes_of(*count.torchinfo_pass()), 3330.74, 0.005);
  }
}

TEST(NetworkCount, EveryNetworkIsCountedInFull) {
  for (const zoo::ModelInfo& model : zoo::models()) {
    const NetworkCount count = count_network(scheduled(model.name));
    EXPECT_EQ(count.coverage(), 1.0) << model.name;
    EXPECT_TRUE(count.uncounted.empty()) << model.name;
    EXPECT_GT(count.computing_nodes, 0) << model.name;
  }
}

TEST(NetworkCount, UnknownOpsAreListedByName) {
  const NetworkCount count = count_network(schedule::lower(with_unknown_ops(), {}));
  EXPECT_EQ(count.computing_nodes, 4);
  EXPECT_EQ(count.counted_nodes, 2);
  EXPECT_DOUBLE_EQ(count.coverage(), 0.5);
  ASSERT_EQ(count.uncounted.size(), 1U);
  EXPECT_EQ(count.uncounted[0].op, "Fold");
  EXPECT_EQ(count.uncounted[0].count, 2);
}

TEST(NetworkCount, PrecisionScalesBytesAndCastsAreNoOutputs) {
  const NetworkCount fp32 = count_network(scheduled("resnet18"));
  const NetworkCount fp16 =
      count_network(scheduled("resnet18", 1, Phase::inference, Precision::fp16));
  EXPECT_EQ(fp16.activation_bytes * 2, fp32.activation_bytes);
  EXPECT_EQ(fp16.parameter_bytes * 2, fp32.parameter_bytes);
  // Autocast keeps the parameters in fp32.
  const NetworkCount amp =
      count_network(scheduled("resnet18", 1, Phase::inference, Precision::amp));
  EXPECT_EQ(amp.parameter_bytes, fp32.parameter_bytes);
  EXPECT_LT(amp.activation_bytes, fp32.activation_bytes);
}

TEST(NetworkCount, TrainingOnlyNodesCountInTrainingOnly) {
  const graph::Graph network = zoo::build("inception_v3");
  const NetworkCount inference = count_network(schedule::lower(network, {}));
  const NetworkCount forward = count_network(schedule::lower(network, {.phase = Phase::forward}));
  EXPECT_LT(inference.computing_nodes, forward.computing_nodes);
  EXPECT_EQ(inference.parameters, forward.parameters);
  EXPECT_EQ(inference.parameters, 27161264);
}

TEST(NetworkCount, AnEmptyNetworkIsCovered) { EXPECT_EQ(NetworkCount{}.coverage(), 1.0); }

}  // namespace
}  // namespace rooflab::analyze
