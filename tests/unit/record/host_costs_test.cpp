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

}  // namespace
}  // namespace rooflab::record
