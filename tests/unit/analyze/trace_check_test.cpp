#include "rooflab/analyze/trace_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "networks.hpp"
#include "rooflab/analyze/predict_case.hpp"

namespace rooflab::analyze {
namespace {

using testing::DoubleEq;
using testing::Eq;
using testing::Optional;

TEST(TraceCheck, OpsHaveTheirClassByTheirNames) {
  EXPECT_EQ(op_class_of_operator("aten::cudnn_convolution"), OpClass::convolution);
  EXPECT_EQ(op_class_of_operator("aten::convolution_backward"), OpClass::convolution);
  EXPECT_EQ(op_class_of_operator("aten::threshold_backward"), OpClass::activation);
  EXPECT_EQ(op_class_of_operator("aten::cudnn_batch_norm"), OpClass::normalisation);
  EXPECT_EQ(op_class_of_operator("aten::_scaled_dot_product_flash_attention"), OpClass::attention);
  EXPECT_EQ(op_class_of_operator("aten::addmm"), OpClass::matmul);
  EXPECT_EQ(op_class_of_operator("aten::nll_loss_forward"), OpClass::loss);
  EXPECT_EQ(op_class_of_operator("aten::_foreach_add_"), OpClass::other);
  EXPECT_EQ(op_class_of_operator("(optimizer)"), OpClass::optimizer);
  EXPECT_EQ(op_class_of_operator(""), OpClass::other);
}

// A step of 100 us with 60 us of kernels: two convolutions of 30 and 10 us, a ReLU of 15, and 5
// of an op that no rule knows.
trace::StepWork step() {
  trace::StepWork work;
  work.steps = 3;
  work.kernel_ns = 60'000;
  work.operators = {{"aten::cudnn_convolution", 1.0, 30'000},
                    {"aten::relu", 1.0, 15'000},
                    {"aten::convolution_backward", 1.0, 10'000},
                    {"mine::op", 1.0, 5'000}};
  return work;
}

TEST(TraceCheck, ClassesStandBesideTheLimitOfTheirOps) {
  const graph::Graph network = zoo::build("resnet18", {.batch = 4});
  const CaseResult model = case_of("resnet18", "t4", 4);
  const TraceCheck check = check_trace(step(), 100e-6, network, model);
  EXPECT_DOUBLE_EQ(check.step_s, 100e-6);
  EXPECT_DOUBLE_EQ(check.kernel_share, 55.0 / 60.0);
  EXPECT_EQ(check.predicted_s, std::nullopt);
  EXPECT_EQ(check.predicted_low_s, std::nullopt);
  ASSERT_GE(check.classes.size(), 3U);
  EXPECT_EQ(check.classes[0].op_class, OpClass::convolution);
  EXPECT_THAT(check.classes[0].time_s, DoubleEq(40e-6));
  EXPECT_EQ(check.classes[1].op_class, OpClass::activation);
  EXPECT_THAT(check.classes[1].time_s, DoubleEq(15e-6));
  // Nothing in the network is of no class.
  EXPECT_EQ(check.classes[2].op_class, OpClass::other);
  EXPECT_THAT(check.classes[2].limit_s, Eq(std::nullopt));
  // The classes' limits are the step's, and what the trace lacks has no time.
  double limit_s = 0.0;
  for (const ClassCheck& each : check.classes) limit_s += each.limit_s.value_or(0.0);
  ASSERT_TRUE(model.limit.time);
  EXPECT_NEAR(limit_s, model.limit.time->value, 1e-12);
  EXPECT_THAT(check.limit_s, Optional(DoubleEq(model.limit.time->value)));
  for (std::size_t i = 3; i < check.classes.size(); ++i) EXPECT_EQ(check.classes[i].time_s, 0.0);
}

TEST(TraceCheck, APredictionComesWithItsInterval) {
  const CaseResult model =
      predict_case(zoo::build("resnet18", {.batch = 4}), "h200-sxm", {.phase = Phase::training});
  const TraceCheck check = check_trace(step(), 100e-6, zoo::build("resnet18", {.batch = 4}), model);
  ASSERT_TRUE(model.has_interval());
  EXPECT_THAT(check.predicted_low_s, Optional(model.prediction->low.value));
  EXPECT_THAT(check.predicted_high_s, Optional(model.prediction->high.value));
  double of_classes_s = 0.0;
  for (const ClassCheck& each : check.classes) of_classes_s += each.predicted_s.value_or(0.0);
  double of_layers_s = 0.0;
  for (const LayerRow& row : model.layers) {
    if (row.name != gaps_row) of_layers_s += row.predicted ? row.predicted->value : 0.0;
  }
  EXPECT_NEAR(of_classes_s, of_layers_s, 1e-9);
  EXPECT_LT(of_classes_s, model.prediction->device.value);  // which has gaps between the ops
}

// A network of convolutions and norms of 1 ms in all, on a device that was measured.
TraceCheck matching() {
  TraceCheck check;
  check.step_s = 2e-3;
  check.limit_s = 1e-3;
  check.predicted_low_s = 1.8e-3;
  check.predicted_high_s = 2.2e-3;
  check.kernel_share = 0.95;
  check.measured_device = true;
  check.classes = {{OpClass::convolution, 1e-3, 0.6e-3, 0.9e-3},
                   {OpClass::normalisation, 0.5e-3, 0.4e-3, 0.5e-3},
                   {OpClass::matmul, 1e-5, std::nullopt, std::nullopt}};
  return check;
}

std::optional<Misfit::Reason> reason_of(const TraceCheck& check) {
  const std::optional<Misfit> misfit = check.misfit();
  return misfit ? std::optional(misfit->reason) : std::nullopt;
}

TEST(TraceCheck, ATraceOfAnotherNetworkDoesNotPass) {
  EXPECT_TRUE(matching().passes());

  TraceCheck check = matching();
  check.step_s = 0.9e-3;
  EXPECT_EQ(reason_of(check), Misfit::Reason::below_limit);

  check = matching();
  check.step_s = 1.4e-3;  // 0.78 of the interval's lower end
  EXPECT_EQ(reason_of(check), Misfit::Reason::below_interval);
  check.measured_device = false;
  EXPECT_TRUE(check.passes());

  check = matching();
  check.classes[1].time_s = 0.0;
  ASSERT_EQ(reason_of(check), Misfit::Reason::network_alone);
  EXPECT_EQ(check.misfit()->work_class, graph::WorkClass::normalisation);
  check.kernel_share = 0.5;  // a compiler fused it
  EXPECT_TRUE(check.passes());

  check = matching();
  check.classes[2].time_s = 0.4e-3;
  ASSERT_EQ(reason_of(check), Misfit::Reason::kernels_alone);
  EXPECT_EQ(check.misfit()->work_class, graph::WorkClass::product);
}

}  // namespace
}  // namespace rooflab::analyze
