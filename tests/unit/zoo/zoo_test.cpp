#include "rooflab/zoo/zoo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::zoo {
namespace {

using graph::Graph;
using graph::Node;
using graph::Shape;
using testing::HasSubstr;

/// Multiply-accumulates of the evaluated network, from shapes alone: every output element of a
/// convolution or linear layer takes one weight row, of a product one row of the left operand;
/// attention takes L x S x E twice per head.
double macs_of(const Graph& graph) {
  double total = 0;
  for (const Node& node : graph.nodes) {
    if (node.training_only) continue;
    const auto shape = [&](std::size_t input) -> const Shape& {
      return graph.type(node.inputs[input]).shape;
    };
    const auto outputs = static_cast<double>(graph.type(node.outputs[0]).shape.elements());
    if (std::holds_alternative<graph::Conv>(node.op)) {
      total += outputs * static_cast<double>(shape(1)[1] * shape(1)[2] * shape(1)[3]);
    } else if (std::holds_alternative<graph::Linear>(node.op)) {
      total += outputs * static_cast<double>(shape(1)[1]);
    } else if (std::holds_alternative<graph::MatMul>(node.op)) {
      total += outputs * static_cast<double>(shape(0).from_end(1));
    } else if (std::holds_alternative<graph::Attention>(node.op)) {
      const auto keys = static_cast<double>(shape(1).from_end(2));
      total += keys * static_cast<double>(shape(0).elements()) + keys * outputs;
    }
  }
  return total;
}

TEST(Zoo, ParametersAndMacsAreThoseThatTorchvisionPublishes) {
  const std::string text = read_file(ROOFLAB_SOURCE_DIR "/tests/data/zoo/torchvision_models.csv");
  std::set<std::string> seen;
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> cells = split(line, ',');
    if (cells.size() != 4 || cells[0] == "model") continue;
    SCOPED_TRACE(line);
    const Graph graph = build(cells[0], {.image_size = parse_integer(cells[3])});
    EXPECT_EQ(graph.parameter_elements(), parse_integer(cells[1]));
    const double published = *parse_number(cells[2]);
    constexpr double half_of_last_digit = 0.0005;
    EXPECT_NEAR(macs_of(graph) / 1e9, published, std::max(0.005 * published, half_of_last_digit));
    seen.insert(cells[0]);
  }
  for (const ModelInfo& info : models()) EXPECT_TRUE(seen.contains(info.name)) << info.name;
}

TEST(Zoo, BatchMultipliesMacs) {
  // 1.814 G, 0.714 G and 15.470 G times 256.
  EXPECT_NEAR(macs_of(build("resnet18", {.batch = 256})), 464.4e9, 0.05e9);
  EXPECT_NEAR(macs_of(build("alexnet", {.batch = 256})), 182.8e9, 0.05e9);
  EXPECT_NEAR(macs_of(build("vgg16", {.batch = 256})), 3.96e12, 0.005e12);
}

TEST(Zoo, EveryGraphIsSound) {
  for (const ModelInfo& info : models()) {
    std::vector<std::string> variants = {""};
    for (const VariantInfo& variant : info.variants) variants.push_back(variant.name);
    for (const std::string& variant : variants) {
      SCOPED_TRACE(info.name + " " + variant);
      const Graph graph = build(info.name, {.batch = 3, .variant = variant});
      EXPECT_THAT(graph::verify(graph), testing::IsEmpty());
      std::set<std::string> nodes;
      for (const Node& node : graph.nodes) EXPECT_TRUE(nodes.insert(node.name).second) << node.name;
      std::set<std::string> parameters;
      for (const graph::Value& value : graph.values) {
        if (value.kind != graph::ValueKind::parameter) continue;
        EXPECT_TRUE(parameters.insert(value.name).second) << value.name;
      }
      EXPECT_EQ(graph.type(graph.outputs.at(0)).shape, (Shape{3, 1000}));
    }
  }
}

TEST(Zoo, ModelsAreSortedByFamilyThenParameters) {
  std::string family;
  std::int64_t parameters = 0;
  for (const ModelInfo& info : models()) {
    EXPECT_LE(family, info.family);
    const std::int64_t own = build(info.name).parameter_elements();
    if (family == info.family) {
      EXPECT_LE(parameters, own) << info.name;
    }
    family = info.family;
    parameters = own;
  }
}

TEST(Zoo, FindsByName) {
  const ModelInfo* info = find_model("inception_v3");
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(info->input_size, 299);
  EXPECT_EQ(find_model("resnet55"), nullptr);
}

TEST(Zoo, GoogLeNetHasAuxiliaryHeadsAsVariant) {
  const Graph graph = build("googlenet", {.classes = 1000, .variant = "aux"});
  EXPECT_EQ(graph.parameter_elements(), 13'004'888);
  // Two heads of pooling, convolution, batch norm, relu, flatten, fc1, relu, dropout, fc2.
  const auto heads = std::ranges::count_if(graph.nodes, &Node::training_only);
  EXPECT_EQ(heads, 2 * 9);
  EXPECT_DOUBLE_EQ(macs_of(graph), macs_of(build("googlenet")));
}

