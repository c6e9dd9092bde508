// Steps of a few ops whose times are whole milliseconds, worked out by hand. Figures of the queue's
// own (a latency of microseconds) are below what is compared.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

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

using graph::GraphBuilder;
using graph::UnaryFunction;
using graph::ValueId;

constexpr double s_per_byte = 1e-12;
constexpr std::int64_t elements_1ms = 125'000'000;  // 8 bytes each: read and written
constexpr double tolerance = 0.02 * ms;

/// ReLUs of `milliseconds` each, one after another on separate tensors, or of another function.
schedule::Schedule functions(const std::vector<std::int64_t>& milliseconds,
                             const std::vector<UnaryFunction>& which = {}, Phase phase = {}) {
  GraphBuilder b("net");
  std::vector<ValueId> results;
  for (std::size_t i = 0; i < milliseconds.size(); ++i) {
    const ValueId x = b.parameter(format("x{}", i), {milliseconds[i] * elements_1ms});
    results.push_back(b.unary(x, which.empty() ? UnaryFunction::relu : which[i], "op"));
  }
  return schedule::lower(std::move(b).finish(results), {.phase = phase});
}

Tables tables(double deviation = 1e-6) {
  return {{"relu.forward.f32", plain_table("relu", 1e-12, s_per_byte, deviation)},
          {"gelu.forward.f32", plain_table("gelu", 1e-12, s_per_byte, deviation)}};
}

device::HostCosts host_of(double unary_s) {
  device::HostCosts host;
  host.ops["unary"] = {unary_s, unary_s, unary_s};
  return host;
}

StepTime predicted(const schedule::Schedule& schedule, const device::HostCosts* host = nullptr,
                   Tables measured = tables()) {
  const TimeModel model = model_of(std::move(measured));
  return predict_step(schedule, model, {.host = host});
}

// ---- two queues

TEST(StepTime, WithoutAHostIsTheSumOfTheOps) {
  const StepTime step = predicted(functions({1, 3}));
  EXPECT_NEAR(step.time.value, 4 * ms, tolerance);
  EXPECT_NEAR(step.device.value, 4 * ms, tolerance);
  EXPECT_EQ(step.host.value, 0.0);
  EXPECT_FALSE(step.host_bound());
  ASSERT_EQ(step.ops.size(), 2U);
  EXPECT_NEAR(step.ops[1].start_s, 1 * ms, tolerance);
  EXPECT_NEAR(step.ops[1].end_s, 4 * ms, tolerance);
}

// Issued at 5 and 10 ms of every 10; the second one ends at 11, so the next step's first op starts
// 4 ms later.
TEST(StepTime, BoundByTheHost) {
  const device::HostCosts host = host_of(5 * ms);
  const StepTime step = predicted(functions({1, 1}), &host);
  EXPECT_NEAR(step.time.value, 10 * ms, tolerance);
  EXPECT_NEAR(step.host.value, 10 * ms, tolerance);
  EXPECT_NEAR(step.device.value, 2 * ms, tolerance);
  EXPECT_TRUE(step.host_bound());
  EXPECT_NEAR(step.ops[0].start_s, 4 * ms, tolerance);
  EXPECT_NEAR(step.ops[0].issue_s, 5 * ms, tolerance);
}

// The host issues the next step while the device is busy with this one.
TEST(StepTime, BoundByTheDevice) {
  device::HostCosts host = host_of(0.1 * ms);
  StepTime step = predicted(functions({2, 3}), &host);
  EXPECT_NEAR(step.time.value, 5 * ms, tolerance);
  EXPECT_FALSE(step.host_bound());
  EXPECT_NEAR(step.ops[0].start_s, 0.0, tolerance);
  host.step_s = 0.5 * ms;  // once a step
  step = predicted(functions({2, 3}), &host);
  EXPECT_NEAR(step.time.value, 5 * ms, tolerance);
  EXPECT_NEAR(step.host.value, 0.7 * ms, tolerance);
}

// Issued at 3, 6, 9, 12; ops of 1, 1, 8 and 8 ms: 3-4, 6-7, 9-17, 17-25 from an idle device. The
// host issues the next step by 24, while the device still has work: from then on it takes 18.
TEST(StepTime, TheHostGetsAheadFromStepToStep) {
  const device::HostCosts host = host_of(3 * ms);
  const StepTime step = predicted(functions({1, 1, 8, 8}), &host);
  EXPECT_NEAR(step.time.value, 18 * ms, tolerance);
  EXPECT_NEAR(step.device.value, 18 * ms, tolerance);
  EXPECT_NEAR(step.host.value, 12 * ms, tolerance);
  EXPECT_FALSE(step.host_bound());
}

