// What a calibration of published ops predicts of a quarter of its rows, as `rooflab probe
// --from` found it: from all other rows, and from those that are shipped.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "accuracy_page.hpp"
#include "base/format.hpp"
#include "judged.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::accuracy {
namespace {

TEST(Accuracy, OfAHeldOutQuarter) {
  std::string text =
      "| device | kind | published | too short | outliers | shipped | error from all | error from "
      "the shipped |\n"
      "| --- | --- | --: | --: | --: | --: | --: | --: |\n";
  std::vector<double> all;
  std::vector<double> kept;
  for (const device::LazyCalibration& each : device::built_in_calibrations()) {
    for (const auto& [kind, table] : each.read()->ops) {
      if (!table.published) continue;
      const device::PublishedRows& published = *table.published;
      text +=
          format("| {} | `{}` | {} | {} | {} | {} | {} | {} |\n", each.entry().device_name, kind,
                 published.rows, published.too_short, published.outliers, table.rows.size(),
                 percent(published.error_of_all), percent(published.error_of_kept));
      all.push_back(published.error_of_all);
      kept.push_back(published.error_of_kept);
      EXPECT_GT(published.error_of_kept, 0.0) << each.entry().id << " " << kind;
      EXPECT_LE(published.error_of_kept, 0.25) << each.entry().id << " " << kind;
      EXPECT_LE(published.error_of_kept, published.error_of_all + 0.01)
          << each.entry().id << " " << kind;
    }
  }
  ASSERT_GE(all.size(), 80U);
  text += format("| mean of {} kinds | | | | | | {} | {} |\n", all.size(),
                 percent(statistics_of(all).mean), percent(statistics_of(kept).mean));
  expect_in_page("held out quarter", text);
}

}  // namespace
}  // namespace rooflab::accuracy
