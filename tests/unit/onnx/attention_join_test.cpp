// Attention as exporters and people write it, before and after the import: q, k and v have 2
// samples, 3 heads, 5 positions and an extent of 4, so the usual scale is 1/2 and its root 0.7071.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "../base/note_matchers.hpp"
#include "changed_bytes.hpp"
#include "graph_words.hpp"
#include "notes/onnx_notes.hpp"
#include "onnx_writer.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/onnx/onnx_reader.hpp"

namespace rooflab::onnx {
namespace {

using namespace writer;

constexpr float root = 0.70710678F;
constexpr float infinity = std::numeric_limits<float>::infinity();
const Dims swap_last = {0, 1, 3, 2};

std::string table(const std::string& name, const Dims& dims, const std::vector<float>& values) {
  std::string raw(values.size() * sizeof(float), '\0');
  std::memcpy(raw.data(), values.data(), raw.size());
  return tensor(name, float_type, dims, raw);
}

/// A mask of 5 queries and 5 keys: what `value` says of query i and key j.
std::string mask_of(const std::function<float(int, int)>& value, const Dims& dims = {5, 5}) {
  std::vector<float> values;
  std::size_t planes = 1;
  for (std::size_t i = 0; i + 2 < dims.size(); ++i) planes *= static_cast<std::size_t>(dims[i]);
  for (std::size_t plane = 0; plane < planes; ++plane) {
    for (int i = 0; i < 5; ++i) {
      for (int j = 0; j < 5; ++j) values.push_back(value(i, j));
    }
  }
  return table("mask", dims, values);
}

float causal(int query, int key) { return key > query ? -infinity : 0.0F; }

/// What is written between the inputs and the result.
struct WrittenAttention {
  float query_scale = root;
  float key_scale = root;
  std::string mask = {};  ///< an initialiser named "mask"
  std::string masking = "Add";
  std::int64_t axis = -1;
  bool guard = false;
  bool drop = false;
};

GraphWriter inputs() {
  GraphWriter graph;
  for (const char* name : {"q", "k", "v"}) graph.input(name, {2, 3, 5, 4});
  return graph;
}

/// Softmax of `scores` times v, as in `written`.
void add_weighting(GraphWriter& graph, const WrittenAttention& written) {
  std::string scores = "scores";
  if (!written.mask.empty()) {
    graph.initializer(written.mask).add({written.masking, {"scores", "mask"}, {"masked"}});
    scores = "masked";
  }
  graph.add({"Softmax", {scores}, {"s"}, {attribute("axis", written.axis)}});
  std::string weights = "s";
  if (written.guard) {
    graph.initializer(floats("zero", {0.0F}, true))
        .add({"IsNaN", {"s"}, {"nan"}})
        .add({"Where", {"nan", "zero", "s"}, {"guarded"}});
    weights = "guarded";
  }
  if (written.drop) {
    graph.initializer(floats("ratio", {0.1F}, true)).add({"Dropout", {weights, "ratio"}, {"d"}});
    weights = "d";
  }
  graph.add({"MatMul", {weights, "v"}, {"y"}}).output("y");
}

GraphWriter written_out(const WrittenAttention& written = {}) {
  GraphWriter graph = inputs();
  graph.initializer(floats("qs", {written.query_scale}, true))
      .initializer(floats("ks", {written.key_scale}, true))
      .add({"Transpose", {"k"}, {"kt"}, {attribute("perm", swap_last)}})
      .add({"Mul", {"q", "qs"}, {"q1"}})
      .add({"Mul", {"kt", "ks"}, {"k1"}})
      .add({"MatMul", {"q1", "k1"}, {"scores"}});
  add_weighting(graph, written);
  return graph;
}

ImportResult read(const GraphWriter& graph) { return read_onnx_bytes(model(graph), "m.onnx"); }

const graph::Attention& attention_of(const graph::Graph& graph) {
  return std::get<graph::Attention>(graph.nodes.back().op);
}

TEST(AttentionJoin, OneOpTakesTheUnscaledOperands) {
  const ImportResult result = read(written_out());
  ASSERT_EQ(ops_of(result.graph), "attention");
  EXPECT_EQ(operands_of(result.graph, result.graph.nodes[0]), "q k v");
  EXPECT_EQ(attention_of(result.graph), (graph::Attention{false, std::nullopt}));
  EXPECT_EQ(result.graph.type(result.graph.outputs[0]).shape, (graph::Shape{2, 3, 5, 4}));
  EXPECT_TRUE(result.notes.empty());
}

TEST(AttentionJoin, AScaleOfItsOwnIsKept) {
  const ImportResult result = read(written_out({.query_scale = 0.5F, .key_scale = 0.5F}));
  ASSERT_EQ(ops_of(result.graph), "attention");
  EXPECT_EQ(attention_of(result.graph).scale, 0.25);
}

TEST(AttentionJoin, TheGuardAgainstNanAndTheDropoutAreParts) {
  EXPECT_EQ(ops_of(read(written_out({.guard = true, .drop = true})).graph), "attention");
}

TEST(AttentionJoin, AKeyThatIsTransposedOnceTakesTheOtherOrder) {
  // k [2, 5, 3, 4] as [2, 3, 4, 5] in one step, as the old exporter merges two transposes.
  GraphWriter graph;
  graph.input("q", {2, 3, 5, 4})
      .input("k", {2, 5, 3, 4})
      .input("v", {2, 3, 5, 4})
      .initializer(floats("c", {root}))
      .add({"Transpose", {"k"}, {"kt"}, {attribute("perm", Dims{0, 2, 3, 1})}})
      .add({"Mul", {"q", "c"}, {"q1"}})
      .add({"Mul", {"kt", "c"}, {"k1"}})
      .add({"MatMul", {"q1", "k1"}, {"scores"}});
  add_weighting(graph, {});
  const ImportResult result = read(graph);
  ASSERT_EQ(ops_of(result.graph), "transpose attention");
  EXPECT_EQ(std::get<graph::Transpose>(result.graph.nodes[0].op).permutation, (Dims{0, 2, 1, 3}));
  EXPECT_EQ(result.graph.type(result.graph.nodes[1].inputs[1]).shape, (graph::Shape{2, 3, 5, 4}));
}

/// k behind a transpose of [6, 5, 4], as the new exporter writes it.
GraphWriter merged_heads(const Extents& key) {
  GraphWriter graph;
  graph.input("q", {2, 3, 5, 4})
      .input("k", key)
      .input("v", {2, 3, 5, 4})
      .initializer(floats("c", {root}, true))
      .initializer(integers("merged", {-1, 5, 4}))
      .initializer(integers("whole", {2, 3, 4, 5}))
      .add({"Reshape", {"k", "merged"}, {"k3"}})
      .add({"Transpose", {"k3"}, {"k3t"}, {attribute("perm", Dims{0, 2, 1})}})
      .add({"Reshape", {"k3t", "whole"}, {"kt"}})
      .add({"Mul", {"q", "c"}, {"q1"}})
      .add({"Mul", {"kt", "c"}, {"k1"}})
      .add({"MatMul", {"q1", "k1"}, {"scores"}});
  add_weighting(graph, {});
  return graph;
}

TEST(AttentionJoin, AKeyWhoseHeadsWereMergedForTheTranspose) {
  const ImportResult direct = read(merged_heads({2, 3, 5, 4}));
  ASSERT_EQ(ops_of(direct.graph), "attention");
  EXPECT_EQ(operands_of(direct.graph, direct.graph.nodes[0]), "q k v");

  const ImportResult other = read(merged_heads({30, 4}));
  ASSERT_EQ(ops_of(other.graph), "reshape reshape attention");
  EXPECT_EQ(other.graph.type(other.graph.nodes[2].inputs[1]).shape, (graph::Shape{2, 3, 5, 4}));
}

// ---- masks --------------------------------------------------------------------------------------

TEST(AttentionJoin, AMaskOfLaterKeysIsCausal) {
  for (const Dims& dims : {Dims{5, 5}, Dims{1, 1, 5, 5}, Dims{2, 3, 5, 5}}) {
    const ImportResult result = read(written_out({.mask = mask_of(causal, dims)}));
    ASSERT_EQ(ops_of(result.graph), "attention");
    EXPECT_TRUE(attention_of(result.graph).causal);
    EXPECT_EQ(result.graph.nodes[0].inputs.size(), 3U);
  }
  const auto lowest = [](int i, int j) { return j > i ? -3.4e38F : 0.0F; };
  EXPECT_TRUE(attention_of(read(written_out({.mask = mask_of(lowest)})).graph).causal);
}

TEST(AttentionJoin, AMaskThatHidesNothingIsDropped) {
  const ImportResult result = read(written_out({.mask = mask_of([](int, int) { return 0.0F; })}));
  ASSERT_EQ(ops_of(result.graph), "attention");
  EXPECT_FALSE(attention_of(result.graph).causal);
  EXPECT_EQ(result.graph.nodes[0].inputs.size(), 3U);
}

TEST(AttentionJoin, OtherMasksStayTheOpsMask) {
  const std::vector<std::function<float(int, int)>> masks = {
      [](int, int j) { return j == 4 ? -infinity : 0.0F; },   // the last key
      [](int i, int j) { return j < i ? -infinity : 0.0F; },  // earlier keys
      [](int i, int j) {
        return j > i ? -infinity : 0.125F * static_cast<float>(j - i);
      },                                                                   // and a bias by distance
      [](int i, int j) { return j > i ? -1.0F : 0.0F; },                   // hides nothing
      [](int i, int j) { return j > i || j < i - 2 ? -infinity : 0.0F; },  // a local window
  };
  for (const auto& mask : masks) {
    const ImportResult result = read(written_out({.mask = mask_of(mask)}));
    ASSERT_EQ(ops_of(result.graph), "attention");
    EXPECT_FALSE(attention_of(result.graph).causal);
    EXPECT_EQ(operands_of(result.graph, result.graph.nodes[0]), "q k v mask");
  }
}

TEST(AttentionJoin, AMaskFromTheInputStaysTheOpsMask) {
  GraphWriter graph = written_out({.mask = weight("unused", {1})});
  graph.input("mask", {2, 1, 1, 5});
  const ImportResult result = read(graph);
  ASSERT_EQ(ops_of(result.graph), "attention");
  EXPECT_EQ(operands_of(result.graph, result.graph.nodes[0]), "q k v mask");
}

/// The triangle that each layer of a causal network makes, of `length` queries: larger than what is
/// folded from 65 on.
ImportResult with_triangle(std::int64_t length) {
  GraphWriter graph;
  for (const char* name : {"q", "k", "v"}) graph.input(name, {1, 2, length, 4});
  graph.initializer(floats("c", {root}, true))
      .initializer(floats("one", {1.0F}, true))
      .initializer(floats("zero", {0.0F}, true))
      .initializer(floats("hidden", {-infinity}, true))
      .initializer(integers("size", {length, length}));
  std::string x = "q";
  for (const std::string layer : {"a", "b"}) {
    const auto named = [&layer](const std::string& name) { return layer + name; };
    graph.add({"Expand", {"one", "size"}, {named("ones")}})
        .add({"Trilu", {named("ones")}, {named("low")}, {attribute("upper", std::int64_t{0})}})
        .add({"Equal", {named("low"), "zero"}, {named("hides")}})
        .add({"Where", {named("hides"), "hidden", "zero"}, {named("mask")}})
        .add({"Transpose", {"k"}, {named("kt")}, {attribute("perm", swap_last)}})
        .add({"Mul", {x, "c"}, {named("q1")}})
        .add({"Mul", {named("kt"), "c"}, {named("k1")}})
        .add({"MatMul", {named("q1"), named("k1")}, {named("scores")}})
        .add({"Add", {named("scores"), named("mask")}, {named("masked")}})
        .add({"Softmax", {named("masked")}, {named("s")}, {attribute("axis", std::int64_t{-1})}})
        .add({"MatMul", {named("s"), "v"}, {named("y")}});
    x = named("y");
  }
  graph.output("by");
  return read(graph);
}

// Both layers make the same triangle: at 1,500 it can be made once only (four ops of 2.25 M
// elements).
TEST(AttentionJoin, ATriangleThatTheFileComputesIsCausal) {
  for (const std::int64_t length : {5, 300, 1500}) {
    const ImportResult result = with_triangle(length);
    ASSERT_EQ(ops_of(result.graph), "attention attention");
    EXPECT_TRUE(std::get<graph::Attention>(result.graph.nodes[0].op).causal);
    EXPECT_TRUE(attention_of(result.graph).causal);
  }
}

// As the new exporter writes transformers' GPT-2: booleans of who sees whom, which become numbers.
TEST(AttentionJoin, ABooleanMaskOfEarlierKeysIsCausal) {
  constexpr std::int64_t length = 70;  // more elements than are folded
  std::string sees(static_cast<std::size_t>(length * length), '\0');
  for (std::int64_t i = 0; i < length; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) sees[static_cast<std::size_t>(i * length + j)] = '\1';
  }
  GraphWriter graph;
  for (const char* name : {"q", "k", "v"}) graph.input(name, {1, 2, length, 4});
  graph.initializer(tensor("le", bool_type, {1, 1, length, length}, sees))
      .initializer(truth("all", true))
      .initializer(floats("c", {root}, true))
      .initializer(floats("none", {0.0F}, true))
      .initializer(floats("hidden", {-infinity}, true))
      .add({"And", {"all", "le"}, {"sees"}})
      .add({"Where", {"sees", "none", "hidden"}, {"mask"}})
      .add({"Transpose", {"k"}, {"kt"}, {attribute("perm", swap_last)}})
      .add({"Mul", {"q", "c"}, {"q1"}})
      .add({"Mul", {"kt", "c"}, {"k1"}})
      .add({"MatMul", {"q1", "k1"}, {"raw"}})
      .add({"Add", {"raw", "mask"}, {"scores"}});
  add_weighting(graph, {.guard = true});
  const ImportResult result = read(graph);
  ASSERT_EQ(ops_of(result.graph), "attention");
  EXPECT_TRUE(attention_of(result.graph).causal);
}

// Four ops of 2,100 x 2,100 elements are 17.6 M; 16.8 M are looked at.
TEST(AttentionJoin, AMaskTooLargeToLookAtStaysAMask) {
  const ImportResult result = with_triangle(2100);
  ASSERT_EQ(ops_of(result.graph), "attention attention");
  EXPECT_FALSE(attention_of(result.graph).causal);
  EXPECT_EQ(result.graph.nodes[1].inputs.size(), 4U);
}

TEST(AttentionJoin, EveryChangedByteEndsInAGraphOrAnError) {
  const std::string whole =
      model(written_out({.mask = mask_of(causal), .guard = true, .drop = true}));
  expect_every_changed_byte_is_read_or_refused(whole);
}

// ---- what is not such attention -----------------------------------------------------------------

TEST(AttentionJoin, ASoftmaxOverAnotherAxisIsNone) {
  const ImportResult result = read(written_out({.axis = 2}));
  EXPECT_EQ(ops_of(result.graph), "transpose mul mul matmul softmax matmul");
  EXPECT_TRUE(result.notes.empty());
}

TEST(AttentionJoin, AMaskThatMultipliesIsNone) {
  const std::string ones = mask_of([](int, int) { return 1.0F; });
  const ImportResult result = read(written_out({.mask = ones, .masking = "Mul"}));
  EXPECT_EQ(ops_of(result.graph), "transpose mul mul matmul mul softmax matmul");
}

TEST(AttentionJoin, AMaskThatEnlargesTheScoresIsNone) {
  GraphWriter graph;
  for (const char* name : {"q", "k"}) graph.input(name, {1, 3, 5, 4});
  graph.input("v", {2, 3, 5, 4})
      .initializer(floats("qs", {root}, true))
      .add({"Transpose", {"k"}, {"kt"}, {attribute("perm", swap_last)}})
      .add({"Mul", {"q", "qs"}, {"q1"}})
      .add({"Mul", {"kt", "qs"}, {"k1"}})
      .add({"MatMul", {"q1", "k1"}, {"scores"}});
  add_weighting(graph, {.mask = mask_of(causal, {2, 1, 5, 5})});
  EXPECT_EQ(ops_of(read(graph).graph), "transpose mul mul matmul add softmax matmul");
}

TEST(AttentionJoin, ScoresThatAnotherNodeReadsStay) {
  GraphWriter graph = written_out();
  graph.output("s");  // the network returns its weights
  EXPECT_EQ(ops_of(read(graph).graph), "transpose mul mul matmul softmax matmul");
}

/// One scale: on the scores, on the query, or nowhere.
GraphWriter by_hand(const std::string& scaled) {
  GraphWriter graph = inputs();
  graph.initializer(floats("two", {2.0F}, true))
      .add({"Transpose", {"k"}, {"kt"}, {attribute("perm", swap_last)}});
  std::string q = "q";
  if (scaled == "query") {
    graph.add({"Div", {"q", "two"}, {"q1"}});
    q = "q1";
  }
  graph.add({"MatMul", {q, "kt"}, {scaled == "scores" ? "raw" : "scores"}});
  if (scaled == "scores") graph.add({"Div", {"raw", "two"}, {"scores"}});
  add_weighting(graph, {.mask = mask_of(causal)});
  return graph;
}

TEST(AttentionJoin, OneScaleIsAttentionByHandAndSaysSo) {
  const std::map<std::string, std::string> forms = {
      {"scores", "transpose matmul div add softmax matmul"},
      {"query", "transpose div matmul add softmax matmul"},
      {"none", "transpose matmul add softmax matmul"}};
  for (const auto& [scaled, ops] : forms) {
    const ImportResult result = read(by_hand(scaled));
    EXPECT_EQ(ops_of(result.graph), ops);
    EXPECT_THAT(result.notes, testing::ElementsAre(HasValue(says.attention_by_hand, 1)));
  }
}

// transformers' GPT-2 before scaled_dot_product_attention.
TEST(AttentionJoin, ByHandWithAWhereForAMask) {
  GraphWriter graph = inputs();
  graph.initializer(floats("two", {2.0F}, true))
      .initializer(floats("hidden", {-3.4e38F}, true))
      .initializer(tensor("seen", bool_type, {5, 5}, std::string(25, '\1')))
      .add({"Transpose", {"k"}, {"kt"}, {attribute("perm", swap_last)}})
      .add({"MatMul", {"q", "kt"}, {"raw"}})
      .add({"Div", {"raw", "two"}, {"scaled"}})
      .add({"Where", {"seen", "scaled", "hidden"}, {"scores"}});
  add_weighting(graph, {});
  const ImportResult result = read(graph);
  EXPECT_EQ(ops_of(result.graph), "transpose matmul div where softmax matmul");
  EXPECT_THAT(result.notes, testing::ElementsAre(HasValue(says.attention_by_hand, 1)));
}

TEST(AttentionJoin, AFactorForEachChannelIsNoScale) {
  GraphWriter graph = inputs();
  graph.initializer(floats("c", {root, root, root, root}))
      .initializer(floats("d", {root}, true))
      .add({"Transpose", {"k"}, {"kt"}, {attribute("perm", swap_last)}})
      .add({"Mul", {"q", "c"}, {"q1"}})
      .add({"Mul", {"kt", "d"}, {"k1"}})
      .add({"MatMul", {"q1", "k1"}, {"scores"}});
  add_weighting(graph, {});
  EXPECT_EQ(ops_of(read(graph).graph), "transpose mul mul matmul softmax matmul");
}

}  // namespace
}  // namespace rooflab::onnx