// A step whose last work is the host's ends with the host.
TEST(StepTime, ViewsCostTheHostOnly) {
  GraphBuilder b("net");
  const ValueId x = b.unary(b.parameter("x", {elements_1ms, 1}), UnaryFunction::relu, "op");
  const ValueId y = b.transpose(x, {1, 0}, "turn");
  const schedule::Schedule schedule = schedule::lower(std::move(b).finish({y}), {});
  device::HostCosts host = host_of(1 * ms);
  host.ops["view"] = {4 * ms, {}, {}};
  const StepTime step = predicted(schedule, &host);
  EXPECT_NEAR(step.time.value, 5 * ms, tolerance);
  EXPECT_NEAR(step.device.value, 1 * ms, tolerance);
  ASSERT_EQ(step.ops.size(), 2U);
  EXPECT_EQ(step.ops[1].device.time_s, 0.0);
}

// ---- what the host pays

TEST(StepTime, RecordingAndBackwardHaveCostsOfTheirOwn) {
  device::HostCosts host;
  host.ops["unary"] = {1 * ms, 2 * ms, 4 * ms};
  const schedule::Schedule inference = functions({1, 1});
  const schedule::Schedule forward = functions({1, 1}, {}, Phase::forward);
  EXPECT_NEAR(predicted(inference, &host).host.value, 2 * ms, tolerance);
  EXPECT_NEAR(predicted(forward, &host).host.value, 4 * ms, tolerance);
}

// A linear layer in autocast is two casts of 1 ms each (weight and bias; its operand is half
// already) and an op of 5 ms, which costs 3 ms elsewhere.
TEST(StepTime, AutocastChangesWhatAnOpCosts) {
  device::HostCosts host;
  host.ops["linear"] = {3 * ms, {}, {}};
  host.ops["cast"] = {1 * ms, {}, {}};
  host.autocast["linear"] = {5 * ms, {}, {}};
  const auto issued = [&host](Precision precision) {
    GraphBuilder b("net");
    const ValueId x = b.add(graph::Cast{DType::bf16}, {b.input("x", {64, 64})}, "half");
    const ValueId y = b.linear(x, "fc", 64);
    return predicted(schedule::lower(std::move(b).finish({y}), {.precision = precision}), &host)
        .host.value;
  };
  EXPECT_NEAR(issued(Precision::amp), 8 * ms, 0.1 * ms);
  EXPECT_NEAR(issued(Precision::fp32), 4 * ms, 0.1 * ms);
}

/// Milliseconds that the host pays for evaluating what `build` makes of two operands [2, 4, 8, 8].
double issued_ms(const device::HostCosts& host,
                 const std::function<ValueId(GraphBuilder&, ValueId, ValueId)>& build) {
  GraphBuilder b("net");
  const ValueId x = b.input("x", {2, 4, 8, 8});
  const ValueId y = b.input("y", {2, 4, 8, 8});
  const ValueId result = build(b, x, y);
  return predicted(schedule::lower(std::move(b).finish({result}), {}), &host).host.value / ms;
}

// The reshape of a transposed map is a view and a copy, 1 + 2 ms, behind the transpose's 1 ms.
TEST(StepTime, AReshapeThatCopiesIsAViewAndACopy) {
  device::HostCosts host;
  host.ops["view"] = {1 * ms, {}, {}};
  host.ops["copy"] = {2 * ms, {}, {}};
  const auto reshaped = [&host](const std::vector<std::int64_t>& order) {
    return issued_ms(host, [order](GraphBuilder& b, ValueId x, ValueId /*y*/) {
      return b.reshape(b.transpose(x, order, "turn"), {8, 64}, "flat");
    });
  };
  EXPECT_NEAR(reshaped({0, 2, 1, 3}), 4.0, 1e-9);
  EXPECT_NEAR(reshaped({0, 1, 2, 3}), 2.0, 1e-9);
}

// A product of a transposed operand copies it first: 1 + 2 + 4 ms.
TEST(StepTime, ACopyOfAnOperandIsACallOfItsOwn) {
  device::HostCosts host;
  host.ops["view"] = {1 * ms, {}, {}};
  host.ops["copy"] = {2 * ms, {}, {}};
  host.ops["matmul"] = {4 * ms, {}, {}};
  EXPECT_NEAR(issued_ms(host,
                        [](GraphBuilder& b, ValueId x, ValueId y) {
                          const ValueId turned = b.transpose(x, {0, 2, 1, 3}, "turn");
                          const ValueId other = b.transpose(y, {0, 2, 3, 1}, "turn");
                          return b.add(graph::MatMul{}, {turned, other}, "product");
                        }),
              2 * 1.0 + 2 * 2.0 + 4.0, 1e-9);
}

