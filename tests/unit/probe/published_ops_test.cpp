// A made-up table on its way into a calibration.

#include "probe/published_ops.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../base/note_matchers.hpp"
#include "../base/thrown_error.hpp"
#include "base/format.hpp"
#include "notes/probe_notes.hpp"
#include "rooflab/predict/op_model.hpp"

namespace rooflab::probe {
namespace {

using testing::Contains;

constexpr std::string_view adds_description = R"toml(table = "t.csv"
launch_in_time = true
[origin]
name = "toy"
title = "Toy"
url = "https://example.org"
license = "MIT"
environment = ""
[columns]
device = "device"
time = "us"
unit = "us"
numbers = ["n"]
texts = ["op"]
[devices]
T4 = "t4"
P4 = "p4"
[[ops]]
when = { op = "add" }
kind = "add.forward.f32"
sizes = { elements = "n" }
corrections = { p4 = { factor = 0.5, spread = 0.2, why = "it is a test" } }
)toml";

/// A launch of 20 us and 50 ps an element, with the host busy until 30 us; every 50th row is three
/// times as long.
std::string adds_of(std::string_view device, bool outliers) {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    const double n = std::floor(1e4 * std::pow(1.05, i));
    const double us = std::max(30.0, 20.0 + 5e-5 * n) * (outliers && i % 50 == 49 ? 3.0 : 1.0);
    text += format("{},add,{:.0f},{:.6g}\n", device, n, us);
  }
  return text;
}

device::Calibration imported(const std::string& device, const std::string& rows) {
  const OpDescription description =
      read_op_description(adds_description, "d.toml", {"relu.forward.f32"});
  device::Calibration calibration;
  calibration.device = device;
  add_published_ops(calibration, description, parse_csv("device,op,n,us\n" + rows, "t.csv"),
                    nullptr, 40.0);
  return calibration;
}

TEST(PublishedOps, LaunchesComeOffAndShortRowsGo) {
  const device::Calibration calibration = imported("t4", adds_of("T4", false));
  const device::OpTable& table = calibration.ops.at("add.forward.f32");
  ASSERT_TRUE(table.published.has_value());
  EXPECT_EQ(table.published->origin, "toy");
  EXPECT_EQ(table.published->rows, 200);
  EXPECT_NEAR(table.published->launch_s, 20e-6, 1e-8);
  // Below 1.25 * 30 us, and where 20 us are more than half: 5e-5 n < 20.
  int too_short = 0;
  for (int i = 0; i < 200; ++i) too_short += 5e-5 * std::floor(1e4 * std::pow(1.05, i)) < 20.0;
  EXPECT_EQ(table.published->too_short, too_short);
  EXPECT_EQ(table.published->outliers, 0);
  for (const device::OpRow& row : table.rows) {
    EXPECT_GE(row.sizes[0], 4e5);
    EXPECT_NEAR(row.time_s, 5e-11 * row.sizes[0], 2e-8);
  }
  EXPECT_LT(table.published->error_of_kept, 0.02);
  EXPECT_LE(table.published->error_of_kept, table.published->error_of_all + 0.005);
  EXPECT_EQ(calibration.origins.at("toy").license, "MIT");
  EXPECT_THAT(calibration.notes, Contains(HasCode(says.launch_subtracted)));
}

// Lines of the table: the header is 1, row i is i + 2.
TEST(PublishedOps, OutliersAreNamedByTheirLinesAndNotUsed) {
  const device::Calibration calibration = imported("t4", adds_of("T4", true));
  const device::OpTable& table = calibration.ops.at("add.forward.f32");
  EXPECT_EQ(table.published->outliers, 4);
  EXPECT_THAT(calibration.notes,
              Contains(HasValue(says.outliers_left_out,
                                std::vector<std::string>{"51", "101", "151", "201"})));
  for (const device::OpRow& row : table.rows) {
    EXPECT_NEAR(row.time_s, 5e-11 * row.sizes[0], 2e-8);
  }
}

TEST(PublishedOps, CorrectionsOfTheDescriptionAreMadeAndSaid) {
  const device::Calibration calibration = imported("p4", adds_of("P4", false));
  const device::OpTable& table = calibration.ops.at("add.forward.f32");
  EXPECT_EQ(table.published->factor, 0.5);
  EXPECT_EQ(table.published->spread, 0.2);
  for (const device::OpRow& row : table.rows) {
    EXPECT_NEAR(row.time_s, 1e-10 * row.sizes[0], 4e-8);
  }
  EXPECT_THAT(calibration.notes, Contains(HasValue(says.times_corrected, "it is a test")));
  // The spread is in every prediction: all rows of the kind have it in common.
  const predict::OpModel model("add.forward.f32", table, 40.0);
  EXPECT_GE(model.estimate(std::vector{1e6}).deviation, 0.2);
}

TEST(PublishedOps, TheSameRowsGiveTheSameCalibration) {
  const device::Calibration one = imported("t4", adds_of("T4", false));
  const device::Calibration two = imported("t4", adds_of("T4", false));
  EXPECT_EQ(device::to_toml(one), device::to_toml(two));
}

constexpr std::string_view sums_description = R"toml(table = "t.csv"
[origin]
name = "toy"
title = "Toy"
url = "https://example.org"
license = "MIT"
environment = ""
[columns]
device = "device"
time = "us"
unit = "us"
numbers = ["gpus", "n"]
texts = ["op"]
[devices]
T4 = "t4"
[[links]]
when = { op = "all_reduce" }
collective = "all_reduce"
ranks = "gpus"
bytes = "n"
bytes_each = 2
)toml";

// Every message stays; of two times of one, 1 and 3 us, the median is 2.
TEST(PublishedOps, EveryMessageBecomesOneRow) {
  const OpDescription description = read_op_description(sums_description, "d.toml", {});
  device::Calibration calibration;
  calibration.device = "t4";
  add_published_ops(calibration, description,
                    parse_csv("device,op,gpus,n,us\nT4,all_reduce,2,4,1\nT4,all_reduce,2,8,5\n"
                              "T4,all_reduce,2,4,3\nT4,all_reduce,2,16,7\n",
                              "t.csv"),
                    nullptr, 40.0);
  ASSERT_EQ(calibration.links.size(), 3U);
  EXPECT_EQ(calibration.links[0].bytes, 8.0);
  EXPECT_NEAR(calibration.links[0].time_s, 2e-6, 1e-15);
  EXPECT_EQ(calibration.links[1].bytes, 16.0);
  EXPECT_EQ(calibration.links[2].bytes, 32.0);
}

TEST(PublishedOps, ADeviceWithoutRowsIsAnError) {
  EXPECT_EQ(thrown_error(ErrorKind::input, [] { return imported("p4", adds_of("T4", false)); })
                .full_message(),
            "t.csv:1:1: the table has no row of p4");
}

}  // namespace
}  // namespace rooflab::probe
