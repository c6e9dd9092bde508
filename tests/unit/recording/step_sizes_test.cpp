#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "../base/thrown_error.hpp"
#include "base/format.hpp"
#include "recording_text.hpp"

namespace rooflab::recording {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string with_batch(std::int64_t batch) { return format(R"(,"batch":{})", batch); }

/// A step of [n, 4]: its scores [n, n], and a transposed view.
Recording step_of(std::int64_t n) {
  RecordingText text(with_batch(n));
  const int x = text.input("f32", {n, 4});
  const int xt = text.view(x, "f32", {4, n}, {1, 4});
  text.op("aten.t", {x}, {xt});
  const int scores = text.tensor("f32", {n, n});
  text.op("aten.mm", {x, xt}, {scores});
  const int scores_t = text.view(scores, "f32", {n, n}, {1, n});
  text.op("aten.t", {scores}, {scores_t});
  text.line(format(R"({{"storage":2,"bytes":{},"device":"cuda:0"}})", 512 + 8 * n));  // workspace
  text.line(format(R"({{"layout":"u8","shape":[{}]}})", 8 * n));
  text.line(format(R"({{"tensor":4,"layout":4,"storage":2,"offset":{}}})", 2 * n));
  text.op("aten.relu", {scores_t}, {4});
  return text.read();
}

/// The step in that batch, from two recordings.
Recording interpolated(const Recording& one, const Recording& other, std::int64_t batch) {
  return StepSizes({one, other}).at({batch, std::nullopt});
}

std::string message_of(std::vector<Recording> all, const StepSize& size) {
  const std::string file = all.front().file;
  const Error error =
      thrown_error(ErrorKind::input, [&] { (void)StepSizes(std::move(all)).at(size); });
  EXPECT_EQ(error.hint(), "record the size that you want");
  EXPECT_EQ(error.location().file, file);
  return format("{}: {}", error.location().line.value_or(0), error.what());
}
std::string message_of(const Recording& one, const Recording& other, std::int64_t batch) {
  return message_of({one, other}, {batch, std::nullopt});
}

std::vector<std::string> lowered_lines(const Recording& recording) {
  return entry_lines(lower(recording));
}

TEST(StepSizes, ExtentsStridesAndBytesOfABatchBetween) {
  const Recording r = interpolated(step_of(2), step_of(8), 6);
  EXPECT_EQ(r.batch, 6);
  EXPECT_EQ(r.layout_of(0).type.shape, (graph::Shape{6, 4}));
  EXPECT_EQ(r.layout_of(1).type.shape, (graph::Shape{4, 6}));
  EXPECT_THAT(r.layout_of(1).strides, ElementsAre(1, 4));
  EXPECT_EQ(r.storages[0].bytes, Bytes(6 * 4 * 4));
}

// A matrix of batch x batch grows with the square: from its extents, not on a line.
TEST(StepSizes, AMatrixOfTheBatchSquared) {
  const Recording r = interpolated(step_of(2), step_of(8), 6);
  EXPECT_EQ(r.layout_of(2).type.shape, (graph::Shape{6, 6}));
  EXPECT_THAT(r.layout_of(2).strides, ElementsAre(6, 1));
  EXPECT_THAT(r.layout_of(3).strides, ElementsAre(1, 6));
  EXPECT_EQ(r.storages[1].bytes, Bytes(6 * 6 * 4));
}

TEST(StepSizes, SizesThatNoTensorFillsAreOnTheLine) {
  const Recording r = interpolated(step_of(2), step_of(8), 6);
  EXPECT_EQ(r.storages[2].bytes, Bytes(512 + 8 * 6));
  EXPECT_EQ(r.tensors[4].offset, 12);
}

TEST(StepSizes, ABatchBeyondTheTwoAndTheTwoThemselves) {
  const Recording two = step_of(2);
  const Recording eight = step_of(8);
  for (const std::int64_t batch : {1, 2, 8, 100}) {
    EXPECT_EQ(lowered_lines(interpolated(two, eight, batch)), lowered_lines(step_of(batch)));
    EXPECT_EQ(interpolated(two, eight, batch).storages[1].bytes, Bytes(4 * batch * batch));
    EXPECT_EQ(interpolated(eight, two, batch).layout_of(0).type.shape, (graph::Shape{batch, 4}));
  }
}

/// A step on a cache [batch, heads 2, context, width 4], dense; with `places` as a slice of one
/// that is as long as that, and 8 elements apart. Strides of extents of 1 are what PyTorch may
/// leave there.
Recording cache_step(std::int64_t batch, std::int64_t context, std::int64_t places = 0) {
  const std::int64_t length = places == 0 ? context : places;
  RecordingText text(format(R"(,"batch":{},"context":{})", batch, context));
  const int whole = text.input("f32", {batch, 2, length, 4});
  const std::int64_t outer = batch == 1 ? 7 : 2 * length * 4 + (places == 0 ? 0 : 8);
  const int cache = text.view(whole, "f32", {batch, 2, context, 4}, {outer, length * 4, 4, 1});
  text.op("aten.slice.Tensor", {whole}, {cache});
  text.op("aten.relu", {cache}, {text.tensor("f32", {batch, 2, context, 4})});
  return text.read();
}

// Bytes by hand: batch x 2 x context x 4 x 4. A stride that only one recording tells is not
// constant.
TEST(StepSizes, EveryCornerFromTheOthersAmongThemThoseOfBatchOne) {
  const std::array<std::pair<std::int64_t, std::int64_t>, 4> corners = {
      {{1, 16}, {3, 16}, {1, 48}, {3, 48}}};
  for (std::size_t asked = 0; asked < corners.size(); ++asked) {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      if (i != asked) others.push_back(i);
    }
    do {
      std::vector<Recording> given;
      for (const std::size_t i : others) {
        given.push_back(cache_step(corners[i].first, corners[i].second));
      }
      const auto [batch, context] = corners[asked];
      const Recording found = StepSizes(std::move(given)).at({batch, context});
      EXPECT_EQ(found.storages[0].bytes, Bytes(batch * 2 * context * 4 * 4));
      EXPECT_EQ(found.storages[1].bytes, Bytes(batch * 2 * context * 4 * 4));
      EXPECT_EQ(lowered_lines(found), lowered_lines(cache_step(batch, context)));
    } while (std::ranges::next_permutation(others).found);
  }
}

