#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recording_text.hpp"

// By hand, for q, k and v of [2, 4, 8, 16] in bf16 (2048 bytes each): 2 * 4 * 8 * 8 = 512 scores;
// forward 2 * 512 * (16 + 16) FLOPs in products and 6 more a score; the gradient makes the
// scores again: 2 * 512 * (3 * 16 + 2 * 16), and 6 a score.

namespace rooflab::recording {
namespace {

using testing::ElementsAre;

struct Attended {
  int q, k, v, y, sums;
};

Attended operands(RecordingText& text, std::int64_t key_heads = 4) {
  return {text.input("bf16", {2, 4, 8, 16}), text.input("bf16", {2, key_heads, 8, 16}),
          text.input("bf16", {2, key_heads, 8, 16}), text.tensor("bf16", {2, 4, 8, 16}),
          text.tensor("f32", {2, 4, 8})};
}

TEST(AttentionRules, FlashAttentionAndItsGradient) {
  RecordingText text;
  const Attended a = operands(text);
  const int seed = text.tensor("u64", {2});
  text.op("aten._scaled_dot_product_flash_attention", {a.q, a.k, a.v},
          {a.y, a.sums, nullptr, nullptr, seed, seed}, R"("is_causal":true)");
  text.at("backward");
  const int dy = text.tensor("bf16", {2, 4, 8, 16});
  const int dq = text.tensor("bf16", {2, 4, 8, 16});
  const int dk = text.tensor("bf16", {2, 4, 8, 16});
  const int dv = text.tensor("bf16", {2, 4, 8, 16});
  text.op("aten._scaled_dot_product_flash_attention_backward",
          {dy, a.q, a.k, a.v, a.y, a.sums, nullptr, nullptr, seed, seed}, {dq, dk, dv},
          R"("is_causal":true)");
  const schedule::Schedule s = text.lowered();
  EXPECT_THAT(entry_lines(s),
              ElementsAre("forward attention: 32768 + 3072 FLOPs, 6144 + 2304 B",
                          "data_gradient attention: 81920 + 3072 FLOPs, 10512 + 6144 B"));
  EXPECT_EQ(s.ops[0].node, s.ops[1].node);
  // Query i of 8 sees i keys: 36 of 64 scores of each head.
  EXPECT_EQ(cost::cost_of(s, s.ops[0])->causal_macs, Macs(8 * 36 * 32));
}

// A mask of [2, 1, 8, 8] is read, and adds one FLOP a score.
TEST(AttentionRules, MemoryEfficientAttentionWithAMask) {
  RecordingText text;
  const Attended a = operands(text);
  const int mask = text.input("bf16", {2, 1, 8, 8});
  text.op("aten._scaled_dot_product_efficient_attention", {a.q, a.k, a.v, mask},
          {a.y, a.sums, nullptr, nullptr}, R"("compute_log_sumexp":true)");
  text.at("backward");
  const int dq = text.tensor("bf16", {2, 4, 8, 16});
  text.op("aten._scaled_dot_product_efficient_attention_backward",
          {a.y, a.q, a.k, a.v, mask, a.y, a.sums}, {dq, dq, dq, nullptr});
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward attention: 32768 + 3584 FLOPs, 6400 + 2304 B",
                          "data_gradient attention: 81920 + 3584 FLOPs, 8704 + 2048 B"));
}

// Two heads of keys and values for four of queries: as many scores, half of their bytes.
TEST(AttentionRules, GroupedHeadsShareKeys) {
  RecordingText text;
  const Attended a = operands(text, 2);
  text.op("aten._scaled_dot_product_cudnn_attention", {a.q, a.k, a.v, nullptr}, {a.y, a.sums});
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward attention: 32768 + 3072 FLOPs, 4096 + 2304 B"));
}

