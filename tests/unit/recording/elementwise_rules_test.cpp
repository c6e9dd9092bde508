#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recording_text.hpp"

// Tensors of [6, 8] are 48 elements, 192 bytes in fp32. FLOPs of a function by
// docs/methods/cost.md.

namespace rooflab::recording {
namespace {

using testing::ElementsAre;

TEST(ElementwiseRules, FunctionsAndTheirGradients) {
  RecordingText text;
  const int x = text.input("f32", {6, 8});
  const int y = text.tensor("f32", {6, 8});
  text.op("aten.relu", {x}, {y});
  text.op("aten.relu_", {y}, {y}, "", R"(,"writes":[0])");
  text.op("aten.add", {x, y}, {text.tensor("f32", {6, 8})}, "", R"(,"overload":"Tensor")");
  text.op("aten.mul", {x, Slot::python_number()}, {y});
  text.op("aten.clamp_min", {x}, {y}, R"("min":0)");
  text.op("aten.pow", {x}, {y}, R"("exponent":2)");
  text.op("aten.where", {text.input("bool", {6, 8}), x, y}, {text.tensor("f32", {6, 8})});
  text.at("backward");
  const int dx = text.tensor("f32", {6, 8});
  text.op("aten.threshold_backward", {x, y}, {dx}, R"("threshold":0)");
  text.op("aten.add", {x, dx}, {text.tensor("f32", {6, 8})}, "", R"(,"overload":"Tensor")");
  const schedule::Schedule s = text.lowered();
  EXPECT_THAT(entry_lines(s), ElementsAre("forward relu: 0 + 48 FLOPs, 192 + 192 B",
                                          "forward relu: 0 + 48 FLOPs, 192 + 192 B",
                                          "forward add: 0 + 48 FLOPs, 384 + 192 B",
                                          "forward mul: 0 + 48 FLOPs, 192 + 192 B",
                                          "forward clip: 0 + 96 FLOPs, 192 + 192 B",
                                          "forward square: 0 + 48 FLOPs, 192 + 192 B",
                                          "forward where: 0 + 0 FLOPs, 432 + 192 B",
                                          "data_gradient relu: 0 + 48 FLOPs, 384 + 192 B",
                                          "data_gradient accumulate: 0 + 48 FLOPs, 384 + 192 B"));
  EXPECT_EQ(s.ops[7].node, s.ops[1].node);  // of the one in place
}

// An expanded operand is read once: [6, 8] with strides 0 and 1 is 8 numbers.
TEST(ElementwiseRules, AnExpandedOperandIsReadOnce) {
  RecordingText text;
  const int x = text.input("f32", {6, 8});
  const int row = text.input("f32", {8});
  const int rows = text.view(row, "f32", {6, 8}, {0, 1});
  text.op("aten.mul", {x, rows}, {text.tensor("f32", {6, 8})});
  EXPECT_THAT(entry_lines(text.lowered()), ElementsAre("forward mul: 0 + 48 FLOPs, 224 + 192 B"));
}

TEST(ElementwiseRules, MaximumOfTwoTensorsOrOfAnAxis) {
  RecordingText text;
  const int x = text.input("f32", {6, 8});
  text.op("aten.max", {x, x}, {text.tensor("f32", {6, 8})});
  text.op("aten.max", {x}, {text.tensor("f32", {6}), text.tensor("i64", {6})}, R"("dim":1)");
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward maximum: 0 + 48 FLOPs, 192 + 192 B",
                          "forward maximum: 0 + 42 FLOPs, 192 + 72 B"));
}

TEST(ElementwiseRules, TheCountOfBatchesIsPartOfItsNorm) {
  RecordingText text;
  const int count = text.tensor("i64", {}, R"(,"role":"buffer","name":"n","before":true)");
  text.op("aten.add_", {count, Slot::python_number()}, {count}, "", R"(,"writes":[0])");
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward count_batches: 0 + 0 FLOPs, 8 + 8 B"));
}