// A cache of 64 places in every context: a stride of 2 x 64 x 4 + 8, not a product of
// extents.
TEST(StepSizes, AStrideThatNoExtentsExplainIsConstantWhereTwoRecordingsTell) {
  const Recording found =
      StepSizes({cache_step(2, 16, 64), cache_step(1, 16, 64), cache_step(2, 48, 64)}).at({4, 32});
  EXPECT_THAT(found.layout_of(1).strides, ElementsAre(520, 256, 4, 1));
  // One recording alone tells it: that is an error, not a guess.
  EXPECT_THAT(
      message_of({cache_step(1, 16, 64), cache_step(2, 16, 64), cache_step(1, 48, 64)}, {4, 32}),
      HasSubstr("does not follow from extents of 1"));
}

TEST(StepSizes, LoweredItIsTheRecordedStep) {
  EXPECT_EQ(lowered_lines(interpolated(step_of(2), step_of(8), 6)), lowered_lines(step_of(6)));
}

TEST(StepSizes, RefusesRecordingsOfOtherSteps) {
  RecordingText other(with_batch(8));
  const int x = other.input("f32", {8, 4});
  const int xt = other.view(x, "f32", {4, 8}, {1, 4});
  other.op("aten.t", {x}, {xt});
  const int y = other.tensor("f32", {8, 8});
  other.op("aten.bmm", {x, xt}, {y});
  const int yt = other.view(y, "f32", {8, 8}, {1, 8});
  other.op("aten.t", {y}, {yt});
  const int z = other.tensor("f32", {8, 8});
  other.op("aten.relu", {yt}, {z});
  EXPECT_EQ(message_of(step_of(2), other.read(), 6),
            "11: the recordings are not of the same step: op 1 is aten.mm and aten.bmm");
  EXPECT_THAT(message_of(step_of(2), RecordingText(with_batch(8)).read(), 6),
              HasSubstr("one has 4 ops, the other 0"));
}