// Costs that lack the class of a node, or of its op, count a wider one.
TEST(StepTime, AWiderClassStandsForOneThatIsMissing) {
  const auto masked = [](GraphBuilder& b, ValueId x, ValueId y) {
    const ValueId sum = b.binary(x, y, graph::BinaryFunction::add, "add");
    b.issue_as("shift_mask");
    return sum;
  };
  const auto padded = [](GraphBuilder& b, ValueId x, ValueId /*y*/) {
    return b.add(graph::Pad{{0, 0, 0, 0}, {0, 0, 1, 1}}, {x}, "pad");
  };
  device::HostCosts host;
  host.ops["binary"] = {1 * ms, {}, {}};
  host.ops["copy"] = {2 * ms, {}, {}};
  EXPECT_NEAR(issued_ms(host, masked), 1.0, 1e-9);
  EXPECT_NEAR(issued_ms(host, padded), 2.0, 0.1);  // and launches
  host.ops["shift_mask"] = {8 * ms, {}, {}};
  host.ops["pad"] = {3 * ms, {}, {}};
  EXPECT_NEAR(issued_ms(host, masked), 8.0, 1e-9);
  EXPECT_NEAR(issued_ms(host, padded), 3.0, 1e-9);  // the class has all launches
}

/// A linear layer of 2 tensors, trained.
schedule::Schedule trained(schedule::Optimizer optimizer) {
  GraphBuilder b("net");
  const ValueId y = b.linear(b.input("x", {64, 64}), "fc", 64);
  return schedule::lower(std::move(b).finish({y}),
                         {.phase = Phase::training, .optimizer = optimizer});
}

// 2 ms forward, 3 ms backward (weight and bias gradient are one node's), 5 ms loss, an optimizer's
// 7 ms and 1 ms for each of 2 tensors, 1 ms for the step: 20.
TEST(StepTime, ATrainingStepPaysEverythingOnce) {
  device::HostCosts host;
  host.ops["linear"] = {1 * ms, 2 * ms, 3 * ms};
  host.optimizer_fixed_s["sgd-momentum"] = 7 * ms;
  host.optimizer_per_tensor_s["sgd-momentum"] = 1 * ms;
  host.loss_s = 5 * ms;
  host.step_s = 1 * ms;
  const StepTime step = predicted(trained(schedule::Optimizer::sgd_momentum), &host);
  EXPECT_NEAR(step.host.value, 20 * ms, 0.1 * ms);
}

// In evaluation a module of attention is one call with one time, whatever its nodes are; in
// training its nodes run one by one.
TEST(StepTime, AnAttentionModuleIsOneCallInEvaluation) {
  const auto network = [](Phase phase) {
    GraphBuilder b("net");
    const ValueId y = graph::add_attention_module(b, b.parameter("x", {4, 8, 16}), 2);
    return schedule::lower(std::move(b).finish({y}), {.phase = phase});
  };
  Tables measured = tables();
  const std::string kind = "attention_module.forward.fp32";
  measured[kind] = product_table(kind, 7 * ms, 1e-30, 1e-30);
  device::HostCosts host;
  host.ops["attention_module"] = {2 * ms, {}, {}};
  host.ops["linear"] = {1 * ms, 1 * ms, 1 * ms};
  const StepTime step = predicted(network(Phase::inference), &host, measured);
  EXPECT_NEAR(step.device.value, 7 * ms, tolerance);
  EXPECT_NEAR(step.host.value, 2 * ms, tolerance);
  ASSERT_EQ(step.kinds.size(), 1U);
  EXPECT_EQ(step.kinds[0].kind, kind);
  for (const KindShare& share : predicted(network(Phase::forward), &host, measured).kinds) {
    EXPECT_NE(share.kind, kind);
  }
}

// ---- calls of modules

/// ReLUs of a millisecond with these scope paths, in order.
schedule::Schedule named(const std::vector<std::string>& names, Phase phase = {}) {
  GraphBuilder b("net");
  std::vector<ValueId> results;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ValueId x = b.parameter(format("x{}", i), {elements_1ms});
    results.push_back(b.unary(x, UnaryFunction::relu, names[i]));
  }
  return schedule::lower(std::move(b).finish(results), {.phase = phase});
}

/// What calls of modules of 1 ms add to the issue of each op.
std::vector<double> calls_in(const schedule::Schedule& schedule) {
  device::HostCosts host = host_of(0.0);
  host.module_call_s = 1 * ms;
  std::vector<double> calls;
  for (const OpTime& op : predicted(schedule, &host).ops) calls.push_back(op.issue_s / ms);
  return calls;
}