// Sources of the figures: src/recording/plain_rows.cpp.
TEST(PlainRows, FlopsOfEveryElement) {
  RecordingText text;
  const int x = text.input("f32", {6, 8});
  const int y = text.tensor("f32", {6, 8});
  text.op("aten.lerp", {x, x, y}, {text.tensor("f32", {6, 8})});
  text.op("aten.mse_loss", {x, y}, {text.tensor("f32", {})});
  text.op("aten.var_mean", {x}, {text.tensor("f32", {6}), text.tensor("f32", {6})}, R"("dim":[1])");
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward lerp: 0 + 144 FLOPs, 384 + 192 B",
                          "forward mse_loss: 0 + 144 FLOPs, 384 + 4 B",
                          "forward var_mean: 0 + 192 FLOPs, 192 + 48 B"));
}

// 48 elements in rows of 8: 48 log2(8) comparisons.
TEST(PlainRows, SortingTakesTheLogarithmOfARow) {
  RecordingText text;
  const int x = text.input("f32", {6, 8});
  text.op("aten.sort", {x}, {text.tensor("f32", {6, 8}), text.tensor("i64", {6, 8})},
          R"("dim":-1)");
  EXPECT_THAT(entry_lines(text.lowered()), ElementsAre("forward sort: 0 + 144 FLOPs, 192 + 576 B"));
}

// Six transforms of 8 complex numbers: 6 * 5 * 8 * log2(8) FLOPs. Of real numbers, half of that.
TEST(PlainRows, FourierTransforms) {
  RecordingText text;
  text.line(R"({"storage":0,"bytes":384,"device":"cuda:0","role":"input","before":true})");
  text.line(R"({"layout":"c64","shape":[6,8]})");
  text.line(R"({"tensor":0,"layout":0,"storage":0})");
  text.line(R"({"storage":1,"bytes":384,"device":"cuda:0"})");
  text.line(R"({"tensor":1,"layout":0,"storage":1})");
  text.op("aten._fft_c2c", {0}, {1}, R"("dim":[1],"normalization":0,"forward":true)");
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward _fft_c2c: 0 + 720 FLOPs, 384 + 384 B"));
  RecordingText real;
  const int x = real.input("f32", {6, 8});
  real.line(R"({"storage":1,"bytes":240,"device":"cuda:0"})");
  real.line(R"({"layout":"c64","shape":[6,5]})");
  real.line(R"({"tensor":1,"layout":1,"storage":1})");
  real.op("aten._fft_r2c", {x}, {1}, R"("dim":[1],"onesided":true)");
  EXPECT_THAT(entry_lines(real.lowered()),
              ElementsAre("forward _fft_r2c: 0 + 360 FLOPs, 192 + 240 B"));
}

TEST(PlainRows, TheHostWaitsForANumber) {
  RecordingText text;
  const int x = text.input("f32", {});
  const int mask = text.input("bool", {6, 8});
  text.op("aten._local_scalar_dense", {x}, {});
  text.op("aten.nonzero", {mask}, {text.tensor("i64", {20, 2})});
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward item: 0 + 0 FLOPs, 4 + 4 B, the host waits",
                          "forward nonzero: 0 + 48 FLOPs, 48 + 320 B, the host waits"));
}

// Step counts of an optimizer lie on the host with a GPU; on a CPU they look like the device's.
TEST(PlainRows, TheOptimizersOwnCountsAreTheHosts) {
  RecordingText text;
  text.device = "cpu";
  const int step = text.tensor("f32", {}, R"(,"role":"optimizer","before":true)");
  text.at("optimizer");
  text.op("aten._local_scalar_dense", {step}, {});
  EXPECT_THAT(entry_lines(text.lowered()), testing::IsEmpty());
}

TEST(PlainRows, LossOfLabels) {
  RecordingText text;
  const int x = text.input("f32", {4, 10});
  const int labels = text.input("i64", {4});
  const int loss = text.tensor("f32", {});
  text.op("aten.nll_loss_forward", {x, labels, nullptr}, {loss, text.tensor("f32", {})},
          R"("reduction":1)");
  text.at("backward");
  text.op("aten.nll_loss_backward", {loss, x, labels, nullptr, loss}, {text.tensor("f32", {4, 10})},
          R"("reduction":1)");
  // Picked: one number a label. The gradient is zeros but for those.
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward nll_loss: 0 + 8 FLOPs, 48 + 4 B",
                          "backward fill: 0 + 0 FLOPs, 0 + 160 B",
                          "data_gradient nll_loss: 0 + 8 FLOPs, 36 + 16 B"));
}

}  // namespace
}  // namespace rooflab::recording