TEST(StepSizes, RefusesHeadsThatSayOtherSteps) {
  const auto step = [](std::int64_t n, const std::string& more, std::string_view type = "f32") {
    RecordingText text(with_batch(n) + more);
    const int x = text.input(type, {n, 4});
    const int y = text.tensor(type, {n, 4});
    text.op("aten.relu", {x}, {y});
    return text.read();
  };
  const std::string tf32 = R"(,"tf32":{"matmul":true,"cudnn":true})";
  EXPECT_EQ(message_of(step(2, ""), step(4, tf32), 3),
            "1: the recordings are not of the same step: one is recorded with TF32 and the other "
            "without");
  EXPECT_THAT(message_of(step(2, ""), step(4, R"(,"grad":false)"), 3),
              HasSubstr("one is recorded with autograd and the other without"));
  EXPECT_THAT(message_of(step(2, ""), step(4, "", "f64"), 3),
              HasSubstr("aten.relu (op 0) has tensors of other types"));
}

TEST(StepSizes, RefusesTheSameShapesInTwoBatches) {
  const auto labelled = [](const std::string& size) {
    RecordingText text(size);
    text.op("aten.relu", {text.input("f32", {2, 4})}, {text.tensor("f32", {2, 4})});
    return text.read();
  };
  const Error error = thrown_error(ErrorKind::input, [&] {
    (void)StepSizes({labelled(with_batch(2)), labelled(with_batch(4))});
  });
  EXPECT_EQ(std::string(error.what()),
            "both recordings have the same shapes, but batch 2 and batch 4: the label of one is"
            " wrong");
  EXPECT_EQ(error.hint(), "record again with inputs of the other batch");
  EXPECT_EQ(error.location().line, 1);
  // A step on a static cache is as large in each context.
  EXPECT_NO_THROW(
      StepSizes({labelled(R"(,"batch":2,"context":8)"), labelled(R"(,"batch":2,"context":16)")}));
}

TEST(StepSizes, RefusesOtherOperands) {
  const auto sum_of = [](std::int64_t n, bool twice) {
    RecordingText text(with_batch(n));
    const int x = text.input("f32", {n});
    const int y = text.input("f32", {n});
    text.op("aten.add", {x, twice ? x : y}, {text.tensor("f32", {n})});
    return text.read();
  };
  EXPECT_THAT(message_of(sum_of(2, false), sum_of(4, true), 3),
              HasSubstr("tensor of aten.add (op 0)"));
}

TEST(StepSizes, RefusesANumberThatIsNotWhole) {
  const auto rows = [](std::int64_t n, std::int64_t extent) {
    RecordingText text(with_batch(n));
    const int x = text.input("f32", {extent});
    text.op("aten.relu", {x}, {text.tensor("f32", {extent})});
    return text.read();
  };
  EXPECT_EQ(
      message_of(rows(2, 1), rows(4, 2), 3),
      "8: the recordings are not of the same step: an extent of a tensor of aten.relu (op 0) is"
      " 1 in batch 2 and 2 in batch 4, and no whole number follows from that");
  EXPECT_THAT(
      thrown_message(ErrorKind::input, [&] { (void)interpolated(rows(4, 1), rows(8, 9), 2); }),
      HasSubstr("an extent of a tensor of aten.relu (op 0) would be out of range"));
  EXPECT_THAT(message_of(rows(2, 2), rows(2, 2), 2), HasSubstr("both have batch 2"));
}

TEST(StepSizes, RefusesARecordingWithoutABatch) {
  RecordingText text;
  EXPECT_THAT(message_of(step_of(2), text.read(), 4), HasSubstr("does not say its batch"));
}

