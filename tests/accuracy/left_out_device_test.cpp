// Each calibrated device left out in turn: its published single ops predicted from all others'.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "accuracy_page.hpp"
#include "base/format.hpp"
#include "judged.hpp"
#include "left_out_devices.hpp"

namespace rooflab::accuracy {
namespace {

std::string typical_or_dash(const std::vector<double>& logs) {
  return logs.empty() ? "-" : percent(typical_error(logs));
}

std::string cells(const LeftOutErrors& errors) {
  return format("{} | {} | {} | {:.0f} % | {} | {}", errors.now.size(),
                percent(typical_error(errors.now)), signed_percent(bias_of(errors.now)),
                100.0 * errors.coverage(), typical_or_dash(errors.before),
                percent(typical_error(errors.roofline)));
}

TEST(Accuracy, OfDevicesLeftOut) {
  const std::vector<LeftOutDevice> devices = leave_each_device_out();
  ASSERT_EQ(devices.size(), 13U);
  std::string by_device =
      "| device left out | nearest source | rows | typical error | bias | in the 90 % interval | "
      "version 0.1 | own roofline | its chip left out | in the interval |\n"
      "| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |\n";
  std::string by_kind =
      "| device left out | kind | rows | typical error | bias | in the 90 % interval | version 0.1 "
      "| own roofline |\n"
      "| --- | --- | --: | --: | --: | --: | --: | --: |\n";
  LeftOutErrors pooled;
  std::vector<std::string> over_aim;
  std::vector<std::string> worse;
  for (const LeftOutDevice& left : devices) {
    const LeftOutErrors all = left.all();
    pooled.add(all);
    by_device +=
        format("| {} | {} | {} | {} | {:.0f} % |\n", left.device.name, left.nearest, cells(all),
               percent(typical_error(all.without_chip)), 100.0 * all.coverage_without_chip());
    if (typical_error(all.now) > 0.20) {
      over_aim.push_back(format("{} ({})", left.device.name, percent(typical_error(all.now))));
    }
    for (const auto& [kind, errors] : left.kinds) {
      by_kind += format("| {} | `{}` | {} |\n", left.device.name, kind, cells(errors));
      if (typical_error(errors.now) <= typical_error(errors.roofline)) continue;
      worse.push_back(format("{}, `{}` ({}, roofline {}, {} rows)", left.device.name, kind,
                             percent(typical_error(errors.now)),
                             percent(typical_error(errors.roofline)), errors.now.size()));
    }
  }
  by_device +=
      format("| all rows | | {} | {} | {:.0f} % |\n", cells(pooled),
             percent(typical_error(pooled.without_chip)), 100.0 * pooled.coverage_without_chip());
  EXPECT_LE(typical_error(pooled.now), 0.20);
  EXPECT_GE(pooled.coverage(), 0.80);
  EXPECT_LE(pooled.coverage(), 0.97);
  EXPECT_LT(typical_error(pooled.now), typical_error(pooled.before));
  EXPECT_LT(typical_error(pooled.now), typical_error(pooled.roofline));

  Summary summary{.rows = pooled.now.size(),
                  .mean = mean_error(pooled.now),
                  .median = typical_error(pooled.now),
                  .inside = pooled.coverage(),
                  .width = pooled.width / static_cast<double>(pooled.now.size()),
                  .bias = bias_of(pooled.now),
                  .roofline = mean_error(pooled.roofline)};
  expect_line_in_page(overview_line("single ops of 13 devices, each left out", summary));
  expect_in_page("left out devices", by_device);
  expect_in_page("left out kinds", by_kind);
  const auto list = [](const std::vector<std::string>& entries) {
    std::string text;
    for (const std::string& entry : entries) text += "- " + entry + "\n";
    return entries.empty() ? std::string("- none\n") : text;
  };
  expect_in_page("left out over aim", list(over_aim));
  expect_in_page("left out worse than roofline", list(worse));
}

}  // namespace
}  // namespace rooflab::accuracy