TEST(Zoo, InceptionRunsItsAuxiliaryHeadInTrainingOnly) {
  const Graph graph = build("inception_v3");
  for (const Node& node : graph.nodes) {
    EXPECT_EQ(node.training_only, node.name.starts_with("AuxLogits.")) << node.name;
  }
  // 128 x 768 + 256, 768 x 128 x 25 + 1536, 768 x 1000 + 1000.
  EXPECT_EQ(graph.parameter_elements() -
                build("inception_v3", {.variant = "no_aux"}).parameter_elements(),
            98'560 + 2'459'136 + 769'000);
}

TEST(Zoo, CifarVariantKeepsTheImageUntilTheSecondStage) {
  const Graph graph = build("resnet18", {.classes = 10, .variant = "cifar"});
  EXPECT_EQ(graph.type(graph.inputs[0]).shape, (Shape{1, 3, 32, 32}));
  EXPECT_EQ(graph.parameter_elements(), 11'173'962);
  // Stem 1,769,472; first stage 4 x 37,748,736; three stages of 134,217,728; classifier 5,120.
  EXPECT_DOUBLE_EQ(macs_of(graph), 555'422'720);
}

TEST(Zoo, AttentionIsLaidOutAsTheFrameworkRunsIt) {
  // torch.nn.functional.multi_head_attention_forward for batch 2, 50 tokens, 12 heads of 64.
  const std::vector<std::pair<std::string, Shape>> expected = {
      {"transpose", {50, 2, 768}},
      {"in_proj", {50, 2, 2304}},
      {"unflatten", {50, 2, 3, 768}},
      {"unsqueeze", {1, 50, 2, 3, 768}},
      {"transpose_1", {3, 50, 2, 1, 768}},
      {"squeeze", {3, 50, 2, 768}},
      {"contiguous", {3, 50, 2, 768}},
      {"select", {1, 50, 2, 768}},
      {"squeeze_1", {50, 2, 768}},
      {"select_1", {1, 50, 2, 768}},
      {"squeeze_2", {50, 2, 768}},
      {"select_2", {1, 50, 2, 768}},
      {"squeeze_3", {50, 2, 768}},
      {"view", {50, 24, 64}},
      {"transpose_2", {24, 50, 64}},
      {"view_1", {50, 24, 64}},
      {"transpose_3", {24, 50, 64}},
      {"view_2", {50, 24, 64}},
      {"transpose_4", {24, 50, 64}},
      {"view_3", {2, 12, 50, 64}},
      {"view_4", {2, 12, 50, 64}},
      {"view_5", {2, 12, 50, 64}},
      {"scaled_dot_product_attention", {2, 12, 50, 64}},
      {"permute", {50, 2, 12, 64}},
      {"contiguous_1", {50, 2, 12, 64}},
      {"view_6", {100, 768}},
      {"out_proj", {100, 768}},
      {"view_7", {50, 2, 768}},
      {"transpose_5", {2, 50, 768}},
  };
  const std::string scope = "encoder.layers.encoder_layer_3.self_attention.";
  const Graph graph = build("vit_b_32", {.batch = 2});
  std::vector<std::pair<std::string, Shape>> found;
  for (const Node& node : graph.nodes) {
    if (!node.name.starts_with(scope)) continue;
    found.emplace_back(node.name.substr(scope.size()), graph.type(node.outputs[0]).shape);
  }
  EXPECT_EQ(found, expected);
}

TEST(Zoo, StochasticDepthGrowsOverTheBlocks) {
  std::vector<double> probabilities;
  for (const Node& node : build("convnext_tiny").nodes) {
    if (const auto* drop = std::get_if<graph::StochasticDepth>(&node.op)) {
      probabilities.push_back(drop->p);
    }
  }
  ASSERT_EQ(probabilities.size(), 17U);  // 18 blocks; the first drops nothing
  EXPECT_DOUBLE_EQ(probabilities.front(), 0.1 / 17);
  EXPECT_DOUBLE_EQ(probabilities.back(), 0.1);
}

struct NormConstants {
  std::string model;
  double epsilon;
  double momentum = 0.1;
};

/// Distinct constants of the norms of one kind.
template <class Norm>
std::set<std::pair<double, double>> constants_of(const std::string& model) {
  std::set<std::pair<double, double>> found;
  for (const Node& node : build(model).nodes) {
    const auto* norm = std::get_if<Norm>(&node.op);
    if (norm == nullptr) continue;
    if constexpr (std::is_same_v<Norm, graph::BatchNorm>) {
      found.emplace(norm->epsilon, norm->momentum);
    } else {
      found.emplace(norm->epsilon, 0.0);
    }
  }
  return found;
}