// The recorder asks for frees now and then, so that they may come late.
TEST(StepSizes, ALateFreeMakesNoOtherStep) {
  const auto step = [](std::int64_t n, bool late) {
    RecordingText text(with_batch(n));
    const int x = text.input("f32", {n});
    const int y = text.tensor("f32", {n});
    text.op("aten.relu", {x}, {y});
    if (!late) text.free(y);
    text.op("aten.exp", {x}, {text.tensor("f32", {n})});
    if (late) text.free(y);
    return text.read();
  };
  const Recording r = interpolated(step(2, false), step(4, true), 3);
  ASSERT_EQ(r.frees.size(), 1);
  EXPECT_EQ(r.frees[0].op, 1);
}

TEST(StepSizes, WhatIsGivenBeyondThatIsChecked) {
  EXPECT_NO_THROW(StepSizes({step_of(2), step_of(8), step_of(6)}));
  Recording other = step_of(5);
  other.batch = 6;
  EXPECT_THAT(message_of({step_of(2), step_of(8), other}, {2, std::nullopt}),
              HasSubstr("aten.t (op 0) has a tensor 5x4 in place of 6x4"));
}

// ---- batch and context

std::string with_size(std::int64_t batch, std::int64_t context) {
  return format(R"(,"batch":{},"context":{})", batch, context);
}

/// A prefill of [b, c] tokens of width 3: its scores [b, c, c], their transposed view, all rows
/// [b c, 3] in one matrix, a mask that is filled up to 64 bytes a storage, and the last token.
Recording prefill_of(std::int64_t b, std::int64_t c) {
  RecordingText text(with_size(b, c));
  const int x = text.input("f32", {b, c, 3});
  const int xt = text.view(x, "f32", {b, 3, c}, {3 * c, 1, 3});
  text.op("aten.transpose", {x}, {xt}, R"("dim0":1,"dim1":2)");
  const int scores = text.tensor("f32", {b, c, c});
  text.op("aten.bmm", {x, xt}, {scores});
  const int turned = text.view(scores, "f32", {b, c, c}, {c * c, 1, c});
  text.op("aten.transpose", {scores}, {turned}, R"("dim0":1,"dim1":2)");
  const int rows = text.view(x, "f32", {b * c, 3}, {3, 1});
  text.op("aten.view", {x}, {rows}, format(R"("size":[{},3])", b * c));
  text.line(format(R"({{"storage":2,"bytes":{},"device":"cuda:0"}})", (c * c + 63) / 64 * 64));
  text.line(format(R"({{"layout":"bool","shape":[{},{}]}})", c, c));
  text.line(R"({"tensor":5,"layout":5,"storage":2})");
  text.op("aten.relu", {turned}, {5}, R"("scale":0.5)");
  const int row = 6;
  text.line(format(R"({{"layout":"f32","shape":[{},3],"strides":[{},1]}})", b, 3 * c));
  text.line(format(R"({{"tensor":6,"layout":6,"storage":0,"offset":{}}})", 3 * (c - 1)));
  text.op("aten.select", {x}, {row}, format(R"("dim":1,"index":{})", c - 1));
  return text.read();
}

// By hand, from (2, 8), (4, 8), (2, 12): batch 3, context 20.
TEST(StepSizes, BatchAndContextFromThreeRecordings) {
  const StepSizes sizes({prefill_of(2, 8), prefill_of(4, 8), prefill_of(2, 12)});
  const Recording r = sizes.at({3, 20});
  EXPECT_EQ(r.batch, 3);
  EXPECT_EQ(r.context, 20);
  EXPECT_EQ(r.layout_of(2).type.shape, (graph::Shape{3, 20, 20}));
  EXPECT_THAT(r.layout_of(3).strides, ElementsAre(400, 1, 20));  // a product of two extents
  EXPECT_EQ(r.layout_of(4).type.shape, (graph::Shape{60, 3}));   // batch x context
  EXPECT_EQ(r.ops[3].arguments.dump(), R"({"size":[60,3]})");
  EXPECT_EQ(r.storages[1].bytes, Bytes(4 * 3 * 20 * 20));
  EXPECT_EQ(r.storages[2].bytes, Bytes(448));  // 400 B of the mask, in steps of 64
  EXPECT_EQ(r.tensors[6].offset, 57);
  EXPECT_THAT(r.layout_of(6).strides, ElementsAre(60, 1));
  EXPECT_EQ(r.ops[5].arguments.dump(), R"({"dim":1,"index":19})");
  EXPECT_EQ(lowered_lines(r), lowered_lines(prefill_of(3, 20)));
}

