// Attributes that execution needs: what a node says, what it leaves to the operator's default, and
// what the graph cannot say. Defaults are those of the ONNX operator specification, of
// com.microsoft those of onnxruntime's bert_defs.cc and contrib_defs.cc.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "onnx_writer.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/onnx/onnx_reader.hpp"

namespace rooflab::onnx {
namespace {

using namespace writer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Attributes = std::vector<std::string>;

constexpr std::int64_t opset_now = 17;

/// A file with one node that reads x and these initialisers.
struct OneNode {
  std::string type;
  Extents input;
  std::vector<std::string> initializers = {};
  Names names = {"x"};  ///< the node's inputs
  Attributes attributes = {};
  std::int64_t opset = opset_now;
  std::string domain = {};
  std::int32_t element_type = float_type;
};

ImportResult import(const OneNode& spec) {
  GraphWriter graph;
  graph.input("x", spec.input, spec.element_type);
  for (const std::string& initializer : spec.initializers) graph.initializer(initializer);
  graph.add({spec.type, spec.names, {"y"}, spec.attributes, "", spec.domain}).output("y");
  return read_onnx_bytes(model(graph, spec.opset), "m.onnx");
}

/// The first op of this kind.
template <class Op>
Op find_op(const ImportResult& result) {
  for (const graph::Node& node : result.graph.nodes) {
    if (const Op* op = std::get_if<Op>(&node.op)) return *op;
  }
  ADD_FAILURE() << "no such op";
  return Op{};
}

template <class Op>
Op op_of(const OneNode& spec) {
  return find_op<Op>(import(spec));
}

std::vector<std::string> value_notes(const OneNode& spec) {
  return texts_of(import(spec).value_notes);
}

// ---- normalisation ------------------------------------------------------------------------------

OneNode batch_norm(const Attributes& attributes) {
  const std::vector<std::string> four = {weight("a", {2}), weight("b", {2}), weight("c", {2}),
                                         weight("d", {2})};
  return {"BatchNormalization", {1, 2, 3, 3}, four, {"x", "a", "b", "c", "d"}, attributes};
}

TEST(OnnxAttributes, BatchNormalizationWeighsTheNewBatchWithWhatIsLeft) {
  const auto usual = op_of<graph::BatchNorm>(batch_norm({}));
  EXPECT_DOUBLE_EQ(usual.epsilon, 1e-5);
  EXPECT_DOUBLE_EQ(usual.momentum, 0.1);
  const auto own = op_of<graph::BatchNorm>(
      batch_norm({attribute_float("epsilon", 1e-3F), attribute_float("momentum", 0.75F)}));
  EXPECT_DOUBLE_EQ(own.epsilon, 1e-3);  // and not the float 0.0010000000474974513
  EXPECT_DOUBLE_EQ(own.momentum, 0.25);
}

TEST(OnnxAttributes, EpsilonOfTheOtherNorms) {
  const std::vector<std::string> scale = {weight("w", {8})};
  const Attributes small = {attribute_float("epsilon", 1e-6F)};
  const OneNode layer{"LayerNormalization", {2, 8}, scale, {"x", "w"}};
  EXPECT_DOUBLE_EQ(op_of<graph::LayerNorm>(layer).epsilon, 1e-5);
  OneNode own = layer;
  own.attributes = small;
  EXPECT_DOUBLE_EQ(op_of<graph::LayerNorm>(own).epsilon, 1e-6);

  OneNode rms{"RMSNormalization", {2, 8}, scale, {"x", "w"}, {}, 23};
  EXPECT_DOUBLE_EQ(op_of<graph::RmsNorm>(rms).epsilon, 1e-5);
  rms.attributes = small;
  EXPECT_DOUBLE_EQ(op_of<graph::RmsNorm>(rms).epsilon, 1e-6);
  rms.type = "SimplifiedLayerNormalization";
  rms.attributes = {};
  EXPECT_DOUBLE_EQ(op_of<graph::RmsNorm>(rms).epsilon, 1e-5);

  const std::vector<std::string> both = {weight("w", {4}), weight("b", {4})};
  OneNode instance{"InstanceNormalization", {2, 4, 3}, both, {"x", "w", "b"}, small};
  EXPECT_EQ(op_of<graph::GroupNorm>(instance), (graph::GroupNorm{4, 1e-6}));
  OneNode group{"GroupNormalization",
                {2, 4, 3},
                both,
                {"x", "w", "b"},
                {attribute("num_groups", std::int64_t{2})},
                21};
  EXPECT_EQ(op_of<graph::GroupNorm>(group), (graph::GroupNorm{2, 1e-5}));
  EXPECT_THAT(value_notes(group), IsEmpty());
  group.opset = 18;
  group.initializers = {weight("w", {2}), weight("b", {2})};
  EXPECT_THAT(value_notes(group), ElementsAre(HasSubstr("a scale per group")));
}

TEST(OnnxAttributes, LocalResponseNorm) {
  OneNode spec{"LRN", {1, 8, 2, 2}, {}, {"x"}, {attribute("size", std::int64_t{3})}};
  EXPECT_EQ(op_of<graph::LocalResponseNorm>(spec), (graph::LocalResponseNorm{3, 1e-4, 0.75, 1.0}));
  EXPECT_THAT(value_notes(spec), IsEmpty());
  spec.attributes = {attribute("size", std::int64_t{4}), attribute_float("alpha", 2e-4F),
                     attribute_float("beta", 0.5F), attribute_float("bias", 2.0F)};
  EXPECT_EQ(op_of<graph::LocalResponseNorm>(spec), (graph::LocalResponseNorm{4, 2e-4, 0.5, 2.0}));
  EXPECT_THAT(value_notes(spec), ElementsAre(HasSubstr("off by one channel")));
}

TEST(OnnxAttributes, SkipLayerNormalizationHasATinyEpsilon) {
  const std::vector<std::string> scale = {weight("w", {8}), weight("skip", {2, 3, 8})};
  OneNode spec{"SkipLayerNormalization", {2, 3, 8}, scale, {"x", "skip", "w"}, {}, opset_now,
               "com.microsoft"};
  EXPECT_DOUBLE_EQ(op_of<graph::LayerNorm>(spec).epsilon, 1e-12);
  spec.attributes = {attribute_float("epsilon", 1e-5F)};
  EXPECT_DOUBLE_EQ(op_of<graph::LayerNorm>(spec).epsilon, 1e-5);
  spec.type = "SkipSimplifiedLayerNormalization";
  spec.attributes = {};
  EXPECT_DOUBLE_EQ(op_of<graph::RmsNorm>(spec).epsilon, 1e-12);
}

// ---- activation ---------------------------------------------------------------------------------

TEST(OnnxAttributes, ActivationsKeepTheirConstants) {
  using graph::Unary;
  using enum graph::UnaryFunction;
  const auto unary = [](const std::string& type, Attributes attributes = {}) {
    return op_of<Unary>({type, {2, 3}, {}, {"x"}, std::move(attributes), 20});
  };
  EXPECT_EQ(unary("LeakyRelu"), (Unary{leaky_relu, false, 0.01}));
  EXPECT_EQ(unary("LeakyRelu", {attribute_float("alpha", 0.2F)}), (Unary{leaky_relu, false, 0.2}));
  EXPECT_EQ(unary("Elu"), (Unary{elu, false, 1.0}));
  EXPECT_EQ(unary("Elu", {attribute_float("alpha", 2.0F)}), (Unary{elu, false, 2.0}));
  EXPECT_EQ(unary("Celu", {attribute_float("alpha", 0.5F)}), (Unary{celu, false, 0.5}));
  // PyTorch's slope is 1/6.
  EXPECT_EQ(unary("HardSigmoid"), (Unary{hardsigmoid, false, 0.2, 0.5}));
  EXPECT_EQ(unary("HardSigmoid", {attribute_float("alpha", 0.1F), attribute_float("beta", 0.4F)}),
            (Unary{hardsigmoid, false, 0.1, 0.4}));
  EXPECT_EQ(unary("Gelu"), Unary{gelu});
  EXPECT_EQ(unary("Gelu", {attribute_text("approximate", "tanh")}), Unary{gelu_tanh});
}

TEST(OnnxAttributes, ClipBoundsAsAttributesAndInputs) {
  using graph::Unary;
  using enum graph::UnaryFunction;
  const auto old = [](Attributes attributes) {
    return op_of<Unary>({"Clip", {2}, {}, {"x"}, std::move(attributes), 7});
  };
  EXPECT_EQ(old({attribute_float("min", -2.0F), attribute_float("max", 0.3F)}),
            (Unary{clip, false, -2.0, 0.3}));
  EXPECT_EQ(old({attribute_float("min", 0.5F)}), (Unary{clip, false, 0.5, std::nullopt}));
  // The largest float stands for no bound.
  EXPECT_EQ(old({attribute_float("min", -3.4028234663852886e38F), attribute_float("max", 4.0F)}),
            (Unary{clip, false, std::nullopt, 4.0}));
  EXPECT_EQ(old({attribute_float("min", 0.0F), attribute_float("max", 6.0F)}), Unary{relu6});

  const std::vector<std::string> bounds = {floats("lo", {-1.0F}, true), floats("hi", {3.0F}, true)};
  const auto by_input = [&](Names names) {
    return op_of<Unary>({"Clip", {2}, bounds, std::move(names)});
  };
  EXPECT_EQ(by_input({"x", "lo", "hi"}), (Unary{clip, false, -1.0, 3.0}));
  EXPECT_EQ(by_input({"x", "lo"}), (Unary{clip, false, -1.0, std::nullopt}));
  EXPECT_EQ(by_input({"x", "", "hi"}), (Unary{clip, false, std::nullopt, 3.0}));
}

TEST(ValueNotes, NameWhatTheGraphCannotSay) {
  const auto notes = [](const std::string& type, Attributes attributes = {},
                        std::int64_t opset = 20) {
    return value_notes({type, {2, 3}, {}, {"x"}, std::move(attributes), opset});
  };
  EXPECT_THAT(notes("ThresholdedRelu"), ElementsAre("ThresholdedRelu runs as relu"));
  EXPECT_THAT(notes("ThresholdedRelu", {attribute_float("alpha", 0.0F)}), IsEmpty());
  EXPECT_THAT(notes("Shrink"), ElementsAre(HasSubstr("Shrink runs as clip")));
  EXPECT_THAT(notes("IsInf"), IsEmpty());
  EXPECT_THAT(notes("IsInf", {attribute("detect_negative", std::int64_t{0})}),
              ElementsAre("IsInf of one sign finds both"));
  EXPECT_THAT(notes("Selu"), IsEmpty());
  EXPECT_THAT(
      notes("Selu", {attribute_float("alpha", 1.6732632F), attribute_float("gamma", 1.050701F)}),
      IsEmpty());
  EXPECT_THAT(notes("Selu", {attribute_float("alpha", 1.5F)}), ElementsAre(HasSubstr("Selu with")));
  EXPECT_THAT(notes("Swish", {}, 24), IsEmpty());
  EXPECT_THAT(notes("Swish", {attribute_float("alpha", 1.702F)}, 24),
              ElementsAre("Swish runs with alpha = 1"));
  EXPECT_THAT(value_notes({"QuickGelu", {2, 3}, {}, {"x"}, {}, opset_now, "com.microsoft"}),
              ElementsAre("QuickGelu with alpha = 1.702 runs as silu"));
  EXPECT_THAT(notes("RandomUniformLike"), ElementsAre(HasSubstr("is random in the file")));
  EXPECT_THAT(notes("ArgMax"), IsEmpty());
  EXPECT_THAT(notes("ArgMax", {attribute("select_last_index", std::int64_t{1})}),
              ElementsAre(HasSubstr("finds the first")));
  EXPECT_THAT(value_notes(batch_norm({attribute("training_mode", std::int64_t{1})})),
              ElementsAre(HasSubstr("running statistics")));
  const std::vector<std::string> one = {integers("one", {1}, true)};
  EXPECT_THAT(value_notes({"CumSum", {2, 3}, one, {"x", "one"}}), IsEmpty());
  EXPECT_THAT(
      value_notes({"CumSum", {2, 3}, one, {"x", "one"}, {attribute("exclusive", std::int64_t{1})}}),
      ElementsAre(HasSubstr("plain one")));
  EXPECT_THAT(value_notes({"Mod", {2, 3}, {}, {"x", "x"}, {attribute("fmod", std::int64_t{1})}}),
              ElementsAre(HasSubstr("sign of the dividend")));
}

TEST(ValueNotes, AreCountedAndLeftOutForNodesNobodyNeeds) {
  GraphWriter graph;
  graph.input("x", {2})
      .add({"Shrink", {"x"}, {"a"}})
      .add({"Shrink", {"a"}, {"y"}})
      .add({"ThresholdedRelu", {"x"}, {"unused"}})
      .output("y");
  EXPECT_THAT(texts_of(read_onnx_bytes(model(graph), "m.onnx").value_notes),
              ElementsAre("Shrink runs as clip without bounds (2 nodes)"));
}

TEST(OnnxAttributes, QuantizationSaturatesAtTheEndsOfItsType) {
  const std::vector<std::string> zero = {floats("scale", {0.1F}, true),
                                         tensor("zero", 3, {}, std::string(1, '\0'))};
  const OneNode spec{"QuantizeLinear", {2, 3}, zero, {"x", "scale", "zero"}};
  for (const graph::Node& node : import(spec).graph.nodes) {
    const auto* unary = std::get_if<graph::Unary>(&node.op);
    if (unary == nullptr || unary->function != graph::UnaryFunction::clip) continue;
    EXPECT_EQ(unary->alpha, -128.0);
    EXPECT_EQ(unary->beta, 127.0);
  }
}

// ---- pooling, padding, resampling ---------------------------------------------------------------

TEST(OnnxAttributes, AveragePoolCountsItsPaddingOnlyWhenToldTo) {
  OneNode spec{"AveragePool",
               {1, 2, 6, 6},
               {},
               {"x"},
               {attribute("kernel_shape", Dims{3, 3}), attribute("pads", Dims{1, 1, 1, 1})},
               19};
  EXPECT_FALSE(op_of<graph::Pool>(spec).padding_counts);
  spec.attributes.push_back(attribute("count_include_pad", std::int64_t{1}));
  EXPECT_TRUE(op_of<graph::Pool>(spec).padding_counts);
  EXPECT_THAT(value_notes(spec), IsEmpty());
  spec.attributes.push_back(attribute("dilations", Dims{2, 2}));
  EXPECT_THAT(value_notes(spec), ElementsAre(HasSubstr("with dilation")));
}

TEST(OnnxAttributes, PadModeAndValue) {
  const std::vector<std::string> data = {integers("pads", {0, 1, 0, 2}),
                                         floats("value", {-5.0F}, true)};
  OneNode spec{"Pad", {3, 4}, data, {"x", "pads", "value"}};
  EXPECT_EQ(op_of<graph::Pad>(spec), (graph::Pad{{0, 1}, {0, 2}, graph::PadMode::constant, -5.0}));
  spec.attributes = {attribute_text("mode", "reflect")};
  EXPECT_EQ(op_of<graph::Pad>(spec).mode, graph::PadMode::reflect);
  spec.attributes = {attribute_text("mode", "edge")};
  EXPECT_EQ(op_of<graph::Pad>(spec).mode, graph::PadMode::edge);
  EXPECT_THAT(value_notes(spec), IsEmpty());
  spec.attributes = {attribute_text("mode", "wrap")};
  EXPECT_THAT(value_notes(spec), ElementsAre(HasSubstr("wraps around")));
  const OneNode old{"Pad",
                    {3, 4},
                    {},
                    {"x"},
                    {attribute("pads", Dims{0, 1, 0, 2}), attribute_float("value", 0.1F)},
                    10};
  EXPECT_EQ(op_of<graph::Pad>(old), (graph::Pad{{0, 1}, {0, 2}, graph::PadMode::constant, 0.1}));
}

TEST(OnnxAttributes, TriluDiagonal) {
  OneNode spec{"Trilu",
               {4, 4},
               {integers("k", {-2}, true)},
               {"x", "k"},
               {attribute("upper", std::int64_t{0})}};
  EXPECT_EQ(op_of<graph::Triangle>(spec), (graph::Triangle{false, -2}));
  spec.names = {"x"};
  spec.attributes = {};
  EXPECT_EQ(op_of<graph::Triangle>(spec), (graph::Triangle{true, 0}));
}

/// 2 x 2 images to the given extents in a mode.
OneNode resize(Extents input, const std::vector<std::int64_t>& sizes, Attributes attributes) {
  return {"Resize",
          std::move(input),
          {integers("sizes", sizes)},
          {"x", "", "", "sizes"},
          std::move(attributes),
          19};
}

TEST(OnnxAttributes, ResizeCorners) {
  const std::string linear = attribute_text("mode", "linear");
  const auto corners = [](const std::string& transformation) {
    return attribute_text("coordinate_transformation_mode", transformation);
  };
  EXPECT_TRUE(
      op_of<graph::Resize>(resize({1, 1, 2, 2}, {1, 1, 5, 5}, {linear, corners("align_corners")}))
          .align_corners);
  EXPECT_FALSE(op_of<graph::Resize>(resize({1, 1, 2, 2}, {1, 1, 5, 5}, {linear})).align_corners);
}

TEST(OnnxAttributes, GridSampleInItsTwoVersions) {
  using graph::GridSample;
  using graph::GridSampleMode;
  using graph::GridSamplePadding;
  OneNode spec{"GridSample", {1, 2, 4, 4}, {weight("g", {1, 5, 6, 2})}, {"x", "g"}, {}, 16};
  EXPECT_EQ(op_of<GridSample>(spec), GridSample{});
  spec.attributes = {attribute_text("mode", "bicubic"), attribute_text("padding_mode", "border"),
                     attribute("align_corners", std::int64_t{1})};
  EXPECT_EQ(op_of<GridSample>(spec),
            (GridSample{GridSampleMode::bicubic, GridSamplePadding::border, true}));
  // From operator set 20 ways of sampling have other names, and images may have three dimensions.
  OneNode later{"GridSample", {1, 2, 4, 4, 4}, {weight("g", {1, 5, 6, 7, 3})}, {"x", "g"}, {}, 20};
  EXPECT_EQ(op_of<GridSample>(later), GridSample{});
  later.attributes = {attribute_text("mode", "nearest"),
                      attribute_text("padding_mode", "reflection")};
  EXPECT_EQ(op_of<GridSample>(later),
            (GridSample{GridSampleMode::nearest, GridSamplePadding::reflection}));
  EXPECT_THAT(value_notes(later), IsEmpty());
  spec.opset = 20;
  EXPECT_THROW((void)import(spec), Error);
}

TEST(ValueNotes, ResizeThatSamplesElsewhere) {
  const std::string linear = attribute_text("mode", "linear");
  const auto mode = [](const std::string& transformation) {
    return attribute_text("coordinate_transformation_mode", transformation);
  };
  const std::string down = attribute_text("nearest_mode", "floor");
  const Extents five = {1, 1, 5, 5};
  // What PyTorch exports.
  EXPECT_THAT(value_notes(resize(five, {1, 1, 7, 7}, {mode("asymmetric"), down})), IsEmpty());
  EXPECT_THAT(value_notes(resize(five, {1, 1, 7, 7}, {linear, mode("pytorch_half_pixel")})),
              IsEmpty());
  EXPECT_THAT(value_notes(resize(five, {1, 1, 7, 7}, {linear, mode("align_corners")})), IsEmpty());
  // Doubling is the same from pixel centres: 0, 0, 1, 1. Shrinking 6 to 2 is not: 1, 4 for 0, 3.
  EXPECT_THAT(value_notes(resize({1, 1, 2, 2}, {1, 1, 4, 4}, {})), IsEmpty());
  EXPECT_THAT(value_notes(resize({1, 1, 6, 6}, {1, 1, 2, 2}, {})),
              ElementsAre(HasSubstr("samples at other places")));
  EXPECT_THAT(value_notes(resize(five, {1, 1, 7, 7}, {linear, mode("asymmetric")})),
              ElementsAre(HasSubstr("samples at other places")));
  EXPECT_THAT(
      value_notes(resize(five, {1, 1, 2, 2}, {linear, attribute("antialias", std::int64_t{1})})),
      ElementsAre(HasSubstr("weighs its neighbours")));
  // Before operator set 11: i / scale, rounded down.
  const OneNode upsample{"Upsample", {1, 1, 3, 3}, {floats("s", {1, 1, 2, 2})}, {"x", "s"}, {}, 9};
  EXPECT_THAT(value_notes(upsample), IsEmpty());
}

// ---- attention ----------------------------------------------------------------------------------

TEST(OnnxAttributes, AttentionScale) {
  OneNode spec{"Attention", {2, 4, 10, 8}, {}, {"x", "x", "x"}, {}, 23};
  EXPECT_EQ(op_of<graph::Attention>(spec), graph::Attention{});
  spec.attributes = {attribute_float("scale", 0.125F), attribute("is_causal", std::int64_t{1})};
  EXPECT_EQ(op_of<graph::Attention>(spec), (graph::Attention{true, 0.125}));
  EXPECT_THAT(value_notes(spec), IsEmpty());
  spec.attributes = {attribute_float("softcap", 30.0F)};
  EXPECT_THAT(value_notes(spec), ElementsAre(HasSubstr("softcap")));
}

TEST(OnnxAttributes, ScaleOfTheMicrosoftAttentions) {
  OneNode spec{"MultiHeadAttention",
               {2, 10, 8},
               {},
               {"x", "x", "x"},
               {attribute("num_heads", std::int64_t{2}), attribute_float("scale", 0.3F)},
               opset_now,
               "com.microsoft"};
  EXPECT_EQ(op_of<graph::Attention>(spec), (graph::Attention{false, 0.3}));
  spec.attributes = {attribute("num_heads", std::int64_t{2}), attribute_float("scale", 0.0F)};
  EXPECT_EQ(op_of<graph::Attention>(spec), graph::Attention{});
  spec.type = "GroupQueryAttention";
  spec.attributes = {attribute("num_heads", std::int64_t{2}),
                     attribute("kv_num_heads", std::int64_t{2}), attribute_float("scale", 0.3F),
                     attribute("local_window_size", std::int64_t{4})};
  EXPECT_EQ(op_of<graph::Attention>(spec), (graph::Attention{true, 0.3}));
  EXPECT_THAT(value_notes(spec), ElementsAre(HasSubstr("local window")));
  spec.type = "Attention";
  spec.initializers = {weight("w", {8, 24})};
  spec.names = {"x", "w"};
  spec.attributes = {attribute("num_heads", std::int64_t{2}), attribute_float("scale", 0.3F)};
  EXPECT_EQ(op_of<graph::Attention>(spec), (graph::Attention{false, 0.3}));
}

TEST(ValueNotes, CausalAttentionOverPastKeys) {
  GraphWriter graph;
  graph.input("x", {1, 2, 3, 4})
      .input("past", {1, 2, 5, 4})
      .add({"Attention",
            {"x", "x", "x", "", "past", "past"},
            {"y"},
            {attribute("is_causal", std::int64_t{1})}})
      .output("y");
  EXPECT_THAT(texts_of(read_onnx_bytes(model(graph, 23), "m.onnx").value_notes),
              ElementsAre(HasSubstr("past keys")));
}

}  // namespace
}  // namespace rooflab::onnx
