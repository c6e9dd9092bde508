#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.hpp"
#include "recording_text.hpp"

namespace rooflab::recording {
namespace {

using schedule::Role;
using testing::ElementsAre;

/// The life of a tensor's storage, in one line: `1 to 2`, `before, to the end`.
std::string life_of(const schedule::Schedule& s, int storage) {
  const schedule::StorageLife& life = s.lives[static_cast<std::size_t>(storage)];
  const std::string end = life.last >= s.ops.size() ? "the end" : std::to_string(life.last);
  return format("{} to {}", life.before ? "before" : std::to_string(life.first), end);
}

// Lives ------------------------------------------------------------------------------------------

TEST(RecordedLives, FromTheOpThatMakesItToTheLastBeforeItsFree) {
  RecordingText text;
  const int x = text.input("f32", {4});
  const int a = text.tensor("f32", {4});
  text.op("aten.relu", {x}, {a});
  const int b = text.tensor("f32", {4});
  text.op("aten.sigmoid", {a}, {b});
  text.free(a);
  const int c = text.tensor("f32", {4});
  text.op("aten.tanh", {b}, {c});
  text.free(b);
  const int d = text.tensor("f32", {4});
  text.op("aten.exp", {c}, {d});
  const schedule::Schedule s = text.lowered();
  ASSERT_EQ(s.ops.size(), 4);
  ASSERT_EQ(s.lives.size(), 5);
  EXPECT_EQ(life_of(s, text.storage_of(x)), "before to the end");
  EXPECT_EQ(life_of(s, text.storage_of(a)), "0 to 1");
  EXPECT_EQ(life_of(s, text.storage_of(b)), "1 to 2");
  EXPECT_EQ(life_of(s, text.storage_of(c)), "2 to the end");
  EXPECT_EQ(life_of(s, text.storage_of(d)), "3 to the end");
}

// A recorded op may be several entries, or none: places are those of entries.
TEST(RecordedLives, CountEntriesAndNotRecordedOps) {
  RecordingText text;
  const int x = text.input("f32", {2, 3, 8, 8});
  const int w = text.parameter("f32", {4, 3, 3, 3});
  const int b = text.parameter("f32", {4}, "bias");
  const int y = text.tensor("f32", {2, 4, 8, 8});
  text.op("aten.convolution", {x, w, b}, {y}, R"("stride":[1,1],"padding":[1,1])");  // 2 entries
  text.op("aten.is_same_size", {x, x}, {});                                          // none
  const int z = text.tensor("f32", {2, 4, 8, 8});
  text.op("aten.relu", {y}, {z});
  text.free(y);
  const schedule::Schedule s = text.lowered();
  ASSERT_EQ(s.ops.size(), 3);
  EXPECT_EQ(life_of(s, text.storage_of(y)), "0 to 2");
  EXPECT_EQ(life_of(s, text.storage_of(z)), "2 to the end");
}

TEST(RecordedLives, GradientsOfTheStepBeforeAreFreedInThisOne) {
  RecordingText text;
  const int old = text.tensor("f32", {4}, R"(,"role":"gradient","before":true)");
  const int x = text.input("f32", {4});
  const int y = text.tensor("f32", {4});
  text.op("aten.relu", {x}, {y});
  text.free(old);
  text.at("backward");
  const int dw = text.tensor("f32", {4});
  text.op("aten.sigmoid", {y}, {dw});
  text.line(format(R"({{"role":"gradient","storages":[[{},"w"]]}})", text.storage_of(dw)));
  const schedule::Schedule s = text.lowered();
  EXPECT_EQ(life_of(s, text.storage_of(old)), "before to 0");
  EXPECT_EQ(life_of(s, text.storage_of(dw)), "1 to the end");
  ASSERT_EQ(s.parameter_gradients.size(), 1);  // the old one is not one of this step
  EXPECT_EQ(s.storage_of(s.parameter_gradients[0]).role, Role::parameter_gradient);
  EXPECT_EQ(s.tensor(s.parameter_gradients[0]).storage, text.storage_of(dw));
}

TEST(RecordedLives, WhatAutogradKeepsIsThereWhenTheBackwardBegins) {
  RecordingText text;
  const int x = text.input("f32", {4});
  const int kept = text.tensor("f32", {4});
  text.op("aten.relu", {x}, {kept});
  const int dropped = text.tensor("f32", {8});
  text.op("aten.sigmoid", {kept}, {dropped});
  text.free(dropped);
  const int y = text.tensor("f32", {2});
  text.op("aten.tanh", {kept}, {y});
  text.at("backward");
  text.op("aten.exp", {y}, {text.tensor("f32", {4})});
  text.line(R"({"output":[3]})");
  const schedule::Schedule s = text.lowered();
  EXPECT_EQ(s.forward_end, 3);
  std::vector<Bytes> saved;
  for (const schedule::TensorId id : s.saved) saved.push_back(s.storage_of(id).bytes);
  EXPECT_THAT(saved, ElementsAre(Bytes(16), Bytes(8)));
  ASSERT_EQ(s.outputs.size(), 1);
  EXPECT_EQ(s.storage_of(s.outputs[0]).bytes, Bytes(8));
}

// What ops do ------------------------------------------------------------------------------------

TEST(RecordingLowering, AnUnknownOpIsListedWithoutWork) {
  RecordingText text;
  const int x = text.input("f32", {4});
  const int y = text.tensor("f32", {4});
  text.op("mylib.swirl", {x}, {y});
  text.op("aten.no_such_op", {x}, {y});
  const schedule::Schedule s = text.lowered();
  EXPECT_THAT(entry_lines(s),
              ElementsAre("forward mylib.swirl: unknown", "forward no_such_op: unknown"));
  const auto& unknown = std::get<graph::Opaque>(s.graph.nodes[0].op);
  EXPECT_FALSE(unknown.flops.has_value());
  EXPECT_THAT(unknown.outputs, ElementsAre(graph::Shape{4}));
}

TEST(RecordingLowering, AGapIsAnEntryWithoutWork) {
  RecordingText text;
  const int x = text.input("f32", {4});
  text.op("aten.relu", {x}, {text.tensor("f32", {4})});
  text.line(R"({"gap":"triton","name":"add_kernel","where":"m.py:3","count":2})");
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward relu: 0 + 4 FLOPs, 16 + 16 B",
                          testing::AllOf(testing::HasSubstr("add_kernel"),
                                         testing::EndsWith(": unknown"))));
}