TEST(StepSizes, OneOfBothAloneNeedsTwoRecordings) {
  const StepSizes by_context({prefill_of(2, 8), prefill_of(2, 12)});
  EXPECT_EQ(lowered_lines(by_context.at({2, 20})), lowered_lines(prefill_of(2, 20)));
  EXPECT_EQ(lowered_lines(by_context.at({std::nullopt, 20})), lowered_lines(prefill_of(2, 20)));
  const Error error = thrown_error(ErrorKind::input, [&] { (void)by_context.at({3, 8}); });
  EXPECT_EQ(std::string(error.what()),
            "no recording says what another batch changes: batch 3, context 8 follows from none");
  EXPECT_EQ(error.hint(), "record the step in batch 2, context 8 and another batch");
}

// The first that was named need not be the one that both others differ from in one size.
TEST(StepSizes, AnyOrderOfTheThree) {
  const StepSizes sizes({prefill_of(4, 8), prefill_of(2, 12), prefill_of(2, 8)});
  EXPECT_EQ(lowered_lines(sizes.at({3, 20})), lowered_lines(prefill_of(3, 20)));
  EXPECT_EQ(sizes.at({std::nullopt, 20}).batch, 4);
}

TEST(StepSizes, AFourthRecordingIsChecked) {
  const std::vector<Recording> three = {prefill_of(2, 8), prefill_of(4, 8), prefill_of(2, 12)};
  const auto with = [&three](Recording fourth) {
    std::vector<Recording> all = three;
    all.push_back(std::move(fourth));
    return all;
  };
  EXPECT_NO_THROW(StepSizes(with(prefill_of(3, 20))));
  Recording other = prefill_of(3, 21);
  other.context = 20;
  EXPECT_THAT(message_of(with(other), {2, 8}), HasSubstr("aten.transpose (op 0) has a tensor"));
  other = prefill_of(3, 20);
  other.ops[5].arguments = Json::parse(R"({"dim":1,"index":18})");
  EXPECT_THAT(message_of(with(other), {2, 8}),
              HasSubstr(R"(aten.select (op 5) has arguments {"dim":1,"index":18} in place of)"));
  other = prefill_of(3, 20);
  other.storages[2].bytes = Bytes(400);
  EXPECT_THAT(message_of(with(other), {2, 8}), HasSubstr("storage 2 has 400 B in place of 448 B"));
}

/// A step on a tensor of that extent.
Recording relu_of(std::int64_t batch, std::int64_t context, std::int64_t extent) {
  RecordingText text(with_size(batch, context));
  const int x = text.input("f32", {extent});
  text.op("aten.relu", {x}, {text.tensor("f32", {extent})});
  return text.read();
}

// (b + c) has no form f(b) g(c): 4, 6 and 6 give 9 at (4, 4), in place of 8; a fourth one tells.
TEST(StepSizes, ASumOfBothIsNoProduct) {
  const std::vector<Recording> three = {relu_of(2, 2, 4), relu_of(4, 2, 6), relu_of(2, 4, 6)};
  EXPECT_EQ(StepSizes(three).at({4, 4}).layout_of(0).type.shape, (graph::Shape{9}));
  std::vector<Recording> all = three;
  all.push_back(relu_of(4, 4, 8));
  EXPECT_THAT(message_of(all, {2, 2}), HasSubstr("aten.relu (op 0) has a tensor 8 in place of 9"));
  EXPECT_THAT(message_of(three, {3, 3}),  // 5 * 5 / 4
              HasSubstr("is 4 in batch 2, context 2 and 6 in batch 4, context 2 and 6 in batch 2,"
                        " context 4, and no whole number follows from that"));
}