// A block of ResNet: `layer1` and `layer1.0` are called with the first op in them, `layer1.1` with
// its own first one; `conv1`, `relu` and what a forward computes itself (`add`) are not modules
// around others.
TEST(StepTime, AModuleIsCalledWithTheFirstOpInIt) {
  EXPECT_THAT(calls_in(named({"conv1", "layer1.0.conv1", "layer1.0.add", "layer1.1.conv1",
                              "layer1.1.downsample.0", "layer1.1.downsample.1", "fc"})),
              testing::ElementsAre(0, 2, 0, 1, 1, 0, 0));
}

// Hugging Face's BERT: `bert`, `encoder`, `layer`, `0`, `attention` and `self` (the list `layer` is
// not called, once for the network); then `output` in `attention`; then `intermediate`; then
// `output` and the next layer with `attention` and `self`.
TEST(StepTime, DeepModulesPayForEveryLevel) {
  EXPECT_THAT(
      calls_in(named(
          {"bert.encoder.layer.0.attention.self.query", "bert.encoder.layer.0.attention.self.key",
           "bert.encoder.layer.0.attention.output.dense", "bert.encoder.layer.0.intermediate.dense",
           "bert.encoder.layer.0.output.dense", "bert.encoder.layer.1.attention.self.query"})),
      testing::ElementsAre(6, 0, 1, 1, 1, 3));
}

// Called again after something else ran: two calls.
TEST(StepTime, AModuleThatIsLeftIsCalledAgain) {
  EXPECT_THAT(calls_in(named({"a.one", "b", "a.two"})), testing::ElementsAre(1, 0, 1));
}

// The backward pass goes through `b` and `a` again and calls neither; without the figure nothing is
// charged.
TEST(StepTime, OnlyTheForwardPassCallsModules) {
  const schedule::Schedule schedule = named({"a.b.one", "a.c.two"}, Phase::forward);
  device::HostCosts host = host_of(1 * ms);
  EXPECT_NEAR(predicted(schedule, &host).host.value, 2 * ms, tolerance);
  host.module_call_s = 1 * ms;
  EXPECT_NEAR(predicted(schedule, &host).host.value, 5 * ms, tolerance);
  GraphBuilder b("net");
  const ValueId x = b.linear(b.input("x", {64, 64}), "a.fc", 64);
  const ValueId y = b.linear(x, "b.fc", 64);
  const schedule::Schedule training =
      schedule::lower(std::move(b).finish({y}), {.phase = Phase::training});
  host.ops["linear"] = {1 * ms, 1 * ms, 1 * ms};
  const double with = predicted(training, &host).host.value;
  host.module_call_s.reset();
  EXPECT_NEAR(with - predicted(training, &host).host.value, 2 * ms, 1e-9);
}

// Autocast's casts are named `a.fc.cast`, and belong to the linear layer `a.fc`: `a` is the one
// module around others.
TEST(StepTime, CastsOfAutocastEnterNoModule) {
  GraphBuilder b("net");
  const ValueId y = b.linear(b.input("x", {64, 64}), "a.fc", 64);
  const schedule::Schedule schedule =
      schedule::lower(std::move(b).finish({y}), {.precision = Precision::amp});
  device::HostCosts host;
  host.ops["linear"] = host.ops["cast"] = {1 * ms, {}, {}};
  const double without = predicted(schedule, &host).host.value;
  host.module_call_s = 1 * ms;
  EXPECT_NEAR(predicted(schedule, &host).host.value - without, 1 * ms, 1e-9);
}

// nn.MultiheadAttention in evaluation: its own call is in the cost of the class, that of the
// encoder around it is not. In training, or where only the op was measured, it is a module of
// modules.
TEST(StepTime, AnAttentionModulesOwnCallIsInItsCost) {
  const auto calls = [](Phase phase, const char* host_class) {
    GraphBuilder b("net");
    ValueId y = b.parameter("x", {4, 8, 16});
    {
      const auto scope = b.scope("encoder.self_attention");
      y = graph::add_attention_module(b, y, 2);
    }
    const schedule::Schedule schedule = schedule::lower(std::move(b).finish({y}), {.phase = phase});
    device::HostCosts host;
    host.ops[host_class] = {1 * ms, {}, {}};
    const double without = predicted(schedule, &host).host.value;
    host.module_call_s = 1 * ms;
    return (predicted(schedule, &host).host.value - without) / ms;
  };
  EXPECT_NEAR(calls(Phase::inference, "attention_module"), 1.0, 1e-9);
  EXPECT_NEAR(calls(Phase::inference, "attention"), 2.0, 1e-9);
  EXPECT_NEAR(calls(Phase::forward, "attention_module"), 2.0, 1e-9);
}

