// Files of PyTorch's exporters, weights stripped: counted here by a function of this test alone and
// compared with what was counted from the same graphs when they were exported (truth.csv).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "../base/note_matchers.hpp"
#include "base/format.hpp"
#include "notes/onnx_notes.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/onnx/onnx_reader.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::onnx {
namespace {

const std::filesystem::path data_folder =
    std::filesystem::path(ROOFLAB_SOURCE_DIR) / "tests" / "data" / "onnx";

/// Multiply-accumulates of the matrix ops that occur in the samples, from their definitions: every
/// output element is a sum over the kernel and the input channels, or over the inner extent.
std::int64_t macs_of(const graph::Graph& graph, const graph::Node& node) {
  const auto shape = [&graph](graph::ValueId id) { return graph.type(id).shape; };
  const std::int64_t outputs = shape(node.outputs[0]).elements();
  if (std::holds_alternative<graph::Conv>(node.op)) {
    const graph::Shape weight = shape(node.inputs[1]);
    return outputs * (weight.elements() / weight[0]);
  }
  if (std::holds_alternative<graph::Linear>(node.op) ||
      std::holds_alternative<graph::MatMul>(node.op)) {
    return outputs * shape(node.inputs[0]).from_end(1);
  }
  if (std::holds_alternative<graph::Attention>(node.op)) {
    // Each query is multiplied by each key, and each weight by a row of v.
    const std::int64_t keys = shape(node.inputs[1]).from_end(2);
    return shape(node.inputs[0]).elements() * keys + outputs * keys;
  }
  return 0;
}

std::int64_t matrix_flops(const graph::Graph& graph) {
  std::int64_t macs = 0;
  for (const graph::Node& node : graph.nodes) macs += macs_of(graph, node);
  return 2 * macs;
}

struct Truth {
  std::string file;
  std::int64_t framework_parameters = 0;
  std::int64_t matrix_flops = 0;
};

std::vector<Truth> read_truth() {
  std::vector<Truth> rows;
  const std::string csv = read_file(data_folder / "truth.csv");
  for (const std::string& line : split(csv, '\n')) {
    const std::vector<std::string> cells = split(line, ',');
    if (cells.size() < 6 || cells[0] == "source") continue;
    rows.push_back({format("{}-{}-{}.onnx", cells[0], cells[1], cells[2]),
                    parse_integer(cells[3]).value_or(-1), parse_integer(cells[4]).value_or(-1)});
  }
  return rows;
}

void PrintTo(const Truth& row, std::ostream* stream) { *stream << row.file; }

class Sample : public testing::TestWithParam<Truth> {};

TEST_P(Sample, CountsEqualTheExportedGraphToTheDigit) {
  const ImportResult result = read_onnx(data_folder / GetParam().file);
  EXPECT_EQ(matrix_flops(result.graph), GetParam().matrix_flops);
  EXPECT_TRUE(result.unknown.empty());
  EXPECT_THAT(graph::verify(result.graph), testing::IsEmpty());
  EXPECT_THAT(result.producer, testing::StartsWith("pytorch 2.11"));
}

/// Why a file has fewer parameters than the module it was exported from.
struct Difference {
  std::int64_t auxiliary = 0;  ///< heads that only train
  std::int64_t folded = 0;     ///< scale and shift of batch norms folded into convolutions
  std::int64_t appeared = 0;   ///< biases that this gave the convolutions, where not all zero
  std::int64_t merged = 0;     ///< initialisers stored once because their values are equal
  std::int64_t zero_bias = 0;  ///< biases left out because they are all zero
  std::int64_t dropped = 0;    ///< biases that appeared and are zero in the file: not imported
  std::int64_t total() const {
    return auxiliary + folded - appeared + merged + zero_bias + dropped;
  }
};

const std::map<std::string, Difference>& differences() {
  static const std::map<std::string, Difference> table = {
      // 4,800 channels under 20 batch norms, scale and shift each.
      {"tv-resnet18-dynamo.onnx", {.folded = 9600}},
      // The same; of the new biases the five of every width are equal: 4 x (64 + 128 + 256 + 512).
      // Those of 64 and 128 channels are in the file, and zero; it lacks the data of the others.
      {"tv-resnet18-script.onnx",
       {.folded = 9600, .appeared = 4800, .merged = 3840, .dropped = 64 + 128}},
      // Two auxiliary classifiers; 7,280 channels under 57 batch norms.
      {"tv-googlenet-dynamo.onnx", {.auxiliary = 6379984, .folded = 14560}},
      // 25 equal layer norms of 2 x 768 stored once; zero biases of 12 output projections, of the
      // patch embedding (768) and of the head (1,000).
      {"tv-vit_b_16-dynamo.onnx", {.merged = 24 * 1536, .zero_bias = 12 * 768 + 768 + 1000}},
      {"timm-mixer_b16_224-dynamo.onnx", {.merged = 24 * 1536, .zero_bias = 768 + 1000}},
      // 21,008 channels under batch norms; equal biases, mostly of the squeeze-excite layers, which
      // keep theirs. Only convolutions to the widths of the stages have separate zeros.
      {"tv-efficientnet_b0-script.onnx",
       {.folded = 42016,
        .appeared = 21008,
        .merged = 25344,
        .dropped = 16 + 24 + 40 + 80 + 112 + 192}},
      // Only a norm right after a convolution folds: 64 + 58 x 128 channels. The file aliases
      // 111,104 elements, 68,672 of which are running statistics and never were parameters.
      {"tv-densenet121-script.onnx", {.folded = 14976, .appeared = 7488, .merged = 111104 - 68672}},
      // Equal (zero) biases of one width: 64 + 128 + 2 x 256 + 5 x 512, and of two classifiers.
      {"tv-vgg16-script.onnx", {.merged = 64 + 128 + 2 * 256 + 5 * 512 + 4096}},
      // 25 equal layer norms; zero biases of four linear layers in each of 12 blocks.
      {"hf-gpt2-dynamo.onnx", {.merged = 24 * 1536, .zero_bias = 12 * (2304 + 768 + 3072 + 768)}},
  };
  return table;
}

TEST_P(Sample, ParametersDifferFromTheFrameworkForKnownReasonsOnly) {
  const ImportResult result = read_onnx(data_folder / GetParam().file);
  const Difference& difference = differences().at(GetParam().file);
  const std::int64_t parameters = result.graph.parameter_elements();
  EXPECT_EQ(GetParam().framework_parameters - difference.total(), parameters);
  // Within 1 % once the heads that are not in the graph are set aside.
  const double comparable =
      static_cast<double>(GetParam().framework_parameters - difference.auxiliary);
  EXPECT_NEAR(static_cast<double>(parameters) / comparable, 1.0, 0.01);
}

INSTANTIATE_TEST_SUITE_P(Files, Sample, testing::ValuesIn(read_truth()),
                         [](const testing::TestParamInfo<Truth>& row) {
                           std::string name = row.param.file.substr(0, row.param.file.find('.'));
                           std::ranges::replace_if(
                               name, [](char c) { return c == '-' || c == '_'; }, 'x');
                           return name;
                         });

std::map<std::string, int> ops_in(const std::string& file) {
  std::map<std::string, int> counts;
  for (const graph::Node& node : read_onnx(data_folder / file).graph.nodes) {
    ++counts[name_of(node.op)];
  }
  return counts;
}

// Twelve blocks each: the calls that torchvision's and transformers' modules make.
TEST(Samples, HaveTheAttentionAndTheLinearLayersThatEagerRuns) {
  std::map<std::string, int> vit = ops_in("tv-vit_b_16-dynamo.onnx");
  EXPECT_EQ(vit["attention"], 12);
  EXPECT_EQ(vit["matmul"], 0);
  EXPECT_EQ(vit["softmax"], 0);
  EXPECT_EQ(vit["linear"], 12 * 4 + 1);
  EXPECT_EQ(vit["add"], 1 + 12 * 2);  // positions, two residuals a block

  std::map<std::string, int> gpt2 = ops_in("hf-gpt2-dynamo.onnx");
  EXPECT_EQ(gpt2["attention"], 12);
  EXPECT_EQ(gpt2["matmul"], 0);
  EXPECT_EQ(gpt2["is_nan"], 0);
  EXPECT_EQ(gpt2["where"], 0);
  // The mask's indices were stripped from the sample, so nothing says that it is causal.
  for (const graph::Node& node : read_onnx(data_folder / "hf-gpt2-dynamo.onnx").graph.nodes) {
    const auto* const attention = std::get_if<graph::Attention>(&node.op);
    if (attention == nullptr) continue;
    EXPECT_EQ(*attention, graph::Attention{}) << node.name;
    EXPECT_EQ(node.inputs.size(), 4U) << node.name;
  }
}

std::vector<Note> export_notes(const std::string& file) {
  std::vector<Note> notes = read_onnx(data_folder / file).notes;
  std::erase_if(notes, [](const Note& note) {
    return note.code != says.norms_folded && note.code != says.norms_or_biases_left_out;
  });
  return notes;
}

TEST(Samples, SayWhatTheirExportTookAway) {
  using Notes = std::vector<Note>;
  // The old exporter renames what it folds. DenseNet's other 61 convolutions come after their
  // norms.
  EXPECT_EQ(export_notes("tv-resnet18-script.onnx"), (Notes{{says.norms_folded, {20, 20}}}));
  EXPECT_EQ(export_notes("tv-densenet121-script.onnx"), (Notes{{says.norms_folded, {59, 120}}}));
  // 81 convolutions, 16 x 2 of them in squeeze-excite blocks.
  EXPECT_EQ(export_notes("tv-efficientnet_b0-script.onnx"), (Notes{{says.norms_folded, {49, 81}}}));
  // The new one leaves zeros out, be they of a norm or of the network.
  EXPECT_EQ(export_notes("tv-resnet18-dynamo.onnx"),
            (Notes{{says.norms_or_biases_left_out, {20, 20}}}));
  EXPECT_EQ(export_notes("tv-vit_b_16-dynamo.onnx"),
            (Notes{{says.norms_or_biases_left_out, {1, 1}}}));
  // No batch norms, its own biases.
  EXPECT_EQ(export_notes("tv-vgg16-script.onnx"), Notes{});
  EXPECT_EQ(export_notes("hf-gpt2-dynamo.onnx"), Notes{});
}

TEST(Samples, AreAllInTheTable) {
  EXPECT_EQ(read_truth().size(), 9U);
  EXPECT_EQ(differences().size(), 9U);
}

std::vector<std::string> first_names(const std::string& file, std::size_t count) {
  std::vector<std::string> names;
  for (const graph::Node& node : read_onnx(data_folder / file).graph.nodes) {
    if (names.size() < count) names.push_back(node.name);
  }
  return names;
}

TEST(SampleNames, AreScopePathsWhicheverExporterWroteThem) {
  const std::vector<std::string> expected = {"conv1",          "relu",           "maxpool",
                                             "layer1.0.conv1", "layer1.0.relu",  "layer1.0.conv2",
                                             "layer1.0.add",   "layer1.0.relu_1"};
  EXPECT_EQ(first_names("tv-resnet18-dynamo.onnx", 8), expected);
  EXPECT_EQ(first_names("tv-resnet18-script.onnx", 8), expected);
}

}  // namespace
}  // namespace rooflab::onnx
