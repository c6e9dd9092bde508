// Messages of recordings: how much of what among how many, and what waits for them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.hpp"
#include "recording_text.hpp"

namespace rooflab::recording {
namespace {

using schedule::CollectiveWork;
using schedule::ScheduledOp;
using testing::ElementsAre;

/// `all_gather of 64 B among 4, separate`: every message of a schedule.
std::vector<std::string> messages(const schedule::Schedule& s) {
  std::vector<std::string> found;
  for (const ScheduledOp& op : s.ops) {
    const auto* work = std::get_if<CollectiveWork>(&op.work);
    if (work == nullptr) continue;
    found.push_back(format("{} of {} B among {}{}", rooflab::name_of(work->collective),
                           work->bytes.value(), work->ranks, op.beside ? ", separate" : ""));
  }
  return found;
}

constexpr std::string_view among_4 = R"(,"ranks":4)";

// A bucket of DistributedDataParallel: 6 + 4 elements of 4 bytes.
TEST(CollectiveRules, AnAllReduceSumsInPlace) {
  RecordingText text;
  const int a = text.input("f32", {6});
  const int b = text.input("f32", {4});
  text.at("backward");
  text.op("c10d.allreduce_", {Slot({a, b}), nullptr}, {Slot({a, b})}, R"("process_group":"")",
          among_4);
  const schedule::Schedule s = text.lowered();
  EXPECT_THAT(messages(s), ElementsAre("all_reduce of 40 B among 4, separate"));
  EXPECT_EQ(s.ops[0].pass, schedule::Pass::backward);
  EXPECT_THAT(s.ops[0].reads, s.ops[0].writes);
  EXPECT_THAT(entry_lines(s), ElementsAre("backward all_reduce: 0 + 0 FLOPs, 40 + 40 B"));
  EXPECT_TRUE(s.exchanges());
}

// What counts is the larger side: the whole of what is gathered or scattered.
TEST(CollectiveRules, GathersAndScattersCountTheWhole) {
  RecordingText text;
  const int part = text.input("f32", {4});
  const int whole = text.tensor("f32", {16});
  text.op("c10d._allgather_base_", {whole, part}, {whole}, R"("async_op":false)", among_4);
  text.op("c10d._reduce_scatter_base_", {part, whole}, {part}, "", among_4);
  text.op("c10d.alltoall_base_", {whole, whole}, {}, "", among_4);
  const int x = text.tensor("f32", {4});
  text.op("_c10d_functional.all_gather_into_tensor", {part}, {text.tensor("f32", {8})},
          R"("group_size":2)");
  text.op("_c10d_functional.reduce_scatter_tensor", {whole}, {x}, R"("group_size":4)", among_4);
  EXPECT_THAT(
      messages(text.lowered()),
      ElementsAre("all_gather of 64 B among 4", "reduce_scatter of 64 B among 4, separate",
                  "all_to_all of 64 B among 4, separate", "all_gather of 32 B among 2, separate",
                  "reduce_scatter of 64 B among 4, separate"));
}

// torch.distributed.all_gather has a list of lists of results.
TEST(CollectiveRules, ListsWithinListsAreOne) {
  RecordingText text;
  const int a = text.input("f32", {4});
  const int b = text.tensor("f32", {4});
  const int c = text.tensor("f32", {4});
  text.line(
      format(R"({{"op":"c10d.allgather_","in":[[[{0},{1}]],[{2}]],"out":[[[{0},{1}]]],"ranks":2}})",
             b, c, a));
  EXPECT_THAT(messages(text.lowered()), ElementsAre("all_gather of 32 B among 2, separate"));
}

TEST(CollectiveRules, WaitingForAResultIsAView) {
  RecordingText text;
  const int x = text.input("f32", {4});
  const int y = text.tensor("f32", {4});
  text.op("_c10d_functional.all_reduce", {x}, {y}, R"("reduce_op":"sum")", among_4);
  text.op("_c10d_functional.wait_tensor", {y}, {y});
  const schedule::Schedule s = text.lowered();
  ASSERT_EQ(s.ops.size(), 2);
  EXPECT_TRUE(std::holds_alternative<schedule::ViewWork>(s.ops[1].work));
}

// DTensor: two operations came apart into a ReLU and a sum of all, one into the sum alone.
TEST(CollectiveRules, OperationsOfWrappersAreCountedAtWhatTheyCameApartInto) {
  RecordingText text;
  const int x = text.input("f32", {4});
  const int y = text.tensor("f32", {4});
  text.op("aten.relu", {x}, {y}, "", R"(,"wrapped":2)");
  text.op("_c10d_functional.all_reduce", {y}, {text.tensor("f32", {4})}, R"("reduce_op":"sum")",
          R"(,"wrapped":1,"ranks":4)");
  text.op("aten.relu", {y}, {x});
  const schedule::Schedule s = text.lowered();
  ASSERT_EQ(s.ops.size(), 3);
  EXPECT_EQ(s.ops[0].wrapped, 2);
  EXPECT_EQ(s.ops[1].wrapped, 1);
  EXPECT_EQ(s.ops[2].wrapped, 0);
}

// Without the number of processes nothing is known.
TEST(CollectiveRules, AMessageAmongUnknownDevicesIsUnknown) {
  RecordingText text;
  const int x = text.input("f32", {4});
  text.op("c10d.allreduce_", {Slot({x})}, {Slot({x})});
  const schedule::Schedule s = text.lowered();
  EXPECT_TRUE(messages(s).empty());
  EXPECT_THAT(entry_lines(s), ElementsAre("forward c10d.allreduce_: unknown"));
  EXPECT_FALSE(s.exchanges());
}

TEST(CollectiveRules, OneProcessAloneExchangesNothing) {
  RecordingText text;
  const int x = text.input("f32", {4});
  text.op("c10d.allreduce_", {Slot({x})}, {Slot({x})}, "", R"(,"ranks":1)");
  EXPECT_FALSE(text.lowered().exchanges());
}

// FSDP: pieces of a parameter are gathered and copied to where it is whole; a product with it is a
// linear layer, as it would be with the parameter itself.
TEST(CollectiveRules, WhatIsGatheredFromAParameterIsThatParameter) {
  RecordingText text;
  const int piece = text.parameter("f32", {16}, "weight");
  const int sent = text.tensor("f32", {32});
  const int own = text.view(sent, "f32", {16});
  text.at("forward", -1, R"(,"stream":1)");
  text.op("fsdp.all_gather_copy_in", {Slot({piece}), sent}, {own, sent});
  text.op("c10d._allgather_base_", {sent, own}, {sent}, R"("async_op":false)", R"(,"ranks":2)");
  text.at("forward");
  const int rows = text.view(sent, "f32", {2, 16});
  const int whole = text.tensor("f32", {2, 16});
  text.op("fsdp.split_with_sizes_copy", {rows, Slot({whole})}, {}, "", R"(,"writes":[1])");
  const int weight = text.view(whole, "f32", {8, 4});
  const int transposed = text.view(whole, "f32", {4, 8}, {1, 4});
  text.op("aten.t", {weight}, {transposed});
  const int x = text.input("f32", {3, 4});
  const int y = text.tensor("f32", {3, 8});
  text.op("aten.mm", {x, transposed}, {y});
  const schedule::Schedule s = text.lowered();
  EXPECT_THAT(entry_lines(s), ElementsAre("forward all_gather_copy_in: 0 + 0 FLOPs, 64 + 64 B",
                                          "forward all_gather: 0 + 0 FLOPs, 64 + 128 B",
                                          "forward split_with_sizes_copy: 0 + 0 FLOPs, 128 + 128 B",
                                          "forward linear: 192 + 0 FLOPs, 176 + 96 B"));
  EXPECT_TRUE(s.ops[0].beside);  // on a separate stream
  EXPECT_TRUE(s.ops[1].beside);
  EXPECT_FALSE(s.ops[2].beside);
}

// ---- recorded steps (tests/data/recordings/make_sharded.py): a decoder of two blocks of width 64,
// 4 heads that share 2 keys and values, 160 within, 200 words; 2 x 16 words, two processes

constexpr std::int64_t block =
    2 * 64 + 64 * 64 + 2 * 64 * 32 + 64 * 64 + 3 * 64 * 160;  // norms, q, k and v, o, feed-forward
constexpr std::int64_t rest = 2 * 200 * 64 + 64;              // embedding and head, the last norm

schedule::Schedule recorded(std::string_view kind) {
  return lower(read_recording(
      format("{}/tests/data/recordings/llama-{}-b2-train.rec.jsonl.gz", ROOFLAB_SOURCE_DIR, kind)));
}

/// Bytes of each message of a kind in a pass, in order.
std::vector<std::int64_t> bytes_of(const schedule::Schedule& s, Collective kind,
                                   schedule::Pass pass) {
  std::vector<std::int64_t> found;
  for (const ScheduledOp& op : s.ops) {
    const auto* work = std::get_if<CollectiveWork>(&op.work);
    if (work == nullptr || work->collective != kind || op.pass != pass) continue;
    EXPECT_EQ(work->ranks, 2);
    found.push_back(work->bytes.value());
  }
  return found;
}

TEST(RecordedExchange, FsdpGathersEachBlockTwiceAndScattersItsGradientsOnce) {
  const schedule::Schedule s = recorded("fsdp");
  using schedule::Pass;
  EXPECT_THAT(bytes_of(s, Collective::all_gather, Pass::forward),
              ElementsAre(4 * rest, 4 * block, 4 * block));
  EXPECT_THAT(bytes_of(s, Collective::all_gather, Pass::backward),
              ElementsAre(4 * block, 4 * block));
  EXPECT_THAT(bytes_of(s, Collective::reduce_scatter, Pass::backward),
              ElementsAre(4 * block, 4 * block, 4 * rest));
  for (const ScheduledOp& op : s.ops) {
    if (std::holds_alternative<CollectiveWork>(op.work)) EXPECT_TRUE(op.beside);
    EXPECT_TRUE(cost::cost_of(s, op).has_value()) << s.name_of(op);
  }
  EXPECT_EQ(s.graph.parameter_elements(), (2 * block + rest) / 2);  // the half of this process
}

TEST(RecordedExchange, DataParallelSumsAllGradients) {
  const schedule::Schedule s = recorded("ddp");
  std::int64_t sum = 0;
  for (const std::int64_t bytes : bytes_of(s, Collective::all_reduce, schedule::Pass::backward)) {
    sum += bytes;
  }
  EXPECT_EQ(sum, 4 * (2 * block + rest));
}

// Behind the embedding and in each block behind the attention and the feed-forward: 2 x 16 words of
// 64; the logits of 100 words each are gathered.
TEST(RecordedExchange, TensorParallelSumsBehindRows) {
  const schedule::Schedule s = recorded("tp");
  EXPECT_THAT(bytes_of(s, Collective::all_reduce, schedule::Pass::forward),
              testing::Each(4 * 2 * 16 * 64));
  EXPECT_EQ(bytes_of(s, Collective::all_reduce, schedule::Pass::forward).size(), 5);
  EXPECT_THAT(bytes_of(s, Collective::all_gather, schedule::Pass::forward),
              ElementsAre(4 * 2 * 16 * 200));
}

// The same products as on one device, by hand: each block's 43,008 weights and the head's 12,800
// on 32 rows, three times over but for the embedding's; a half of them with tensor parallelism.
TEST(RecordedExchange, ProductsAreThoseOfThisProcess) {
  const auto products = [](std::string_view kind) {
    std::int64_t flops = 0;
    const schedule::Schedule s = recorded(kind);
    for (const ScheduledOp& op : s.ops) {
      if (op.node < 0) continue;
      const graph::Op& node = s.graph.nodes[static_cast<std::size_t>(op.node)].op;
      if (!std::holds_alternative<graph::Linear>(node)) continue;
      if (const auto cost = cost::cost_of(s, op)) flops += cost->matrix_flops.value();
    }
    return flops;
  };
  constexpr std::int64_t whole = 3 * 2 * 32 * (2 * (block - 2 * 64) + 200 * 64);
  EXPECT_EQ(products("ddp"), whole);
  EXPECT_EQ(products("fsdp"), whole);
  EXPECT_EQ(products("tp"), whole / 2);
}

// Without an exchange all kernels follow each other, whatever their streams.
TEST(CollectiveRules, StreamsCountInStepsThatExchange) {
  RecordingText text;
  const int x = text.input("f32", {4});
  text.at("forward", -1, R"(,"stream":1)");
  text.op("aten.relu", {x}, {text.tensor("f32", {4})});
  EXPECT_FALSE(text.lowered().ops[0].beside);
}

}  // namespace
}  // namespace rooflab::recording
