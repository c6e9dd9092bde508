#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recording_text.hpp"

// FLOPs of an element by docs/methods/cost.md: batch norm 8 (9 its gradient, 4 with stored
// statistics in inference), affine layer norm 8 (13), affine RMS norm 4 (9), softmax 5 (4).

namespace rooflab::recording {
namespace {

using testing::ElementsAre;

// x of [2, 3, 4, 4] is 96 elements, 384 bytes; a number for each of 3 channels is 12 bytes.
struct Images {
  int x, weight, bias, mean, variance, y, own_mean, own_inverse;
};

Images images(RecordingText& text) {
  return {text.input("f32", {2, 3, 4, 4}),
          text.parameter("f32", {3}, "weight"),
          text.parameter("f32", {3}, "bias"),
          text.tensor("f32", {3}, R"(,"role":"buffer","name":"mean","before":true)"),
          text.tensor("f32", {3}, R"(,"role":"buffer","name":"var","before":true)"),
          text.tensor("f32", {2, 3, 4, 4}),
          text.tensor("f32", {3}),
          text.tensor("f32", {3})};
}

TEST(NormalisationRules, BatchNormOfABatchUpdatesItsStatistics) {
  RecordingText text;
  const Images a = images(text);
  text.op("aten.native_batch_norm", {a.x, a.weight, a.bias, a.mean, a.variance},
          {a.y, a.own_mean, a.own_inverse}, R"("training":true,"momentum":0.1,"eps":1e-05)");
  text.at("backward");
  const int dx = text.tensor("f32", {2, 3, 4, 4});
  const int dw = text.tensor("f32", {3});
  const int db = text.tensor("f32", {3});
  text.op("aten.native_batch_norm_backward",
          {a.y, a.x, a.weight, a.mean, a.variance, a.own_mean, a.own_inverse}, {dx, dw, db},
          R"("train":true,"eps":1e-05)");
  // Read: x and four of 12 bytes; written: y, the batch's two and the running two. The gradient
  // reads dy, x, the weight and the batch's two.
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward batch_norm: 0 + 768 FLOPs, 432 + 432 B",
                          "data_gradient batch_norm: 0 + 864 FLOPs, 804 + 408 B"));
}

TEST(NormalisationRules, CudnnsGradientHasTheImagesFirst) {
  RecordingText text;
  const Images a = images(text);
  text.op("aten.cudnn_batch_norm", {a.x, a.weight, a.bias, a.mean, a.variance},
          {a.y, a.own_mean, a.own_inverse, text.tensor("u8", {16})}, R"("training":true)");
  text.at("backward");
  const int dx = text.tensor("f32", {2, 3, 4, 4});
  text.op("aten.cudnn_batch_norm_backward",
          {a.x, a.y, a.weight, a.mean, a.variance, a.own_mean, a.own_inverse, nullptr},
          {dx, nullptr, nullptr});
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward batch_norm: 0 + 768 FLOPs, 432 + 448 B",
                          "data_gradient batch_norm: 0 + 864 FLOPs, 804 + 384 B"));
}

TEST(NormalisationRules, BatchNormWithStoredStatistics) {
  RecordingText text(R"(,"grad":false)");
  const Images a = images(text);
  text.op("aten._native_batch_norm_legit_no_training", {a.x, a.weight, a.bias, a.mean, a.variance},
          {a.y, nullptr, nullptr});
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward batch_norm: 0 + 384 FLOPs, 432 + 384 B"));
}

// Frozen layers of a step that trains: stored statistics in both passes.
TEST(NormalisationRules, FrozenBatchNormInAStepThatTrains) {
  RecordingText text;
  const Images a = images(text);
  text.op("aten.native_batch_norm", {a.x, a.weight, a.bias, a.mean, a.variance},
          {a.y, nullptr, nullptr}, R"("training":false)");
  text.at("backward");
  text.op("aten.native_batch_norm_backward", {a.y, a.x, a.weight, a.mean, a.variance},
          {text.tensor("f32", {2, 3, 4, 4}), nullptr, nullptr}, R"("train":false)");
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward native_batch_norm: 0 + 384 FLOPs, 432 + 384 B",
                          "backward native_batch_norm_backward: 0 + 480 FLOPs, 804 + 384 B"));
}

