#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/thrown_error.hpp"
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

std::string message_of(const Recording& one, const Recording& other, std::int64_t batch) {
  const Error error =
      thrown_error(ErrorKind::input, [&] { (void)interpolated(one, other, batch); });
  EXPECT_EQ(error.hint(), "record the batch that you want");
  EXPECT_EQ(error.location().file, other.file);
  return format("{}: {}", error.location().line.value_or(0), error.what());
}

TEST(Interpolation, ExtentsStridesAndBytesOfABatchBetween) {
  const Recording r = interpolated(step_of(2), step_of(8), 6);
  EXPECT_EQ(r.batch, 6);
  EXPECT_EQ(r.layout_of(0).type.shape, (graph::Shape{6, 4}));
  EXPECT_EQ(r.layout_of(1).type.shape, (graph::Shape{4, 6}));
  EXPECT_THAT(r.layout_of(1).strides, ElementsAre(1, 4));
  EXPECT_EQ(r.storages[0].bytes, Bytes(6 * 4 * 4));
}

// A matrix of batch x batch grows with the square: from its extents, not on a line.
TEST(Interpolation, AMatrixOfTheBatchSquared) {
  const Recording r = interpolated(step_of(2), step_of(8), 6);
  EXPECT_EQ(r.layout_of(2).type.shape, (graph::Shape{6, 6}));
  EXPECT_THAT(r.layout_of(2).strides, ElementsAre(6, 1));
  EXPECT_THAT(r.layout_of(3).strides, ElementsAre(1, 6));
  EXPECT_EQ(r.storages[1].bytes, Bytes(6 * 6 * 4));
}

TEST(Interpolation, SizesThatNoTensorFillsAreOnTheLine) {
  const Recording r = interpolated(step_of(2), step_of(8), 6);
  EXPECT_EQ(r.storages[2].bytes, Bytes(512 + 8 * 6));
  EXPECT_EQ(r.tensors[4].offset, 12);
}

TEST(Interpolation, ABatchBeyondTheTwoAndTheTwoThemselves) {
  const Recording two = step_of(2);
  const Recording eight = step_of(8);
  for (const std::int64_t batch : {1, 2, 8, 100}) {
    EXPECT_NO_THROW(check_equal(interpolated(two, eight, batch), step_of(batch))) << batch;
    EXPECT_EQ(interpolated(two, eight, batch).storages[1].bytes, Bytes(4 * batch * batch));
    EXPECT_EQ(interpolated(eight, two, batch).layout_of(0).type.shape, (graph::Shape{batch, 4}));
  }
}

TEST(Interpolation, LoweredItIsTheRecordedStep) {
  const schedule::Schedule between = lower(interpolated(step_of(2), step_of(8), 6));
  EXPECT_EQ(entry_lines(between), entry_lines(lower(step_of(6))));
}

TEST(Interpolation, RefusesRecordingsOfOtherSteps) {
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

TEST(Interpolation, RefusesOtherOperands) {
  const auto sum_of = [](std::int64_t n, bool twice) {
    RecordingText text(with_batch(n));
    const int x = text.input("f32", {n});
    const int y = text.input("f32", {n});
    text.op("aten.add", {x, twice ? x : y}, {text.tensor("f32", {n})});
    return text.read();
  };
  EXPECT_THAT(message_of(sum_of(2, false), sum_of(4, true), 3),
              HasSubstr("op 0 (aten.add) has other operands"));
}

TEST(Interpolation, RefusesANumberThatIsNotWhole) {
  const auto rows = [](std::int64_t n, std::int64_t extent) {
    RecordingText text(with_batch(n));
    const int x = text.input("f32", {extent});
    text.op("aten.relu", {x}, {text.tensor("f32", {extent})});
    return text.read();
  };
  EXPECT_EQ(message_of(rows(2, 1), rows(4, 2), 3),
            "1: the recordings are not of the same step: an extent of tensor 0 (1) is 1 in batch 2"
            " and 2 in batch 4, and not whole in batch 3");
  EXPECT_THAT(message_of(rows(4, 1), rows(8, 9), 2), HasSubstr("would be out of range in batch 2"));
  EXPECT_THAT(message_of(rows(2, 2), rows(2, 2), 2), HasSubstr("both have batch 2"));
}

TEST(Interpolation, RefusesARecordingWithoutABatch) {
  RecordingText text;
  EXPECT_THAT(message_of(step_of(2), text.read(), 4), HasSubstr("does not say its batch"));
}

// The recorder asks for frees now and then, so that they may come late.
TEST(Interpolation, ALateFreeMakesNoOtherStep) {
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

TEST(Interpolation, AThirdRecordingMustLieOnTheLine) {
  const Recording between = interpolated(step_of(2), step_of(8), 6);
  EXPECT_NO_THROW(check_equal(between, step_of(6)));
  EXPECT_THAT(thrown_message(ErrorKind::input, [&] { check_equal(between, step_of(5)); }),
              HasSubstr("its extents do not lie on one line"));
}

}  // namespace
}  // namespace rooflab::recording
