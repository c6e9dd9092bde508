// Times made by the formula at the head of launch_lead.cpp, with launches that are known.

#include "probe/launch_lead.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rooflab::probe {
namespace {

/// 200 ops of `least` elements and more, each 1.05 times the one before.
std::vector<PublishedRow> rows_of(double plateau_s, double lead_s, double each_s, double least) {
  std::vector<PublishedRow> rows;
  for (std::size_t i = 0; i < 200; ++i) {
    const double elements = least * std::pow(1.05, static_cast<double>(i));
    rows.push_back({i, {elements}, std::max(plateau_s, lead_s + elements * each_s)});
  }
  return rows;
}

// A V100's additions: 32 us up to some size, above it 17 us and 14.4 us a million.
TEST(LaunchLead, IsTheInterceptOfElementwiseOpsAbovePlateau) {
  PublishedOps table;
  table.ops["v100"]["add.forward.f32"] = rows_of(32e-6, 17e-6, 14.4e-12, 1e5);
  const LaunchLead lead = launch_leads(table, "v100").at("add.forward.f32");
  ASSERT_TRUE(lead.plateau_s.has_value());
  EXPECT_NEAR(*lead.plateau_s, 32e-6, 1e-9);
  EXPECT_NEAR(lead.lead_s, 17e-6, 1e-9);
}

// The host takes 32 - 17 = 15 us after a launch, so a plateau of 47 us has a lead of 32.
TEST(LaunchLead, OtherKindsTakeTheirPlateauLessTheRest) {
  PublishedOps table;
  table.ops["v100"]["add.forward.f32"] = rows_of(32e-6, 17e-6, 14.4e-12, 1e5);
  table.ops["v100"]["linear.forward.fp32"] = rows_of(47e-6, 32e-6, 1e-12, 1e5);
  EXPECT_NEAR(launch_leads(table, "v100").at("linear.forward.fp32").lead_s, 32e-6, 1e-9);
}

// The kind's lead is 32 / 17 of the elementwise lead on the V100, so it is 20 * 32 / 17 = 37.6 us
// here; the shortest op of 40 us leaves room for 40 - 10 = 30 us only.
TEST(LaunchLead, WithoutPlateauItIsThatOfOtherDevicesInProportion) {
  PublishedOps table;
  table.ops["v100"]["add.forward.f32"] = rows_of(32e-6, 17e-6, 14.4e-12, 1e5);
  table.ops["v100"]["linear.forward.fp32"] = rows_of(47e-6, 32e-6, 1e-12, 1e5);
  table.ops["t4"]["add.forward.f32"] = rows_of(30e-6, 20e-6, 50e-12, 1e5);
  table.ops["t4"]["linear.forward.fp32"] = rows_of(0.0, 100e-6, 1e-12, 1e7);
  EXPECT_NEAR(launch_leads(table, "t4").at("linear.forward.fp32").lead_s, 20e-6 * 32.0 / 17.0,
              1e-9);
  table.ops["t4"]["linear.forward.fp32"] = rows_of(0.0, 30e-6, 1e-12, 1e7);
  EXPECT_NEAR(launch_leads(table, "t4").at("linear.forward.fp32").lead_s, 30e-6, 1e-9);
}

TEST(LaunchLead, ADeviceThatIsNotThereHasNone) { EXPECT_TRUE(launch_leads({}, "t4").empty()); }

}  // namespace
}  // namespace rooflab::probe