TEST(RecordingLowering, OpsOfTheHostAreLeftOut) {
  RecordingText text;
  const int x = text.input("f32", {4});
  text.op("aten.relu", {x}, {text.tensor("f32", {4})});
  text.device = "cpu";
  const int host = text.tensor("f32", {400});
  text.op("aten.relu", {host}, {host});
  text.op("aten.zeros", {}, {host});
  const schedule::Schedule s = text.lowered();
  EXPECT_EQ(s.ops.size(), 1);
  EXPECT_EQ(s.storages.size(), 2);  // no memory of the host
}

TEST(RecordingLowering, OnACpuTheCpuIsTheDevice) {
  RecordingText text;
  text.device = "cpu";
  const int x = text.input("f32", {4});
  text.op("aten.relu", {x}, {text.tensor("f32", {4})});
  EXPECT_EQ(text.lowered().ops.size(), 1);
}

TEST(RecordingLowering, ForwardWorkThatIsRepeatedIsNoGradient) {
  RecordingText text;
  const int x = text.input("f32", {8, 4});
  const int w = text.parameter("f32", {6, 4});
  const int wt = text.view(w, "f32", {4, 6}, {1, 4});
  const int y = text.tensor("f32", {8, 6});
  text.op("aten.mm", {x, wt}, {y});
  text.at("backward", -1, R"(,"recomputed":true)");
  text.op("aten.mm", {x, wt}, {y});
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward linear: 384 + 0 FLOPs, 224 + 192 B",
                          "backward linear: 384 + 0 FLOPs, 224 + 192 B"));
}

// Names of rows ----------------------------------------------------------------------------------

TEST(RecordingLowering, OpsHaveTheNameOfTheirModule) {
  RecordingText text;
  text.module("", "Net");
  text.module("layer", "Block");
  text.module("layer.act", "ReLU");
  const int x = text.input("f32", {4});
  const auto relu_at = [&](std::string_view part, int module) {
    text.at(part, module);
    text.op("aten.relu", {x}, {text.tensor("f32", {4})});
  };
  relu_at("forward", 0);
  relu_at("forward", 1);
  relu_at("forward", 2);
  relu_at("forward", -1);
  relu_at("optimizer", -1);
  const schedule::Schedule s = text.lowered();
  std::vector<std::string> names;
  for (const graph::Node& node : s.graph.nodes) names.push_back(node.name);
  EXPECT_THAT(names,
              ElementsAre("relu", "layer.relu", "layer.act", "(outside modules)", "(optimizer)"));
}

