#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recording_text.hpp"

// By hand: 5 steps of 3 samples, width 4, 6 units. A layer of an LSTM multiplies 5 * 3 rows by 4 *
// 6 rows of 4 + 6 numbers: 2 * 15 * 24 * 10 = 7200 FLOPs, and 22 + 2 * 4 FLOPs a unit and step
// in addition, 90 units.

namespace rooflab::recording {
namespace {

using testing::ElementsAre;

struct Layer {
  int x, w_ih, w_hh, b_ih, b_hh, h, c, y, hn, cn, reserve;
};

Layer layer(RecordingText& text, std::int64_t gates) {
  return {text.input("f32", {5, 3, 4}),
          text.parameter("f32", {gates * 6, 4}, "rnn.weight_ih_l0"),
          text.parameter("f32", {gates * 6, 6}, "rnn.weight_hh_l0"),
          text.parameter("f32", {gates * 6}, "rnn.bias_ih_l0"),
          text.parameter("f32", {gates * 6}, "rnn.bias_hh_l0"),
          text.tensor("f32", {1, 3, 6}),
          text.tensor("f32", {1, 3, 6}),
          text.tensor("f32", {5, 3, 6}),
          text.tensor("f32", {1, 3, 6}),
          text.tensor("f32", {1, 3, 6}),
          text.tensor("u8", {100})};
}

constexpr const char* lstm = R"("mode":2,"hidden_size":6,"num_layers":1,"train":true)";

TEST(RecurrentRules, CudnnLstm) {
  RecordingText text;
  const Layer a = layer(text, 4);
  const int module = text.module("rnn", "LSTM");
  text.at("forward", module);
  text.op("aten._cudnn_rnn", {a.x, {a.w_ih, a.w_hh, a.b_ih, a.b_hh}, nullptr, a.h, a.c, nullptr},
          {a.y, a.hn, a.cn, a.reserve, nullptr}, lstm);
  text.at("backward", module);
  const int dx = text.tensor("f32", {5, 3, 4});
  const int dw = text.tensor("f32", {24, 4});
  const int du = text.tensor("f32", {24, 6});
  text.op("aten._cudnn_rnn_backward",
          {a.x,
           {a.w_ih, a.w_hh, a.b_ih, a.b_hh},
           nullptr,
           a.h,
           a.c,
           a.y,
           a.y,
           nullptr,
           nullptr,
           nullptr,
           a.reserve},
          {dx, nullptr, nullptr, {dw, du}}, lstm);
  const schedule::Schedule s = text.lowered();
  // Bytes: x 240, weights 384 + 576, biases 96 each, h and c 72 each, y 360, reserve 100.
  EXPECT_THAT(entry_lines(s), ElementsAre("forward lstm: 7200 + 2700 FLOPs, 1536 + 604 B",
                                          "data_gradient lstm: 7200 + 2160 FLOPs, 1996 + 240 B",
                                          "weight_gradient lstm: 7200 + 360 FLOPs, 772 + 960 B"));
  for (const schedule::ScheduledOp& op : s.ops) EXPECT_EQ(op.node, s.ops[0].node);
  EXPECT_EQ(s.graph.nodes[0].name, "rnn");
}

TEST(RecurrentRules, CudnnGru) {
  RecordingText text;
  const Layer a = layer(text, 3);
  text.op("aten._cudnn_rnn",
          {a.x, {a.w_ih, a.w_hh, a.b_ih, a.b_hh}, nullptr, a.h, nullptr, nullptr},
          {a.y, a.hn, nullptr, a.reserve, nullptr}, R"("mode":3,"hidden_size":6,"num_layers":1)");
  // 3 gates: 2 * 15 * 18 * 10, and 17 + 2 * 3 a unit and step.
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward gru: 5400 + 2070 FLOPs, 1176 + 532 B"));
}

// cuDNN keeps all weights in one piece of memory: no tensor is the whole of it.
TEST(RecurrentRules, WeightsThatShareAStorageAreOneParameter) {
  RecordingText text;
  const Layer a = layer(text, 4);
  const int all = text.parameter("f32", {288}, "rnn.weight_ih_l0");
  const int w = text.view(all, "f32", {24, 4});
  const int u = text.view(all, "f32", {24, 6});
  text.op("aten._cudnn_rnn", {a.x, {w, u}, all, a.h, a.c, nullptr},
          {a.y, a.hn, a.cn, a.reserve, nullptr}, lstm);
  EXPECT_EQ(text.lowered().graph.parameter_elements(), 96 + 144 + 24 + 24 + 288);
}

// Both parameters of a storage are in views alone.
TEST(RecurrentRules, AStorageOfSeveralParametersCountsOnce) {
  RecordingText text;
  text.line(R"({"storage":0,"bytes":80,"device":"cuda:0","role":"parameter","before":true})");
  text.line(R"({"layout":"f32","shape":[12]})");
  text.line(R"({"tensor":0,"layout":0,"storage":0})");
  text.line(R"({"layout":"f32","shape":[8]})");
  text.line(R"({"tensor":1,"layout":1,"storage":0,"offset":12})");
  EXPECT_EQ(text.lowered().graph.parameter_elements(), 20);
}

// A cell of a step adds what two products gave: 22 FLOPs a unit; its gradient 24.
TEST(RecurrentRules, CellsOfAStep) {
  RecordingText text;
  const int gates = text.input("f32", {3, 24});
  const int c = text.tensor("f32", {3, 6});
  const int hy = text.tensor("f32", {3, 6});
  const int cy = text.tensor("f32", {3, 6});
  text.op("aten._thnn_fused_lstm_cell", {gates, gates, c, nullptr, nullptr},
          {hy, cy, text.tensor("f32", {3, 24})});
  text.at("backward");
  const int dgates = text.tensor("f32", {3, 24});
  text.op("aten._thnn_fused_lstm_cell_backward_impl", {hy, cy, c, cy, gates},
          {dgates, text.tensor("f32", {3, 6}), nullptr});
  EXPECT_THAT(
      entry_lines(text.lowered()),
      ElementsAre("forward _thnn_fused_lstm_cell: 0 + 396 FLOPs, 360 + 432 B",
                  "backward _thnn_fused_lstm_cell_backward_impl: 0 + 432 FLOPs, 504 + 360 B"));
}

}  // namespace
}  // namespace rooflab::recording
