#include "rooflab/analyze/modelled_ops.hpp"

#include <gtest/gtest.h>

#include "rooflab/device/catalog.hpp"

namespace rooflab::analyze {
namespace {

/// 40 us: a product of two modules, an op without a rule, 10 us without an op.
record::ModelledStep small_step() {
  record::ModelledStep step;
  step.launches = 6;
  step.time_s = 40e-6;
  const record::ModelledOp product = {.op = "aten.mm",
                                      .pass = "forward",
                                      .module = "a",
                                      .module_class = "Linear",
                                      .calls = 1,
                                      .launches = 1,
                                      .time_s = 12e-6,
                                      .flops = 12e6,
                                      .bytes = 1e6,
                                      .counted_flops = 24e6,
                                      .counted_bytes = {},
                                      .path = ArithmeticPath::fp16_tensor_fp32};
  step.ops = {product, product, product};
  step.ops[1].module = "b";
  step.ops[1].module_class = "Head";
  step.ops[1].time_s = 13e-6;
  step.ops[2].op = "mine.mystery";
  step.ops[2].time_s = 5e-6;
  step.ops[2].flops = step.ops[2].bytes = std::nullopt;
  return step;
}

TEST(ModelledOps, AreSummedByNameAndPass) {
  const device::Device v100 = device::Catalog::built_in().find("v100-sxm2-16gb");
  const ModelledOps all = modelled_ops_of(small_step(), v100);
  ASSERT_EQ(all.ops.size(), 2U);
  const ModelledOpRow& product = all.ops[0];
  EXPECT_EQ(product.op, "aten.mm");
  EXPECT_EQ(product.modules, "Head, Linear");
  EXPECT_DOUBLE_EQ(product.flops_per_s().value(), 24e6 / 25e-6);
  EXPECT_DOUBLE_EQ(product.bytes_per_s().value(), 2e6 / 25e-6);
  EXPECT_DOUBLE_EQ(product.intensity().value(), 12.0);
  EXPECT_DOUBLE_EQ(product.time_share.value(), 25.0 / 40.0);
  // 900 GB/s at 12 FLOP/B, far left of the ridge point.
  ASSERT_TRUE(product.roof_place);
  EXPECT_EQ(product.roof_place->bound, predict::Bound::memory);
  EXPECT_NEAR(product.roof_place->attainable_share, 0.96e12 / 10.8e12, 1e-3);
  EXPECT_DOUBLE_EQ(all.op_share.value(), 30.0 / 40.0);
  EXPECT_DOUBLE_EQ(all.modelled_share.value(), 25.0 / 40.0);
  EXPECT_DOUBLE_EQ(all.modelled.flops.value(), 24e6);
  EXPECT_DOUBLE_EQ(all.flop_ratio.value(), 2.0);
  EXPECT_FALSE(all.bytes_ratio);
}

TEST(ModelledOps, ArePointsAtModelledWorkOverMeasuredTime) {
  const RooflineSeries series = modelled_series(modelled_ops_of(small_step(), {}), "net");
  EXPECT_EQ(series.kind, PointKind::timed);
  ASSERT_EQ(series.points.size(), 1U);  // what has no rule has no place
  EXPECT_EQ(series.points[0].label, "aten.mm");
  EXPECT_DOUBLE_EQ(series.points[0].intensity, 12.0);
  EXPECT_NE(series.remark.find("not counted"), std::string::npos);
  EXPECT_NE(series.remark.find("37.5 % of the kernels' time is not known"), std::string::npos);
}

}  // namespace
}  // namespace rooflab::analyze