// ---- operations of tensor subclasses

// 1 ms of each op, and 2 x 2 ms, 5 ms in the backward pass, 2 ms of the optimizer.
TEST(StepTime, AnOperationThatAWrapperTookApartCostsTheHostMore) {
  schedule::Schedule s = functions({1, 1, 1});
  s.ops[0].wrapped = 2;
  s.ops[1].wrapped = s.ops[2].wrapped = 1;
  s.ops[1].pass = schedule::Pass::backward;
  s.ops[2].pass = schedule::Pass::optimizer;
  device::HostCosts host = host_of(1 * ms);
  host.ops["wrapped"] = {2 * ms, 3 * ms, 5 * ms};
  const StepTime step = predicted(s, &host);
  EXPECT_NEAR(step.ops[0].issue_s, 5 * ms, tolerance);
  EXPECT_NEAR(step.ops[1].issue_s, 6 * ms, tolerance);
  EXPECT_NEAR(step.ops[2].issue_s, 3 * ms, tolerance);
  EXPECT_THAT(step.notes, testing::Not(testing::Contains(HasCode(says.wrapped_ops_unknown))));
}

// 50 x 0.12 ms more than the two ops' 0.2 ms, where the device takes 2 ms.
TEST(StepTime, WhereTheirCostIsUnknownTheIntervalHasTheMost) {
  schedule::Schedule s = functions({1, 1});
  s.ops[1].wrapped = 50;
  const device::HostCosts host = host_of(0.1 * ms);
  const StepTime step = predicted(s, &host);
  EXPECT_NEAR(step.time.value, 2 * ms, tolerance);
  EXPECT_EQ(step.low.value, predicted(functions({1, 1}), &host).low.value);
  EXPECT_NEAR(step.high.value, 6.2 * ms, tolerance);
  ASSERT_FALSE(step.notes.empty());
  EXPECT_EQ(step.notes.back().code, NoteCode(says.wrapped_ops_unknown));
  EXPECT_EQ(predicted(s).notes.size(), 0U);  // nothing is said of a host that is left out
}

// ---- the optimizer

// All passes together were measured as one step, so they take one step together, whatever their
// number: 64 x 64 + 64 elements of 16 bytes each.
TEST(StepTime, TheOptimizersPassesAreOneStep) {
  for (const schedule::Optimizer optimizer :
       {schedule::Optimizer::sgd, schedule::Optimizer::sgd_momentum, schedule::Optimizer::adam}) {
    const std::string name = "optimizer_" + std::string(name_of(optimizer));
    Tables measured = tables();
    measured[name + ".step.f32"] = plain_table(name, 7 * ms, s_per_byte);
    const schedule::Schedule schedule = trained(optimizer);
    const StepTime step = predicted(schedule, nullptr, measured);
    double sum = 0.0;
    for (std::size_t i = 0; i < schedule.ops.size(); ++i) {
      if (schedule.ops[i].pass == schedule::Pass::optimizer) sum += step.ops[i].device.time_s;
    }
    EXPECT_NEAR(sum, 7 * ms, 1e-3 * ms) << name;
  }
}

// ---- loss scaling

// 64 x 64 weights and 64 biases. The host waits until the device has done the 20 ms of the weight's
// gradient; only then it issues the optimizer, which takes it 7 ms, and the update of the scale. In
// bf16 it has issued them long before.
TEST(StepTime, TheHostWaitsForTheFlagOfLossScaling) {
  const auto step_in = [](Precision precision) {
    GraphBuilder b("net");
    const ValueId y = b.linear(b.input("x", {64, 64}), "fc", 64);
    const schedule::Schedule schedule = schedule::lower(
        std::move(b).finish({y}),
        {.phase = Phase::training, .precision = precision, .optimizer = schedule::Optimizer::sgd});
    device::HostCosts host;
    host.optimizer_fixed_s["sgd"] = 7 * ms;
    Tables measured = tables();
    const std::string kind = "linear.weight_gradient.bf16";
    measured[kind] = product_table(kind, 20 * ms, 1e-30, 1e-30);
    return predicted(schedule, &host, measured);
  };
  const StepTime bf16 = step_in(Precision::amp);
  const StepTime fp16 = step_in(Precision::amp_fp16);
  constexpr double launches = 0.2 * ms;  // of everything that this test does not name
  EXPECT_NEAR(bf16.time.value, 20 * ms, launches);
  EXPECT_NEAR(fp16.time.value, 27 * ms, launches);
  EXPECT_NEAR(fp16.host.value, 7 * ms, launches);  // without the time that it waits
  EXPECT_NEAR(fp16.host.value - bf16.host.value, 11 * 3e-6, 1e-7);  // 11 launches
}

