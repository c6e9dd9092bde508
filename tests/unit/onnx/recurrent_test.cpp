// LSTM, GRU and RNN of files: layers, weights in PyTorch's order, and what has no op.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "../base/note_matchers.hpp"
#include "changed_bytes.hpp"
#include "graph_words.hpp"
#include "onnx_writer.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/onnx/onnx_reader.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::onnx {
namespace {

using namespace writer;
using graph::Recurrent;
using graph::RecurrentCell;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string stored(const std::string& name, const Dims& dims, const std::vector<float>& values) {
  std::string raw(values.size() * sizeof(float), '\0');
  std::memcpy(raw.data(), values.data(), raw.size());
  return tensor(name, float_type, dims, raw);
}

/// 1, 2, 3, ...
std::string counted(const std::string& name, const Dims& dims, float first = 1.0F) {
  std::vector<float> values;
  std::int64_t count = 1;
  for (const std::int64_t extent : dims) count *= extent;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(first + static_cast<float>(i));
  return stored(name, dims, values);
}

/// One layer of 1 unit on 4 steps of 2 samples with 1 feature.
struct Small {
  std::string type = "LSTM";
  std::int64_t gates = 4;
  Names operands = {"x", "w", "r", "b"};
  std::vector<std::string> attributes = {};
  std::vector<std::string> more = {};  ///< initialisers
  Extents input = {4, 2, 1};
};

ImportResult read_layer(const Small& small, const ImportOptions& options = {.with_places = true}) {
  GraphWriter graph;
  graph.input("x", small.input)
      .initializer(counted("w", {1, small.gates, 1}, 1.0F))
      .initializer(counted("r", {1, small.gates, 1}, 11.0F))
      .initializer(counted("b", {1, 2 * small.gates}, 21.0F));
  for (const std::string& initializer : small.more) graph.initializer(initializer);
  graph.add({small.type, small.operands, {"y"}, small.attributes}).output("y");
  return read_onnx_bytes(model(graph, 14), "m.onnx", options);
}

const Recurrent& layer_of(const ImportResult& result) {
  for (const graph::Node& node : result.graph.nodes) {
    if (const auto* op = std::get_if<Recurrent>(&node.op)) return *op;
  }
  throw std::runtime_error("no recurrent layer");
}

/// Data of the layer's weights, one after the other.
std::vector<std::vector<float>> weights_of(const ImportResult& result) {
  std::vector<std::vector<float>> all;
  for (const graph::Node& node : result.graph.nodes) {
    const auto* op = std::get_if<Recurrent>(&node.op);
    if (op == nullptr) continue;
    for (std::size_t i = op->first_weight(); i < node.inputs.size(); ++i) {
      const graph::Value& value = result.graph.value(node.inputs[i]);
      EXPECT_EQ(value.kind, graph::ValueKind::parameter);
      const auto found = result.bytes.find(value.name);
      std::vector<float> numbers;
      if (found != result.bytes.end()) {
        numbers.resize(found->second.size() / sizeof(float));
        std::memcpy(numbers.data(), found->second.data(), found->second.size());
      }
      all.push_back(std::move(numbers));
    }
  }
  return all;
}

TEST(RecurrentImport, GatesOfAnLstmGetPyTorchsOrder) {
  const ImportResult result = read_layer({});
  EXPECT_EQ(ops_of(result.graph), "lstm reshape");
  EXPECT_EQ(layer_of(result), Recurrent{});
  // i o f c becomes i f c o; W's biases stand before R's.
  EXPECT_THAT(weights_of(result),
              ElementsAre(ElementsAre(1, 3, 4, 2), ElementsAre(11, 13, 14, 12),
                          ElementsAre(21, 23, 24, 22), ElementsAre(25, 27, 28, 26)));
  EXPECT_EQ(result.graph.parameter_elements(), 16);
  EXPECT_EQ(operands_of(result.graph, result.graph.nodes[0]), "x w r b b_1");
  EXPECT_THAT(result.without_values, IsEmpty());
  EXPECT_THAT(result.value_notes, IsEmpty());
}

TEST(RecurrentImport, GatesOfAGruGetPyTorchsOrder) {
  const ImportResult result = read_layer(
      {"GRU", 3, {"x", "w", "r", "b"}, {attribute("linear_before_reset", std::int64_t{1})}});
  EXPECT_EQ(layer_of(result).cell, RecurrentCell::gru);
  // z r h becomes r z h.
  EXPECT_THAT(weights_of(result), ElementsAre(ElementsAre(2, 1, 3), ElementsAre(12, 11, 13),
                                              ElementsAre(22, 21, 23), ElementsAre(25, 24, 26)));
  EXPECT_THAT(result.value_notes, IsEmpty());
}

// W and R of a plain cell lie in the file as they are; B is two vectors.
TEST(RecurrentImport, PlainCellsByTheirActivation) {
  const ImportResult tanh = read_layer({"RNN", 1});
  EXPECT_EQ(layer_of(tanh).cell, RecurrentCell::rnn_tanh);
  EXPECT_TRUE(tanh.places.contains("w"));
  EXPECT_TRUE(tanh.places.contains("r"));
  EXPECT_THAT(weights_of(tanh),
              ElementsAre(IsEmpty(), IsEmpty(), ElementsAre(21), ElementsAre(22)));
  const ImportResult relu =
      read_layer({"RNN", 1, {"x", "w", "r"}, {attribute_texts("activations", {"Relu"})}});
  EXPECT_EQ(layer_of(relu), (Recurrent{.cell = RecurrentCell::rnn_relu, .bias = false}));
}

// The samples first: [2, 4, 1] are 2 samples of 4 steps. Backwards: the steps are turned twice.
TEST(RecurrentImport, LayoutsAndDirections) {
  const ImportResult first =
      read_layer({.attributes = {attribute("layout", std::int64_t{1})}, .input = {2, 4, 1}});
  EXPECT_TRUE(layer_of(first).batch_first);
  EXPECT_EQ(first.graph.type(first.graph.outputs[0]).shape, (graph::Shape{2, 4, 1, 1}));
  const ImportResult reverse = read_layer({.attributes = {attribute_text("direction", "reverse")}});
  EXPECT_EQ(ops_of(reverse.graph), "slice lstm slice reshape");
  const graph::Slice turned{{0}, {3}, {-1}, {-1}};
  EXPECT_EQ(std::get<graph::Slice>(reverse.graph.nodes[0].op), turned);
  EXPECT_EQ(reverse.graph.type(reverse.graph.outputs[0]).shape, (graph::Shape{4, 1, 2, 1}));
}

TEST(RecurrentImport, BothDirectionsHaveWeightsOfTheirOwn) {
  GraphWriter graph;
  graph.input("x", {4, 2, 3})
      .initializer(counted("w", {2, 1, 3}))
      .initializer(counted("r", {2, 1, 1}, 11.0F))
      .add({"RNN", {"x", "w", "r"}, {"y", "h"}, {attribute_text("direction", "bidirectional")}})
      .output("y")
      .output("h");
  const ImportResult result = read_onnx_bytes(model(graph, 14), "m.onnx", {.with_places = true});
  EXPECT_TRUE(layer_of(result).bidirectional);
  EXPECT_THAT(weights_of(result), ElementsAre(ElementsAre(1, 2, 3), ElementsAre(11),
                                              ElementsAre(4, 5, 6), ElementsAre(12)));
  EXPECT_EQ(result.graph.type(result.graph.outputs[0]).shape, (graph::Shape{4, 2, 2, 1}));
  EXPECT_EQ(result.graph.type(result.graph.outputs[1]).shape, (graph::Shape{2, 2, 1}));
}

TEST(RecurrentImport, StatesOfZerosAreTheModulesOwn) {
  const auto with_states = [](const std::vector<float>& h, const std::vector<float>& c) {
    return read_layer({.operands = {"x", "w", "r", "b", "", "h", "c"},
                       .more = {stored("h", {1, 2, 1}, h), stored("c", {1, 2, 1}, c)}});
  };
  EXPECT_FALSE(layer_of(with_states({0, 0}, {0, 0})).initial_state);
  const ImportResult given = with_states({0, 0}, {0, 0.5F});
  EXPECT_TRUE(layer_of(given).initial_state);
  EXPECT_EQ(given.graph.nodes[0].inputs.size(), 7U);
  // An h alone comes with a c of zeros.
  const ImportResult alone = read_layer(
      {.operands = {"x", "w", "r", "b", "", "h"}, .more = {stored("h", {1, 2, 1}, {1, 2})}});
  EXPECT_TRUE(layer_of(alone).initial_state);
  EXPECT_EQ(alone.graph.nodes[0].inputs.size(), 7U);
}

/// Two layers as PyTorch's older exporter writes them, in one direction (a Squeeze between them) or
/// in both; `above` names the node of the second, `read` a result of the first that is given out.
ImportResult stack(bool both, const std::string& above, const std::string& read = {},
                   double dropout = 0.0) {
  const std::int64_t d = both ? 2 : 1;
  const auto direction = attribute_text("direction", both ? "bidirectional" : "forward");
  GraphWriter graph;
  graph.input("x", {4, 2, 3})
      .initializer(weight("w", {d, 8, 3}))
      .initializer(weight("r", {d, 8, 2}))
      .initializer(weight("w2", {d, 8, 2 * d}))
      .initializer(weight("r2", {d, 8, 2}))
      .initializer(integers("one", {1}))
      .initializer(integers("merged", {0, 0, -1}))
      .add({"LSTM", {"x", "w", "r"}, {"a", "h", "c"}, {direction}, "/net/lstm/LSTM"});
  if (both) {
    graph.add({"Transpose", {"a"}, {"t"}, {attribute("perm", Dims{0, 2, 1, 3})}})
        .add({"Reshape", {"t", "merged"}, {"b"}});
  } else {
    graph.add({"Squeeze", {"a", "one"}, {"b"}});
  }
  std::string between = "b";
  if (dropout > 0.0) {
    graph.initializer(floats("p", {static_cast<float>(dropout)}, true))
        .initializer(truth("training", true))
        .add({"Dropout", {"b", "p", "training"}, {"dropped"}});
    between = "dropped";
  }
  graph.add({"LSTM", {between, "w2", "r2"}, {"y"}, {direction}, above}).output("y");
  if (!read.empty()) graph.output(read);
  return read_onnx_bytes(pytorch_model(graph), "m.onnx");
}

TEST(RecurrentJoin, LayersOfOneModuleAreOneOp) {
  const ImportResult one = stack(false, "/net/lstm/LSTM_1");
  EXPECT_EQ(ops_of(one.graph), "lstm reshape");
  EXPECT_EQ(layer_of(one), (Recurrent{.layers = 2, .bias = false}));
  EXPECT_EQ(one.graph.type(one.graph.outputs[0]).shape, (graph::Shape{4, 1, 2, 2}));
  // 8 x 3 and 8 x 2 weights, then twice 8 x 2.
  EXPECT_EQ(one.graph.parameter_elements(), 40 + 32);
  const ImportResult both = stack(true, "/net/lstm/LSTM_1");
  EXPECT_EQ(ops_of(both.graph), "lstm reshape transpose");
  EXPECT_EQ(layer_of(both), (Recurrent{.layers = 2, .bidirectional = true, .bias = false}));
}

TEST(RecurrentJoin, ADropoutBetweenThemIsTheirs) {
  EXPECT_EQ(layer_of(stack(false, "/net/lstm/LSTM_1", {}, 0.25)),
            (Recurrent{.layers = 2, .bias = false, .dropout = 0.25}));
}

// h of both layers, [2, 2, 2], is the op's; c of the lower layer is not read at all.
TEST(RecurrentJoin, StatesThatAreReadTogetherAreTheirs) {
  const auto read_states = [](const Names& together, std::int64_t axis) {
    GraphWriter graph;
    graph.input("x", {4, 2, 3})
        .initializer(weight("w", {1, 8, 3}))
        .initializer(weight("r", {1, 8, 2}))
        .initializer(weight("w2", {1, 8, 2}))
        .initializer(weight("r2", {1, 8, 2}))
        .initializer(integers("one", {1}))
        .add({"LSTM", {"x", "w", "r"}, {"a", "h", "c"}, {}, "/lstm/LSTM"})
        .add({"Squeeze", {"a", "one"}, {"b"}})
        .add({"LSTM", {"b", "w2", "r2"}, {"y", "h2", "c2"}, {}, "/lstm/LSTM_1"})
        .add({"Concat", together, {"all"}, {attribute("axis", axis)}})
        .output("y")
        .output("all");
    return read_onnx_bytes(pytorch_model(graph), "m.onnx").graph;
  };
  const graph::Graph joined = read_states({"h", "h2"}, 0);
  EXPECT_EQ(ops_of(joined), "lstm reshape");
  EXPECT_EQ(joined.outputs[1], joined.nodes[0].outputs[1]);
  EXPECT_EQ(joined.type(joined.outputs[1]).shape, (graph::Shape{2, 2, 2}));
  EXPECT_EQ(joined.type(joined.nodes[0].outputs[2]).shape, (graph::Shape{2, 2, 2}));
  for (const Names& others : {Names{"h2", "h"}, Names{"h", "h"}, Names{"h", "c2"}}) {
    EXPECT_EQ(ops_of(read_states(others, 0)), "lstm reshape reshape lstm reshape concat");
  }
  EXPECT_EQ(ops_of(read_states({"h", "h2"}, 2)), "lstm reshape reshape lstm reshape concat");
}

// Another module's layer, one of a file that names no modules, and states that somebody reads.
TEST(RecurrentJoin, OthersStayApart) {
  for (const char* above : {"/net/second/LSTM", "LSTM_1"}) {
    EXPECT_EQ(ops_of(stack(false, above).graph), "lstm reshape reshape lstm reshape") << above;
  }
  for (const char* state : {"h", "c", "b"}) {
    EXPECT_EQ(layer_of(stack(false, "/net/lstm/LSTM_1", state)).layers, 1) << state;
  }
}

TEST(RecurrentImport, OtherValuesAreNoted) {
  EXPECT_THAT(texts_of(read_layer({"GRU", 3}).value_notes),
              ElementsAre(HasSubstr("resets after its product")));
  EXPECT_THAT(texts_of(read_layer({.attributes = {attribute_float("clip", 3.0F)}}).value_notes),
              ElementsAre(HasSubstr("without its clip")));
  const auto with_lengths = [](std::int64_t last) {
    return texts_of(
        read_layer({.operands = {"x", "w", "r", "b", "n"}, .more = {integers("n", {4, last})}})
            .value_notes);
  };
  EXPECT_THAT(with_lengths(3), ElementsAre(HasSubstr("without the lengths of its sequences")));
  EXPECT_THAT(with_lengths(4), IsEmpty());
}

// Shapes of what follows are known all the same.
TEST(RecurrentImport, WhatHasNoOpStaysUnknownWithItsReason) {
  const auto kept = [](const Small& small) {
    const ImportResult result = read_layer(small, {});
    EXPECT_EQ(ops_of(result.graph), small.type);
    EXPECT_EQ(result.graph.type(result.graph.outputs[0]).shape, (graph::Shape{4, 1, 2, 1}));
    return texts_of(result.notes);
  };
  EXPECT_THAT(
      kept({.operands = {"x", "w", "r", "b", "", "", "", "p"}, .more = {counted("p", {1, 3})}}),
      ElementsAre(HasSubstr("it has peepholes")));
  EXPECT_THAT(kept({.attributes = {attribute("input_forget", std::int64_t{1})}}),
              ElementsAre(HasSubstr("couples two of its gates")));
  EXPECT_THAT(kept({"GRU",
                    3,
                    {"x", "w", "r", "b"},
                    {attribute_texts("activations", {"Sigmoid", "Softsign"})}}),
              ElementsAre(HasSubstr("it has other activations")));
}

TEST(RecurrentImport, WeightsMustFit) {
  const auto error_of = [](const Small& small) -> std::string {
    try {
      (void)read_layer(small);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(error_of({.type = "GRU"}), HasSubstr("operand 1 is 1x4x1, not 1x3x1"));
  EXPECT_THAT(error_of({.attributes = {attribute("hidden_size", std::int64_t{2})}}),
              HasSubstr("operand 1 is 1x4x1, not 1x8x1"));
  EXPECT_THAT(
      error_of({.operands = {"x", "w", "r", "b", "", "h"}, .more = {counted("h", {1, 3, 1})}}),
      HasSubstr("operand 5 is 1x3x1, not 1x2x1"));
  EXPECT_THAT(error_of({.attributes = {attribute_text("direction", "up")}}),
              HasSubstr("'up' is not a direction"));
}

TEST(RecurrentImport, EveryChangedByteIsReadOrRefused) {
  expect_every_changed_byte_is_read_or_refused(
      read_file(ROOFLAB_SOURCE_DIR "/fuzz/seeds/onnx_reader/recurrent.onnx"));
}

TEST(RecurrentImport, FollowsAnotherBatch) {
  const ImportResult result =
      read_layer({.operands = {"x", "w", "r", "b", "", "h", "c"},
                  .attributes = {attribute("layout", std::int64_t{1})},
                  .more = {stored("h", {2, 1, 1}, {0, 0}), stored("c", {2, 1, 1}, {0, 0})},
                  .input = {2, 4, 1}},
                 {});
  const graph::Graph seven = graph::rebatch(result.graph, 7);
  EXPECT_EQ(seven.type(seven.outputs[0]).shape, (graph::Shape{7, 4, 1, 1}));
}

}  // namespace
}  // namespace rooflab::onnx
