// Steps with messages, worked out by hand: ReLUs of whole milliseconds, and all-reduces over two
// devices of a link on which 1 MB takes 1 ms.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/note_matchers.hpp"
#include "base/format.hpp"
#include "calibrated_device.hpp"
#include "notes/predict_notes.hpp"
#include "op_tables.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/predict/time_model.hpp"
#include "toy_model.hpp"

namespace rooflab::predict {
namespace {

using schedule::CollectiveWork;
using schedule::Schedule;
using schedule::ScheduledOp;
using schedule::TensorId;

constexpr double near = 0.02 * ms;
constexpr std::int64_t elements_of_1ms = 125'000'000;  // 8 bytes each: read and written

/// ReLUs on separate tensors.
Schedule relus(const std::vector<std::int64_t>& milliseconds) {
  graph::GraphBuilder b("net");
  std::vector<graph::ValueId> results;
  for (std::size_t i = 0; i < milliseconds.size(); ++i) {
    const graph::ValueId x = b.parameter(format("x{}", i), {milliseconds[i] * elements_of_1ms});
    results.push_back(b.unary(x, graph::UnaryFunction::relu, "op"));
  }
  return schedule::lower(std::move(b).finish(results), {});
}

/// A sum that takes so long, before the op at that place.
void insert_message(Schedule& s, std::size_t place, std::int64_t milliseconds, TensorId reads,
                    TensorId writes, bool beside = true) {
  ScheduledOp op;
  op.work = CollectiveWork{Collective::all_reduce, 2, Bytes(milliseconds * 1'000'000)};
  op.reads = {reads};
  op.writes = {writes};
  op.beside = beside;
  s.ops.insert(s.ops.begin() + static_cast<std::ptrdiff_t>(place), std::move(op));
}

LinkModel link_of_two() {
  device::Link link{.id = "toy", .name = "Toy", .source = "", .latency_source = ""};
  link.bandwidth = 1e9;
  link.multiprocessors = 0;  // kernels are not slowed
  return LinkModel(link);
}

StepTime predicted(const Schedule& s, const LinkModel* link) {
  const TimeModel model = model_of({{"relu.forward.f32", plain_table("relu", 1e-12, 1e-12, 1e-6)}});
  return predict_step(s, model, {.link = link});
}

struct Expected {
  double time_s, communication_s, hidden_s;
};

void expect(const Schedule& s, const Expected& expected) {
  const LinkModel link = link_of_two();
  const StepTime step = predicted(s, &link);
  EXPECT_NEAR(step.time.value, expected.time_s, near);
  ASSERT_TRUE(step.communication && step.communication->time && step.communication->hidden);
  EXPECT_NEAR(step.communication->time->value, expected.communication_s, near);
  EXPECT_NEAR(step.communication->hidden->value, expected.hidden_s, near);
}

// Nothing that the first ReLU makes is sent, so the message runs at the same time although it was
// issued behind it: 3 ms, then 2 ms.
TEST(ExchangingStep, AMessageOfWhatIsThereRunsBesideEarlierKernels) {
  Schedule s = relus({3, 2});
  const TensorId operand = s.ops[1].reads[0];
  insert_message(s, 1, 1, operand, operand);
  expect(s, {5 * ms, 1 * ms, 1 * ms});
}

// 3 ms of kernel during 4 ms of message; the second ReLU waits for the last of them.
TEST(ExchangingStep, AKernelWaitsForWhatItReads) {
  Schedule s = relus({3, 2});
  const TensorId operand = s.ops[1].reads[0];
  insert_message(s, 1, 4, operand, operand);
  expect(s, {6 * ms, 4 * ms, 3 * ms});
}

// The message sends what the first ReLU made.
TEST(ExchangingStep, AMessageWaitsForWhatItSends) {
  Schedule s = relus({3, 2});
  insert_message(s, 1, 1, s.ops[0].writes[0], s.ops[1].reads[0]);
  expect(s, {6 * ms, 1 * ms, 0.0});
}

// The third ReLU runs meanwhile: 3 + 2, then 1 of 4 ms are left when the second one needs it.
TEST(ExchangingStep, KernelsThatNeedNothingOfItGoOn) {
  Schedule s = relus({3, 3, 2});
  insert_message(s, 1, 4, s.ops[0].writes[0], s.ops[2].reads[0]);
  expect(s, {9 * ms, 4 * ms, 3 * ms});
}

TEST(ExchangingStep, OnTheStreamOfTheKernelsTheyWaitAtOnce) {
  Schedule s = relus({3, 2});
  const TensorId operand = s.ops[1].reads[0];
  insert_message(s, 1, 1, operand, operand, false);
  expect(s, {6 * ms, 1 * ms, 0.0});
}

// Two messages of what is there: the second starts when the first has ended, 2 + 2 ms, and the
// second kernel behind it.
TEST(ExchangingStep, MessagesFollowEachOther) {
  Schedule s = relus({1, 1});
  const TensorId operand = s.ops[1].reads[0];
  insert_message(s, 0, 2, s.ops[0].reads[0], s.ops[0].reads[0]);
  insert_message(s, 1, 2, operand, operand);
  expect(s, {5 * ms, 4 * ms, 1 * ms});
}

// During an all-reduce the kernel takes twice as long: 2 ms of it while 1 ms of message runs.
TEST(ExchangingStep, KernelsBesideMessagesAreSlowed) {
  Schedule s = relus({3, 2});
  const TensorId operand = s.ops[1].reads[0];
  insert_message(s, 1, 1, operand, operand);
  LinkModel link = link_of_two();
  link.add(std::vector<device::Overlap>{{.ranks = 2, .product = 2.0, .copy = 2.0}});
  // In the first 1 ms half a millisecond of kernel is done: 3 - 0.5 are left.
  EXPECT_NEAR(predicted(s, &link).time.value, 5.5 * ms, near);
}

TEST(ExchangingStep, WithoutALinkMessagesAreLeftOut) {
  Schedule s = relus({3, 2});
  insert_message(s, 1, 1, s.ops[0].writes[0], s.ops[1].reads[0]);
  const StepTime step = predicted(s, nullptr);
  EXPECT_NEAR(step.time.value, 5 * ms, near);
  ASSERT_FALSE(step.notes.empty());
  EXPECT_EQ(step.notes.back().code, NoteCode(says.exchange_without_link));
  ASSERT_TRUE(step.communication);
  EXPECT_EQ(step.communication->messages, 1);
  EXPECT_EQ(step.communication->bytes, Bytes(1'000'000));
  EXPECT_EQ(step.communication->time, std::nullopt);
  EXPECT_EQ(step.communication->hidden_share(), std::nullopt);
}

TEST(ExchangingStep, SaysWhatItExchanges) {
  Schedule s = relus({3, 2});
  insert_message(s, 1, 1, s.ops[0].writes[0], s.ops[1].reads[0]);
  const LinkModel link = link_of_two();
  const StepTime step = predicted(s, &link);
  ASSERT_FALSE(step.notes.empty());
  EXPECT_EQ(step.notes.front().code, NoteCode(says.step_exchanges));
  EXPECT_EQ(step.notes.front().text(),
            "a step sends 1 message among 2 devices, 1 MB in all, which takes 1 ms alone, 0 % of it"
            " behind other work; the link is toy");
}

// The datasheet's link errs by 0.42 (of the logarithm), here on 1 of 6 ms, and nobody measured
// slowdowns, which are 1 here: half of log(T(1 ms * e^0.42) / T(1 ms / e^0.42)) is 0.072.
TEST(ExchangingStep, AnUncertainLinkWidensTheInterval) {
  Schedule s = relus({3, 2});
  insert_message(s, 1, 1, s.ops[0].writes[0], s.ops[1].reads[0]);
  const LinkModel link = link_of_two();
  const StepTime with = predicted(s, &link);
  const StepTime without = predicted(relus({3, 2}), &link);
  const double own = std::log(without.high.value / without.time.value) * 5.0 / 6.0;
  const double expected = std::hypot(own, 1.645 * 0.0723);
  EXPECT_NEAR(std::log(with.high.value / with.time.value), expected, 0.01);
}

}  // namespace
}  // namespace rooflab::predict