// The optimizer's passes are still one separate step.
TEST(StepTime, LossScalingIsNoPartOfTheOptimizersStep) {
  GraphBuilder b("net");
  const ValueId y = b.linear(b.input("x", {64, 64}), "fc", 64);
  const schedule::Schedule schedule = schedule::lower(
      std::move(b).finish({y}), {.phase = Phase::training, .precision = Precision::amp_fp16});
  Tables measured = tables();
  const std::string name = "optimizer_sgd-momentum";
  measured[name + ".step.f32"] = plain_table(name, 7 * ms, s_per_byte);
  const StepTime step = predicted(schedule, nullptr, measured);
  double sum = 0.0;
  for (std::size_t i = 0; i < schedule.ops.size(); ++i) {
    if (std::holds_alternative<schedule::OptimizerWork>(schedule.ops[i].work)) {
      sum += step.ops[i].device.time_s;
    }
  }
  EXPECT_NEAR(sum, 7 * ms, 1e-3 * ms);
}

// ---- how sure

/// Deviation of log(time), if the interval were that of a normal distribution.
double deviation_of(const StepTime& step) {
  return std::log(step.high.value / step.low.value) / (2.0 * 1.645);
}
double variance_of(const StepTime& step) { return deviation_of(step) * deviation_of(step); }

// Beyond what no op shows: equal ops err together, so their deviation stays (1.2 times what the
// model says); of two independent kinds with half the time each, that over sqrt(2).
TEST(StepTime, EqualOpsErrTogetherAndOtherKindsDoNot) {
  const double none = variance_of(predicted(functions({1, 1})));
  const StepTime equal = predicted(functions({1, 1}), nullptr, tables(0.2));
  const StepTime unequal = predicted(functions({1, 1}, {UnaryFunction::relu, UnaryFunction::gelu}),
                                     nullptr, tables(0.2));
  EXPECT_NEAR(variance_of(equal) - none, 0.04 * 1.44, 1e-4);
  EXPECT_NEAR(variance_of(unequal) - none, 0.02 * 1.44, 1e-4);
  // 3 of 4 ms of the one kind: 0.2^2 (9 + 1) / 16.
  const StepTime most = predicted(functions({3, 1}, {UnaryFunction::relu, UnaryFunction::gelu}),
                                  nullptr, tables(0.2));
  EXPECT_NEAR(variance_of(most) - none, 0.04 * 1.44 * 10.0 / 16.0, 1e-4);
}

TEST(StepTime, TheIntervalHoldsTheTime) {
  for (const double issue : {0.01 * ms, 1 * ms, 10 * ms}) {
    const device::HostCosts host = host_of(issue);
    const StepTime step = predicted(functions({1, 2}), &host, tables(0.1));
    EXPECT_GT(step.low.value, 0.0);
    EXPECT_LT(step.low.value, step.time.value);
    EXPECT_GT(step.high.value, step.time.value);
  }
}

// Shares of 1/3 and 2/3, an octave apart, correlate by 1/2 exp(-1 / 2.5) = 0.3352: 1.2^2 0.1^2 (1 +
// 4 + 2 2 0.3352) / 9 + 0.03^2 = 0.1051^2, and 90 % of a normal distribution lie within 1.645 of
// these.
TEST(StepTime, TheIntervalOfTheDeviceAlone) {
  const StepTime step = predicted(functions({1, 2}), nullptr, tables(0.1));
  EXPECT_NEAR(std::log(step.high.value / step.time.value), 1.645 * 0.1051, 4e-4);
  EXPECT_NEAR(std::log(step.time.value / step.low.value), 1.645 * 0.1051, 4e-4);
}

// The device needs 2 ms, the host 1.8. A host that is slower by exp(1.645 * 0.15) = 1.28
// needs 2.304 ms. A fast host changes nothing; a device that is faster by exp(1.645 * 0.03)
// takes 1.904 ms.
TEST(StepTime, AHostThatIsNearlyBehindMakesStepsLonger) {
  device::HostCosts host = host_of(0.9 * ms);
  const StepTime step = predicted(functions({1, 1}), &host);
  EXPECT_NEAR(step.time.value, 2 * ms, tolerance);
  EXPECT_FALSE(step.host_bound());
  EXPECT_NEAR(step.high.value, 2.304 * ms, tolerance);
  EXPECT_NEAR(step.low.value, 1.904 * ms, tolerance);
  // Costs are of an undisturbed host: a disturbed one is slower, by exp(1.645 * 0.4323) = 2.036.
  host.jitter = 1.5;
  const StepTime disturbed = predicted(functions({1, 1}), &host);
  EXPECT_NEAR(disturbed.high.value, 3.665 * ms, tolerance);
  EXPECT_NEAR(disturbed.low.value, 1.904 * ms, tolerance);
}