// x of [6, 8], 192 bytes; weight and bias 32 bytes each, statistics of rows 24 each.
TEST(NormalisationRules, LayerNormAndItsGradient) {
  RecordingText text;
  const int x = text.input("f32", {6, 8});
  const int weight = text.parameter("f32", {8}, "weight");
  const int bias = text.parameter("f32", {8}, "bias");
  const int y = text.tensor("f32", {6, 8});
  const int mean = text.tensor("f32", {6, 1});
  const int inverse = text.tensor("f32", {6, 1});
  text.op("aten.native_layer_norm", {x, weight, bias}, {y, mean, inverse},
          R"("normalized_shape":[8],"eps":1e-05)");
  text.at("backward");
  text.op("aten.native_layer_norm_backward", {y, x, mean, inverse, weight, bias},
          {text.tensor("f32", {6, 8}), text.tensor("f32", {8}), text.tensor("f32", {8})},
          R"("normalized_shape":[8])");
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward layer_norm: 0 + 384 FLOPs, 256 + 240 B",
                          "data_gradient layer_norm: 0 + 624 FLOPs, 464 + 256 B"));
}

TEST(NormalisationRules, RmsNormAndGroupNorm) {
  RecordingText text;
  const int x = text.input("f32", {6, 8});
  const int weight = text.parameter("f32", {8}, "weight");
  const int y = text.tensor("f32", {6, 8});
  const int inverse = text.tensor("f32", {6, 1});
  text.op("aten._fused_rms_norm", {x, weight}, {y, inverse}, R"("normalized_shape":[8])");
  const Images a = images(text);
  text.op("aten.native_group_norm", {a.x, a.weight, a.bias},
          {a.y, text.tensor("f32", {2, 3}), text.tensor("f32", {2, 3})},
          R"("N":2,"C":3,"HxW":16,"group":3,"eps":1e-05)");
  text.at("backward");
  text.op("aten._fused_rms_norm_backward", {y, x, inverse, weight},
          {text.tensor("f32", {6, 8}), text.tensor("f32", {8})});
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward rms_norm: 0 + 192 FLOPs, 224 + 216 B",
                          "forward group_norm: 0 + 768 FLOPs, 408 + 432 B",
                          "data_gradient rms_norm: 0 + 432 FLOPs, 440 + 224 B"));
}

TEST(NormalisationRules, SoftmaxAndItsGradient) {
  RecordingText text;
  const int x = text.input("f32", {6, 8});
  const int y = text.tensor("f32", {6, 8});
  text.op("aten._softmax", {x}, {y}, R"("dim":-1,"half_to_float":false)");
  text.op("aten._log_softmax", {x}, {y}, R"("dim":1)");
  text.at("backward");
  const int dx = text.tensor("f32", {6, 8});
  text.op("aten._softmax_backward_data", {x, y}, {dx}, R"("dim":-1,"input_dtype":"f32")");
  text.op("aten._log_softmax_backward_data", {x, y}, {dx}, R"("dim":1)");
  const schedule::Schedule s = text.lowered();
  EXPECT_THAT(entry_lines(s), ElementsAre("forward softmax: 0 + 240 FLOPs, 192 + 192 B",
                                          "forward log_softmax: 0 + 240 FLOPs, 192 + 192 B",
                                          "data_gradient softmax: 0 + 192 FLOPs, 384 + 192 B",
                                          "data_gradient log_softmax: 0 + 192 FLOPs, 384 + 192 B"));
  EXPECT_EQ(s.ops[2].node, s.ops[0].node);
  EXPECT_EQ(s.ops[3].node, s.ops[1].node);
}

// The mask is one byte an element.
TEST(NormalisationRules, DropoutWritesAMask) {
  RecordingText text;
  const int x = text.input("f32", {6, 8});
  const int mask = text.tensor("bool", {6, 8});
  text.op("aten.native_dropout", {x}, {text.tensor("f32", {6, 8}), mask},
          R"("p":0.1,"train":true)");
  text.at("backward");
  text.op("aten.native_dropout_backward", {x, mask}, {text.tensor("f32", {6, 8})},
          R"("scale":1.1)");
  const std::vector<std::string> lines = entry_lines(text.lowered());
  ASSERT_EQ(lines.size(), 2);
  EXPECT_THAT(lines[0], testing::EndsWith("192 + 240 B"));
  EXPECT_THAT(lines[1], testing::EndsWith("240 + 192 B"));
}

TEST(NormalisationRules, AnAxisThatIsNotThereMakesTheOpUnknown) {
  RecordingText text;
  const int x = text.input("f32", {6, 8});
  text.op("aten._softmax", {x}, {text.tensor("f32", {6, 8})}, R"("dim":7)");
  EXPECT_THAT(entry_lines(text.lowered()), ElementsAre("forward _softmax: unknown"));
}

}  // namespace
}  // namespace rooflab::recording