// Phase and precision
// ------------------------------------------------------------------------------

TEST(RecordingPhase, FollowsFromTheBackwardPassAndAutograd) {
  RecordingText training;
  training.at("backward");
  EXPECT_EQ(training.read().phase(), Phase::training);
  EXPECT_EQ(RecordingText().read().phase(), Phase::forward);
  EXPECT_EQ(RecordingText(R"(,"grad":false)").read().phase(), Phase::inference);
}

Precision precision_with(std::string_view first_line, std::string_view type,
                         std::string_view autocast = "") {
  RecordingText text(first_line);
  (void)text.parameter(type, {4});
  (void)text.tensor("f32", {100});  // parameters say it, however large the others are
  if (!autocast.empty()) text.at("forward", -1, format(R"(,"autocast":"{}")", autocast));
  return text.read().precision();
}

TEST(RecordingPrecision, FollowsFromAutocastParametersAndTf32) {
  EXPECT_EQ(precision_with("", "f32"), Precision::fp32);
  EXPECT_EQ(precision_with("", "f64"), Precision::fp64);
  EXPECT_EQ(precision_with("", "f16"), Precision::fp16);
  EXPECT_EQ(precision_with("", "bf16"), Precision::bf16);
  EXPECT_EQ(precision_with(R"(,"tf32":{"matmul":true,"cudnn":true})", "f32"), Precision::tf32);
  EXPECT_EQ(precision_with("", "f32", "bf16"), Precision::amp_bf16);
  EXPECT_EQ(precision_with("", "f32", "f16"), Precision::amp_fp16);
  EXPECT_EQ(precision_with("", "f8"), Precision::fp8);
  EXPECT_EQ(precision_with("", "i8"), Precision::int8);
}

// One type where it has nine tenths of the parameters' bytes; 8-bit weights are named with the
// type that multiplies them.
TEST(RecordingPrecision, ParametersOfSeveralTypesAreMixed) {
  const auto precision_of = [](std::int64_t in_bf16, std::int64_t in_f32, std::int64_t in_i8) {
    RecordingText text;
    if (in_bf16 > 0) (void)text.parameter("bf16", {in_bf16}, "a");
    if (in_f32 > 0) (void)text.parameter("f32", {in_f32}, "b");
    if (in_i8 > 0) (void)text.parameter("i8", {in_i8}, "c");
    return text.read().precision();
  };
  EXPECT_EQ(precision_of(900, 50, 0), Precision::bf16);   // 1800 of 2000 bytes
  EXPECT_EQ(precision_of(900, 51, 0), Precision::mixed);  // 1800 of 2004
  EXPECT_EQ(precision_of(10, 0, 4000), Precision::mixed);
}

// cuDNN multiplies fp32 numbers as TF32 unless it is told not to.
TEST(RecordingPrecision, ConvolutionsHaveASwitchOfTheirOwn) {
  const auto precision_of_convolution = [](std::string_view first_line) {
    RecordingText text(first_line);
    const int x = text.input("f32", {2, 3, 8, 8});
    const int w = text.parameter("f32", {4, 3, 3, 3});
    text.op("aten.convolution", {x, w, nullptr}, {text.tensor("f32", {2, 4, 6, 6})},
            R"("stride":[1,1],"padding":[0,0])");
    const schedule::Schedule s = text.lowered();
    return s.precision_of(s.ops[0]);
  };
  EXPECT_EQ(precision_of_convolution(""), Precision::tf32);
  EXPECT_EQ(precision_of_convolution(R"(,"tf32":{"matmul":false,"cudnn":false})"), Precision::fp32);
}

// Notes
// --------------------------------------------------------------------------------------------

TEST(RecordingNotes, NameGapsAndAssumptions) {
  RecordingText text;
  text.line(R"({"gap":"triton","name":"add_kernel","where":"m.py:3","count":2})");
  text.line(R"({"gap":"sparse"})");
  text.line(R"({"assumed":"item","value":1,"where":"m.py:9 in forward","count":3})");
  const std::vector<std::string> notes = texts_of(notes_of(text.read()));
  ASSERT_EQ(notes.size(), 2);
  EXPECT_THAT(notes[0], testing::HasSubstr("2 x add_kernel (triton)"));
  EXPECT_THAT(notes[0], testing::HasSubstr("sparse"));
  EXPECT_THAT(notes[1], testing::HasSubstr("m.py:9 in forward"));
  EXPECT_TRUE(notes_of(RecordingText().read()).empty());
}

}  // namespace
}  // namespace rooflab::recording
