// Recordings of PyTorch 1.13 on a CPU against the built-in networks, lowered as schedules: op by
// op. tests/data/recordings/make.py made them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "recording_text.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::recording {
namespace {

schedule::Schedule recorded_step(const std::string& name) {
  return lower(read_recording(std::string(ROOFLAB_SOURCE_DIR) + "/tests/data/recordings/" + name +
                              ".rec.jsonl.gz"));
}

schedule::Schedule built_in_step(const std::string& name, Phase phase) {
  zoo::BuildOptions options;
  options.batch = 2;
  return schedule::lower(zoo::build(name, options), {.phase = phase});
}

Flops matrix_flops_of(const schedule::Schedule& s) {
  Flops sum;
  for (const schedule::ScheduledOp& op : s.ops) {
    if (const auto cost = cost::cost_of(s, op)) sum += cost->matrix_flops;
  }
  return sum;
}

using Lines = std::vector<std::string>;

/// The lines that contain `part`, and the others.
std::pair<Lines, Lines> parted(const Lines& lines, std::string_view part) {
  std::pair<Lines, Lines> result;
  for (const std::string& line : lines) {
    (line.find(part) != std::string::npos ? result.first : result.second).push_back(line);
  }
  return result;
}

/// Replaces the first line that is `from`.
void replace_line(Lines& lines, std::string_view from, std::string_view to) {
  const auto found = std::ranges::find(lines, from);
  ASSERT_NE(found, lines.end()) << from;
  *found = to;
}

TEST(ZooComparison, ResNet18TrainingOpByOp) {
  const schedule::Schedule recorded = recorded_step("resnet18-b2-train");
  const schedule::Schedule built_in = built_in_step("resnet18", Phase::training);
  EXPECT_EQ(recorded.phase, Phase::training);
  EXPECT_EQ(recorded.optimizer, schedule::Optimizer::sgd_momentum);
  EXPECT_EQ(matrix_flops_of(recorded), Flops(21'296'824'320));
  EXPECT_EQ(matrix_flops_of(built_in), Flops(21'296'824'320));

  // PyTorch 1.13 marks the optimizer's two functions for its profiler, with a number each, which
  // lies on the CPU: with a GPU it is the host's.
  const auto [marks, lines] = parted(entry_lines(recorded), "optimizer fill: 0 + 0 FLOPs, 0 + 4 B");
  EXPECT_EQ(marks.size(), 2);
  // Sums of two gradients are the same, in the same order. The network has them behind the data
  // gradient that completes them; PyTorch's op gives both gradients of a convolution first.
  auto [sums, own] = parted(lines, "accumulate");
  auto [built_in_sums, expected] = parted(entry_lines(built_in), "accumulate");
  EXPECT_EQ(sums, built_in_sums);
  EXPECT_EQ(sums.size(), 8);
  // The pooling before the classifier is a mean, and its gradient a division.
  replace_line(own, "forward mean: 0 + 50176 FLOPs, 200704 + 4096 B",
               "forward adaptive_avg_pool2d: 0 + 50176 FLOPs, 200704 + 4096 B");
  replace_line(own, "backward div: 0 + 50176 FLOPs, 4096 + 200704 B",
               "data_gradient adaptive_avg_pool2d: 0 + 50176 FLOPs, 4096 + 200704 B");
  // The gradient of its bias is a sum of two rows: one addition, where the network counts each
  // number that is read.
  replace_line(own, "backward sum: 0 + 1000 FLOPs, 8000 + 4000 B",
               "weight_gradient bias_gradient: 0 + 2000 FLOPs, 8000 + 4000 B");
  // A recording does not say what the loss is.
  replace_line(own, "forward log_softmax: 0 + 10000 FLOPs, 8000 + 8000 B",
               "loss log_softmax: 0 + 10000 FLOPs, 8000 + 8000 B");
  replace_line(own, "forward nll_loss: 0 + 4 FLOPs, 24 + 4 B",
               "loss nll_loss: 0 + 4 FLOPs, 24 + 4 B");
  replace_line(own, "backward fill: 0 + 0 FLOPs, 0 + 4 B", "loss fill: 0 + 0 FLOPs, 0 + 4 B");
  replace_line(own, "backward fill: 0 + 0 FLOPs, 0 + 8000 B", "loss fill: 0 + 0 FLOPs, 0 + 8000 B");
  replace_line(own, "data_gradient nll_loss: 0 + 4 FLOPs, 20 + 8 B",
               "loss nll_loss: 0 + 4 FLOPs, 20 + 8 B");
  replace_line(own, "data_gradient log_softmax: 0 + 8000 FLOPs, 16000 + 8000 B",
               "loss log_softmax: 0 + 8000 FLOPs, 16000 + 8000 B");
  // Passes of the optimizer have the names of PyTorch's functions.
  replace_line(own, "optimizer _foreach_mul: 0 + 11689512 FLOPs, 46758048 + 46758048 B",
               "optimizer m *= momentum: 0 + 11689512 FLOPs, 46758048 + 46758048 B");
  replace_line(own, "optimizer _foreach_add: 0 + 11689512 FLOPs, 93516096 + 46758048 B",
               "optimizer m += g: 0 + 11689512 FLOPs, 93516096 + 46758048 B");
  replace_line(own, "optimizer _foreach_add: 0 + 23379024 FLOPs, 93516096 + 46758048 B",
               "optimizer p += -lr * m: 0 + 23379024 FLOPs, 93516096 + 46758048 B");
  ASSERT_EQ(own.size(), expected.size());
  for (std::size_t i = 0; i < own.size(); ++i) EXPECT_EQ(own[i], expected[i]) << "entry " << i;
}

TEST(ZooComparison, ResNet18InferenceOpByOp) {
  const schedule::Schedule recorded = recorded_step("resnet18-b2-inference");
  EXPECT_EQ(recorded.phase, Phase::inference);
  Lines own = entry_lines(recorded);
  replace_line(own, "forward mean: 0 + 50176 FLOPs, 200704 + 4096 B",
               "forward adaptive_avg_pool2d: 0 + 50176 FLOPs, 200704 + 4096 B");
  EXPECT_EQ(own, entry_lines(built_in_step("resnet18", Phase::inference)));
}

// Every gradient belongs to a layer of the forward pass, by its node.
TEST(ZooComparison, GradientsOfResNet18AreOfItsLayers) {
  const schedule::Schedule s = recorded_step("resnet18-b2-train");
  std::vector<bool> forward(s.graph.nodes.size(), false);
  std::size_t gradients = 0;
  for (const schedule::ScheduledOp& op : s.ops) {
    if (op.node < 0 || !std::holds_alternative<schedule::NodeWork>(op.work)) continue;
    const auto node = static_cast<std::size_t>(op.node);
    if (op.pass == schedule::Pass::forward) forward[node] = true;
    if (!schedule::is_gradient(op.pass)) continue;
    ++gradients;
    EXPECT_TRUE(forward[node]) << entry_line(s, op);
  }
  EXPECT_EQ(gradients,
            20 + 19 + 20 + 17 + 1 + 2 + 1);  // dW, dx, norms, ReLUs, pooling, fc, softmax
}

// Attention is taken apart by PyTorch 1.13: its gradient is four products, where a fused kernel
// makes the scores again, a fifth. One of 12 layers: batch 2 x 12 heads, 197 x 197 scores of depth
// 64, 2 FLOPs each.
TEST(ZooComparison, VitB16WithoutFusedAttention) {
  const schedule::Schedule recorded = recorded_step("vit_b_16-b2-train");
  constexpr std::int64_t scores = std::int64_t{2} * 2 * 12 * 197 * 197 * 64;
  EXPECT_EQ(matrix_flops_of(recorded).value() + 12 * scores,
            matrix_flops_of(built_in_step("vit_b_16", Phase::training)).value());
  const Lines lines = entry_lines(recorded);
  EXPECT_EQ(parted(lines, "matmul").first.size(), 12 * (2 + 4));
  EXPECT_EQ(parted(lines, "unknown").first, Lines{});
  for (const std::string_view name : {"linear", "conv2d", "gelu"}) {
    Lines own = parted(lines, name).first;
    Lines expected = parted(entry_lines(built_in_step("vit_b_16", Phase::training)), name).first;
    std::ranges::sort(own);
    std::ranges::sort(expected);
    EXPECT_EQ(own, expected) << name;
  }
}

// Two layers of LSTM, 12 steps of 4 samples, width 32: W x and W h are 4 * 32 rows of 32 numbers
// each. Decoder: 32 to 200. Both gradients are as large as the forward pass, but nothing flows into
// the state before the first step, of 4 samples.
TEST(ZooComparison, LstmOfALanguageModel) {
  constexpr std::int64_t gates = 4 * 32;
  constexpr std::int64_t layer = std::int64_t{2} * 12 * 4 * gates * (32 + 32);
  constexpr std::int64_t decoder = std::int64_t{2} * 12 * 4 * 32 * 200;
  constexpr std::int64_t first_state = std::int64_t{2} * 4 * gates * 32;
  const schedule::Schedule s = recorded_step("lstm_lm-b4-train");
  EXPECT_EQ(matrix_flops_of(s).value(), 3 * (2 * layer + decoder) - 2 * first_state);
  EXPECT_EQ(parted(entry_lines(s), "unknown").first, Lines{});
}

// Texts of 12, 10, 12 and 6 words, packed: 40 steps in each direction, width 16, from 4 * 16 to 4
// classes. Nothing flows into the states before the first step: 4 samples forwards, the 2 longest
// ones backwards.
TEST(ZooComparison, PackedBidirectionalLstm) {
  constexpr std::int64_t gates = 4 * 16;
  constexpr std::int64_t direction = std::int64_t{2} * 40 * gates * (16 + 16);
  constexpr std::int64_t classifier = std::int64_t{2} * 4 * 64 * 4;
  constexpr std::int64_t first_states = std::int64_t{2} * (4 + 2) * gates * 16;
  const schedule::Schedule s = recorded_step("lstm_classifier-b4-train");
  EXPECT_EQ(matrix_flops_of(s).value(), 3 * (2 * direction + classifier) - first_states);
}

}  // namespace
}  // namespace rooflab::recording