// PyTorch 1.13: [tokens of all samples, heads, depth], with the longest text; and [batch, length,
// heads, depth].
TEST(AttentionRules, KernelsOfPyTorch113) {
  RecordingText text;
  const int q = text.input("bf16", {16, 4, 16});
  const int ends = text.input("i32", {3});
  const int y = text.tensor("bf16", {16, 4, 16});
  const int sums = text.tensor("f32", {2, 4, 8});
  text.op("aten._flash_attention_forward", {q, q, q, ends, ends}, {y, sums, nullptr},
          R"("max_q":8,"max_k":8,"is_causal":false)");
  const int q4 = text.view(q, "bf16", {2, 8, 4, 16});
  const int y4 = text.view(y, "bf16", {2, 8, 4, 16});
  text.op("aten._efficient_attention_forward", {q4, q4, q4, nullptr, nullptr}, {y4, sums});
  text.at("backward");
  const int dq = text.tensor("bf16", {16, 4, 16});
  text.op("aten._flash_attention_backward", {y, q, q, q, y, sums, ends, ends}, {dq, dq, dq},
          R"("max_q":8,"max_k":8)");
  const int dq4 = text.view(dq, "bf16", {2, 8, 4, 16});
  text.op("aten._efficient_attention_backward", {y4, q4, q4, q4, y4, sums}, {dq4, dq4, dq4});
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward attention: 32768 + 3072 FLOPs, 2048 + 2304 B",
                          "forward attention: 32768 + 3072 FLOPs, 2048 + 2304 B",
                          "data_gradient attention: 81920 + 3072 FLOPs, 4364 + 2048 B",
                          "data_gradient attention: 81920 + 3072 FLOPs, 4352 + 2048 B"));
}

// The module of evaluation, width 16, 4 heads, x of [2, 8, 16]: 2 * 16 * 16 * 48 FLOPs of the three
// projections, attention 2 * (2 * 4 * 64) * (4 + 4), and 2 * 16 * 16 * 16 of the last projection.
TEST(AttentionRules, TheFusedModuleIsTakenApart) {
  RecordingText text;
  const int x = text.input("f32", {2, 8, 16});
  const int qkv = text.parameter("f32", {48, 16}, "in_proj_weight");
  const int qkv_bias = text.parameter("f32", {48}, "in_proj_bias");
  const int proj = text.parameter("f32", {16, 16}, "out_proj.weight");
  const int proj_bias = text.parameter("f32", {16}, "out_proj.bias");
  const int y = text.tensor("f32", {2, 8, 16});
  text.op("aten._native_multi_head_attention", {x, x, x, qkv, qkv_bias, proj, proj_bias, nullptr},
          {y, nullptr}, R"("embed_dim":16,"num_head":4)");
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward linear: 24576 + 768 FLOPs, 4288 + 3072 B",
                          "forward attention: 8192 + 3072 FLOPs, 3072 + 1024 B",
                          "forward linear: 8192 + 256 FLOPs, 2112 + 1024 B"));
}

// The whole layer of an encoder: x of [2, 8, 16], inner width 32.
TEST(AttentionRules, TheFusedEncoderLayerIsTakenApart) {
  RecordingText text;
  const int x = text.input("f32", {2, 8, 16});
  const auto weight = [&text](const std::vector<std::int64_t>& shape) {
    return text.parameter("f32", shape);
  };
  const int y = text.tensor("f32", {2, 8, 16});
  text.op("aten._transformer_encoder_layer_fwd",
          {x, weight({48, 16}), weight({48}), weight({16, 16}), weight({16}), weight({16}),
           weight({16}), weight({16}), weight({16}), weight({32, 16}), weight({32}),
           weight({16, 32}), weight({16}), nullptr},
          {y}, R"("embed_dim":16,"num_heads":4,"use_gelu":false)");
  const schedule::Schedule s = text.lowered();
  std::vector<std::string> names;
  std::int64_t matrix_flops = 0;
  for (const schedule::ScheduledOp& op : s.ops) {
    names.push_back(s.name_of(op));
    matrix_flops += cost::cost_of(s, op)->matrix_flops.value();
  }
  EXPECT_THAT(names, ElementsAre("linear", "attention", "linear", "layer_norm", "linear", "relu",
                                 "linear", "layer_norm"));
  EXPECT_EQ(matrix_flops, 24576 + 8192 + 8192 + 2 * (2 * 16 * 16 * 32));
}

TEST(AttentionRules, AttentionWithoutKeysIsUnknown) {
  RecordingText text;
  const Attended a = operands(text);
  text.op("aten._scaled_dot_product_flash_attention", {a.q, nullptr, a.v}, {a.y, a.sums});
  EXPECT_THAT(entry_lines(text.lowered()),
              ElementsAre("forward _scaled_dot_product_flash_attention: unknown"));
}

}  // namespace
}  // namespace rooflab::recording