// The more of the step waits for a host, the less sure it is.
TEST(StepTime, TheIntervalGrowsWithTheHostsShare) {
  double before = deviation_of(predicted(functions({1, 1})));
  const double alone = before;
  for (const double issue : {1.5 * ms, 3 * ms, 10 * ms}) {
    const device::HostCosts host = host_of(issue);
    const double deviation = deviation_of(predicted(functions({1, 1}), &host));
    EXPECT_GE(deviation, before - 1e-6) << issue;
    before = deviation;
  }
  EXPECT_GT(before, 1.5 * alone);
}

// An op of a class without costs is a launch: 3 us where the calibration has no figure, on a host
// that takes twice as long 6.
TEST(StepTime, ALaunchTakesASlowHostLonger) {
  const TimeModel model = model_of(tables());
  const device::HostCosts nothing;
  const schedule::Schedule schedule = functions({1});
  EXPECT_NEAR(predict_step(schedule, model, {.host = &nothing}).host.value, 3e-6, 1e-12);
  EXPECT_NEAR(predict_step(schedule, model, {.host = &nothing, .host_slowness = 2.0}).host.value,
              6e-6, 1e-12);
}

TEST(StepTime, SharesByKindAreLargestFirst) {
  const StepTime step = predicted(
      functions({1, 3, 1}, {UnaryFunction::relu, UnaryFunction::gelu, UnaryFunction::relu}),
      nullptr, tables(0.1));
  ASSERT_EQ(step.kinds.size(), 2U);
  EXPECT_EQ(step.kinds[0].kind, "gelu.forward.f32");
  EXPECT_EQ(step.kinds[0].count, 1U);
  EXPECT_NEAR(step.kinds[0].time_s, 3 * ms, tolerance);
  EXPECT_EQ(step.kinds[1].kind, "relu.forward.f32");
  EXPECT_EQ(step.kinds[1].count, 2U);
  EXPECT_NEAR(step.kinds[1].time_s, 2 * ms, tolerance);
  EXPECT_NEAR(step.kinds[1].deviation, 0.1, 1e-6);
  EXPECT_EQ(step.kinds[1].source, TimeSource::measured_kind);
}

// Three kernels of 1, 3 and 1 ms, each followed by a pause of 10 us: 5.03 ms of the device.
TEST(StepTime, PausesAreARowOfTheirOwn) {
  device::Calibration calibration = calibration_of("source", tables());
  calibration.figures.push_back({"launch.gap", "s", 10 * us, 10 * us, 10 * us, 1, ""});
  const TimeModel model({{device::LazyCalibration(calibration), calibrated_device("source")}},
                        calibrated_device("source"));
  const StepTime step = predict_step(
      functions({1, 3, 1}, {UnaryFunction::relu, UnaryFunction::gelu, UnaryFunction::relu}), model);
  ASSERT_EQ(step.kinds.size(), 3U);
  EXPECT_EQ(step.kinds[2].kind, gaps_kind);
  EXPECT_EQ(step.kinds[2].count, 3U);
  EXPECT_NEAR(step.kinds[2].time_s, 0.03 * ms, 1e-9);
  EXPECT_NEAR(step.device.value, 5.03 * ms, tolerance);
  double share = 0.0;
  for (const KindShare& kind : step.kinds) share += kind.share;
  EXPECT_NEAR(share, 1.0, 1e-9);
}

// ---- properties

// Twice the network takes twice the time of a device that never waits.
TEST(StepTime, IsAdditiveWhereTheDeviceIsTheLimit) {
  const double once = predicted(functions({1, 2, 4})).time.value;
  const double twice = predicted(functions({1, 2, 4, 1, 2, 4})).time.value;
  EXPECT_NEAR(twice / once, 2.0, 1e-9);
  const device::HostCosts host = host_of(1e-6);
  const double with_host = predicted(functions({1, 2, 4, 1, 2, 4}), &host).time.value;
  EXPECT_NEAR(with_host / once, 2.0, 0.01);
}

TEST(StepTime, IsMonotoneInTheTargetsPeaks) {
  const schedule::Schedule schedule = functions({1, 2}, {UnaryFunction::relu, UnaryFunction::tanh});
  const device::HostCosts host = host_of(0.5 * ms);
  double before = std::numeric_limits<double>::infinity();
  for (double scale = 0.1; scale < 10.0; scale *= 1.3) {
    const TimeModel model = model_of(tables(), calibrated_device("target", scale));
    const double time = predict_step(schedule, model, {.host = &host}).time.value;
    EXPECT_LE(time, before * (1.0 + 1e-12));
    before = time;
  }
}

