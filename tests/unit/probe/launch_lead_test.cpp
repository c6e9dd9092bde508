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

// Whatever their plateau: the host's work after the launch makes it.
TEST(LaunchLead, OtherKindsTakeTheLeadOfElementwiseOps) {
  PublishedOps table;
  table.ops["v100"]["add.forward.f32"] = rows_of(32e-6, 17e-6, 14.4e-12, 1e5);
  table.ops["v100"]["linear.forward.fp32"] = rows_of(66e-6, 17e-6, 1e-12, 1e5);
  const LaunchLead lead = launch_leads(table, "v100").at("linear.forward.fp32");
  ASSERT_TRUE(lead.plateau_s.has_value());
  EXPECT_NEAR(*lead.plateau_s, 66e-6, 1e-9);
  EXPECT_NEAR(lead.lead_s, 17e-6, 1e-9);
}

// 17 and 21 us elsewhere: 19 us where no elementwise op was timed, though the shortest op of 1.1 ms
// says nothing about launches.
TEST(LaunchLead, ADeviceWithoutElementwiseOpsTakesTheMedianOfOthers) {
  PublishedOps table;
  table.ops["v100"]["add.forward.f32"] = rows_of(32e-6, 17e-6, 14.4e-12, 1e5);
  table.ops["t4"]["add.forward.f32"] = rows_of(30e-6, 21e-6, 50e-12, 1e5);
  table.ops["h100"]["linear.forward.fp32"] = rows_of(0.0, 100e-6, 1e-10, 1e7);
  const LaunchLead lead = launch_leads(table, "h100").at("linear.forward.fp32");
  EXPECT_EQ(lead.plateau_s, std::nullopt);
  EXPECT_NEAR(lead.lead_s, 19e-6, 1e-9);
}

// Every tenth row is three times as long.
TEST(LaunchLead, RowsFarFromTheLineDoNotBendIt) {
  PublishedOps table;
  std::vector<PublishedRow>& rows = table.ops["v100"]["add.forward.f32"];
  rows = rows_of(32e-6, 17e-6, 14.4e-12, 1e5);
  for (std::size_t i = 0; i < rows.size(); i += 10) rows[i].time_s *= 3.0;
  EXPECT_NEAR(launch_leads(table, "v100").at("add.forward.f32").lead_s, 17e-6, 1e-7);
}

TEST(LaunchLead, ADeviceThatIsNotThereHasNone) { EXPECT_TRUE(launch_leads({}, "t4").empty()); }

}  // namespace
}  // namespace rooflab::probe
