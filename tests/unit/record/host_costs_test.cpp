#include "rooflab/record/host_costs.hpp"

#include <gtest/gtest.h>

namespace rooflab::record {
namespace {

// 2, 3, 2, 10 and 2.5 times as long: 2.5 is in the middle. `pool` is not there, and a cost of
// nothing has no ratio.
TEST(HostCosts, ASlowHostIsToldByTheMedianOfItsCosts) {
  HostCosts there;
  there.ops = {{"conv2d", {1e-5, 2e-5, 4e-5}}, {"view", {1e-6, {}, {}}}, {"cast", {2e-6, 0.0, {}}}};
  HostCosts here;
  here.ops = {{"conv2d", {2e-5, 6e-5, 8e-5}},
              {"view", {1e-5, 1e-5, {}}},
              {"cast", {5e-6, 5e-6, {}}},
              {"pool", {1.0, {}, {}}}};
  EXPECT_NEAR(slowness(here, there).value(), 2.5, 1e-12);
  EXPECT_EQ(slowness(here, here), 1.0);
  EXPECT_EQ(slowness(here, {}), std::nullopt);
}

// 1.25 times the undisturbed cost, of everything.
TEST(HostCosts, ProgramsMeetTheMedian) {
  HostCosts costs;
  costs.ops = {{"conv2d", {8e-6, 1.6e-5, {}}}};
  costs.optimizer_fixed_s = {{"sgd", 4e-6}};
  costs.optimizer_per_tensor_s = {{"sgd", 2e-6}};
  costs.loss_s = 4e-5;
  costs.step_s = 1.2e-5;
  costs.module_call_s = 8e-7;
  costs.jitter = 1.25;
  const HostCosts met = as_met(costs);
  EXPECT_NEAR(met.ops.at("conv2d").inference_s, 1e-5, 1e-18);
  EXPECT_NEAR(met.ops.at("conv2d").forward_s.value(), 2e-5, 1e-18);
  EXPECT_EQ(met.ops.at("conv2d").backward_s, std::nullopt);
  EXPECT_NEAR(met.optimizer_fixed_s.at("sgd"), 5e-6, 1e-18);
  EXPECT_NEAR(met.optimizer_per_tensor_s.at("sgd"), 2.5e-6, 1e-18);
  EXPECT_NEAR(met.loss_s, 5e-5, 1e-18);
  EXPECT_NEAR(met.step_s, 1.5e-5, 1e-18);
  EXPECT_NEAR(met.module_call_s.value(), 1e-6, 1e-18);
  EXPECT_EQ(met.jitter, 1.25);
}

// Twice as long as there: what is not known here takes twice as long, too.
TEST(HostCosts, WhatIsMissingIsCarriedByTheSlowness) {
  HostCosts there;
  there.ops = {{"conv2d", {1e-5, 2e-5, 4e-5}}, {"pool", {3e-6, 4e-6, {}}}};
  there.optimizer_fixed_s = {{"adam", 5e-5}, {"sgd", 1e-5}};
  there.optimizer_per_tensor_s = {{"adam", 2e-6}};
  HostCosts here;
  here.ops = {{"conv2d", {2e-5, 4e-5, 8e-5}}};
  here.optimizer_fixed_s = {{"sgd", 7e-5}};
  const HostCosts all = completed(here, there);
  EXPECT_EQ(all.ops.at("conv2d"), here.ops.at("conv2d"));
  EXPECT_NEAR(all.ops.at("pool").inference_s, 6e-6, 1e-18);
  EXPECT_NEAR(all.ops.at("pool").forward_s.value(), 8e-6, 1e-18);
  EXPECT_EQ(all.ops.at("pool").backward_s, std::nullopt);
  EXPECT_NEAR(all.optimizer_fixed_s.at("adam"), 1e-4, 1e-18);
  EXPECT_EQ(all.optimizer_fixed_s.at("sgd"), 7e-5);
  EXPECT_NEAR(all.optimizer_per_tensor_s.at("adam"), 4e-6, 1e-18);
  EXPECT_EQ(completed(here, {}), here);
}

}  // namespace
}  // namespace rooflab::record