TEST(Zoo, BatchNormsHaveTorchvisionsConstants) {
  // torchvision 0.19, torchvision/models/*.py: googlenet.py and inception.py BasicConv2d eps=0.001;
  // mobilenetv3.py norm_layer eps=0.001, momentum=0.01; efficientnet.py b5 to b7 eps=0.001,
  // momentum=0.01 and v2 eps=1e-03; mnasnet.py _BN_MOMENTUM = 1 - 0.9997; the others
  // torch.nn.BatchNorm2d's own.
  const std::vector<NormConstants> published = {
      {"resnet18", 1e-5},
      {"resnext50_32x4d", 1e-5},
      {"vgg11_bn", 1e-5},
      {"densenet121", 1e-5},
      {"mobilenet_v2", 1e-5},
      {"shufflenet_v2_x1_0", 1e-5},
      {"regnet_y_400mf", 1e-5},
      {"googlenet", 1e-3},
      {"inception_v3", 1e-3},
      {"mobilenet_v3_small", 1e-3, 0.01},
      {"mobilenet_v3_large", 1e-3, 0.01},
      {"efficientnet_b0", 1e-5},
      {"efficientnet_b4", 1e-5},
      {"efficientnet_b5", 1e-3, 0.01},
      {"efficientnet_b7", 1e-3, 0.01},
      {"efficientnet_v2_s", 1e-3},
      {"efficientnet_v2_l", 1e-3},
      {"mnasnet1_0", 1e-5, 0.0003},
  };
  for (const NormConstants& expected : published) {
    SCOPED_TRACE(expected.model);
    const auto found = constants_of<graph::BatchNorm>(expected.model);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_DOUBLE_EQ(found.begin()->first, expected.epsilon);
    EXPECT_NEAR(found.begin()->second, expected.momentum, 1e-12);
  }
}

TEST(Zoo, LayerNormsHaveTorchvisionsConstants) {
  // torchvision 0.19: vision_transformer.py and convnext.py eps=1e-6.
  using Expected = std::set<std::pair<double, double>>;
  EXPECT_EQ(constants_of<graph::LayerNorm>("vit_b_16"), (Expected{{1e-6, 0.0}}));
  EXPECT_EQ(constants_of<graph::LayerNorm>("vit_l_32"), (Expected{{1e-6, 0.0}}));
  EXPECT_EQ(constants_of<graph::LayerNorm>("convnext_tiny"), (Expected{{1e-6, 0.0}}));
  EXPECT_EQ(constants_of<graph::LayerNorm>("convnext_large"), (Expected{{1e-6, 0.0}}));
}

/// The error that a build ends in; fails without an error.
Error error_of(const std::string& name, const BuildOptions& options) {
  try {
    (void)build(name, options);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << name << " was built";
  return Error(ErrorKind::input, "");
}

TEST(ZooErrors, UnknownModelNamesTheNearest) {
  const Error error = error_of("resnet55", {});
  EXPECT_EQ(error.kind(), ErrorKind::usage);
  EXPECT_STREQ(error.what(), "unknown model 'resnet55'");
  EXPECT_EQ(error.hint(), "did you mean 'resnet50'? (rooflab models)");
  EXPECT_THAT(error_of("bert", {}).hint(), HasSubstr("rooflab models"));
}

TEST(ZooErrors, UnknownVariantListsThem) {
  const Error error = error_of("googlenet", {.variant = "cifar"});
  EXPECT_EQ(error.kind(), ErrorKind::usage);
  EXPECT_STREQ(error.what(), "unknown variant 'cifar' of 'googlenet'");
  EXPECT_EQ(error.hint(), "variants of 'googlenet': aux");
  EXPECT_THAT(error_of("alexnet", {.variant = "aux"}).hint(), HasSubstr("no variants"));
}

TEST(ZooErrors, BatchAndClassesArePositive) {
  EXPECT_EQ(error_of("alexnet", {.batch = 0}).kind(), ErrorKind::usage);
  EXPECT_EQ(error_of("alexnet", {.batch = -4}).kind(), ErrorKind::usage);
  EXPECT_EQ(error_of("alexnet", {.classes = 0}).kind(), ErrorKind::usage);
}

TEST(ZooErrors, SmallestImages) {
  // torchvision's min_size; Inception v3 with its auxiliary head from the sizes of its layers.
  const std::vector<std::pair<std::string, std::int64_t>> smallest = {
      {"alexnet", 63},       {"vgg11", 32},         {"densenet121", 29},
      {"googlenet", 15},     {"squeezenet1_0", 21}, {"squeezenet1_1", 17},
      {"convnext_tiny", 32}, {"resnet18", 1},       {"inception_v3", 299},
  };
  for (const auto& [name, size] : smallest) {
    SCOPED_TRACE(name);
    EXPECT_NO_THROW((void)build(name, {.image_size = size}));
    EXPECT_EQ(error_of(name, {.image_size = size - 1}).kind(), ErrorKind::usage);
  }
  EXPECT_NO_THROW((void)build("inception_v3", {.image_size = 75, .variant = "no_aux"}));
  EXPECT_EQ(error_of("inception_v3", {.image_size = 74, .variant = "no_aux"}).kind(),
            ErrorKind::usage);
}

TEST(ZooErrors, TransformersNeedWholePatches) {
  const Error error = error_of("vit_b_16", {.image_size = 230});
  EXPECT_EQ(error.kind(), ErrorKind::usage);
  EXPECT_THAT(error.hint(), HasSubstr("224 and 240"));
}

}  // namespace
}  // namespace rooflab::zoo