// ---- notes

// Two ops of one time each, one of a kind with few rows that scatter: half of the time.
TEST(StepTime, SaysThatItsCalibrationIsRough) {
  const schedule::Schedule schedule = functions({1, 1}, {UnaryFunction::relu, UnaryFunction::gelu});
  Tables measured = tables();
  ASSERT_LT(measured.at("gelu.forward.f32").rows.size(), 50U);
  EXPECT_THAT(predicted(schedule, nullptr, measured).notes, testing::IsEmpty());
  measured.at("gelu.forward.f32").error = 0.948;
  EXPECT_THAT(predicted(schedule, nullptr, measured).notes,
              testing::ElementsAre(Note{says.rough_calibration, {0.5}}));
  // A tenth of the time is not worth a word.
  const schedule::Schedule mostly = functions({9, 1}, {UnaryFunction::relu, UnaryFunction::gelu});
  EXPECT_THAT(predicted(mostly, nullptr, measured).notes, testing::IsEmpty());
}

// A ReLU on 10 ms worth of numbers that takes ten times what their bytes need at 1 TB/s, more than
// 20 us. A row of such an op would show it, and so would one of half its size.
TEST(StepTime, DoubtsMemoryBoundWorkThatTakesManyTimesItsBytes) {
  const schedule::Schedule large = functions({10});
  const double elements = 10.0 * elements_1ms;
  ASSERT_GT(8.0 * elements / 1e12, 20e-6);
  Tables slow = tables();
  slow["relu.forward.f32"] = plain_table("relu", 1e-12, 10e-12);
  slow["relu.forward.f32"].rows = {{{1000.0}, 8e-8, std::nullopt}};
  const std::vector<Note> notes = predicted(large, nullptr, slow).notes;
  ASSERT_FALSE(notes.empty());
  EXPECT_EQ(notes.front().code, NoteCode(says.memory_time_in_doubt));
  EXPECT_THAT(notes.front().text(),
              testing::HasSubstr("the time of relu.forward.f32 is in doubt: it is 10.0 times"));
  slow["relu.forward.f32"].rows.push_back({{elements / 2.0}, 40e-12 * elements, std::nullopt});
  for (const Note& note : predicted(large, nullptr, slow).notes) {
    EXPECT_NE(note.code, NoteCode(says.memory_time_in_doubt));
  }
}

TEST(StepTime, SaysWhatItDoesNotKnow) {
  EXPECT_THAT(predicted(functions({1})).notes, testing::IsEmpty());
  // Nobody measured tanh: it takes what a ReLU of as many bytes takes.
  const StepTime other = predicted(functions({1, 1}, {UnaryFunction::gelu, UnaryFunction::tanh}));
  EXPECT_THAT(other.notes, testing::ElementsAre(Note{says.neighbouring_kinds, {0.5}}));
  const StepTime unknown = predicted(functions({1}), nullptr, {});
  EXPECT_THAT(unknown.notes, testing::ElementsAre(Note{says.roofline_kinds, {1.0}}));
  const TimeModel carried = model_of(tables(), calibrated_device("target", 0.5));
  const std::vector<std::string> source = {"source"};
  EXPECT_THAT(predict_step(functions({1}), carried).notes,
              testing::ElementsAre(Note{says.carried_over, {source}}));
  device::Device target = calibrated_device("target", 0.5);
  target.vendor = "Other";
  EXPECT_THAT(predict_step(functions({1}), model_of(tables(), target)).notes,
              testing::ElementsAre(Note{says.carried_from_other_maker, {"Other", source}}));
}

TEST(StepTime, NamesAnOpWithoutARule) {
  GraphBuilder b("net");
  const ValueId x = b.unary(b.parameter("x", {elements_1ms}), UnaryFunction::relu, "op");
  graph::Opaque unknown;
  unknown.type = "Mystery";
  unknown.outputs = {graph::Shape({4, 4})};
  unknown.dtypes = {DType::f32};
  const ValueId y = b.add(unknown, {x}, "what");
  const StepTime step = predicted(schedule::lower(std::move(b).finish({y}), {}));
  EXPECT_THAT(step.notes, testing::ElementsAre(Note{says.op_without_rule, {"Mystery"}}));
  EXPECT_NEAR(step.time.value, 1 * ms, tolerance);
}

}  // namespace
}  // namespace rooflab::predict