// A batch of 1 that is expanded is one view, and two of a larger batch.
TEST(StepSizes, TensorsThatAreOneInASmallerSize) {
  const auto expanded = [](std::int64_t n) {
    RecordingText text(with_batch(n));
    const int x = text.input("f32", {1, 4});
    const int all = n == 1 ? x : text.view(x, "f32", {n, 4}, {0, 1});
    text.op("aten.expand", {x}, {all}, format(R"("size":[{},4])", n));
    text.op("aten.relu", {all}, {text.tensor("f32", {n, 4})});
    return text.read();
  };
  const StepSizes sizes({expanded(1), expanded(2)});
  EXPECT_EQ(lowered_lines(sizes.at({5, std::nullopt})), lowered_lines(expanded(5)));
}

TEST(StepSizes, RefusesOtherArguments) {
  const auto sliced = [](std::int64_t n, std::string_view arguments) {
    RecordingText text(with_batch(n));
    const int x = text.input("f32", {n});
    text.op("aten.slice", {x}, {x}, arguments);
    return text.read();
  };
  EXPECT_EQ(message_of(sliced(2, R"("end":2)"), sliced(4, R"("end":4,"step":2)"), 3),
            "5: the recordings are not of the same step: aten.slice (op 0) has other arguments");
  EXPECT_THAT(message_of(sliced(2, R"("mode":"a")"), sliced(4, R"("mode":"b")"), 3),
              HasSubstr("aten.slice (op 0) has other arguments"));
  EXPECT_EQ(
      interpolated(sliced(2, R"("end":2)"), sliced(4, R"("end":4)"), 3).ops[0].arguments.dump(),
      R"({"end":3})");
}

// ---- recordings of programs, made with PyTorch 1.13 on a CPU by tests/data/recordings/make.py

Recording program_step(const std::string& name, std::int64_t batch, std::int64_t context) {
  return read_recording(format("{}/tests/data/recordings/{}-b{}-c{}.rec.jsonl.gz",
                               ROOFLAB_SOURCE_DIR, name, batch, context));
}

// A step that writes one token behind `context` others: a cache of context + 64 tokens, views of
// context + 1.
TEST(StepSizes, TheDecoderInAFourthSizeIsTheRecordedOne) {
  const StepSizes sizes({program_step("decode", 2, 24), program_step("decode", 4, 24),
                         program_step("decode", 2, 40)});
  const Recording fourth = program_step("decode", 3, 56);
  const Recording follows = sizes.at({3, 56});
  EXPECT_EQ(lowered_lines(follows), lowered_lines(fourth));
  for (std::size_t i = 0; i < fourth.storages.size(); ++i) {
    EXPECT_EQ(follows.storages[i].bytes, fourth.storages[i].bytes) << i;
  }
  EXPECT_NO_THROW(StepSizes({program_step("decode", 2, 24), program_step("decode", 4, 24),
                             program_step("decode", 2, 40), fourth}));
}

// A training step of `context` tokens: scores of context x context, rows of batch x context.
TEST(StepSizes, TheTrainedLlamaInAFourthSizeIsTheRecordedOne) {
  const StepSizes sizes(
      {program_step("llama", 2, 16), program_step("llama", 4, 16), program_step("llama", 2, 24)});
  const Recording fourth = program_step("llama", 3, 40);
  EXPECT_EQ(lowered_lines(sizes.at({3, 40})), lowered_lines(fourth));
  EXPECT_NO_THROW(StepSizes({program_step("llama", 2, 16), program_step("llama", 4, 16),
                             program_step("llama", 2, 24), fourth}));
}

}  // namespace
}  // namespace rooflab::recording
