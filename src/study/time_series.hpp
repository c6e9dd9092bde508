#pragma once

#include <optional>
#include <string>
#include <vector>

#include "finding_context.hpp"

namespace rooflab::study {

/// Our time for a row's case: of those that fit it the ones of its very precision and phase, of
/// these the longest, since what the row does not state may be the larger.
struct OwnTime {
  double seconds = 0.0;
  const OwnCase* own = nullptr;
};
[[nodiscard]] std::optional<OwnTime> own_time_of(const FindingContext& context,
                                                 const PublishedCase& published);

/// A row's time with ours of its case beside it.
struct TimedRow {
  const PublishedCase* published = nullptr;
  double published_s = 0.0;
  const OwnCase* own = nullptr;
  double own_s = 0.0;

  [[nodiscard]] double ratio() const { return published_s / own_s; }
};
/// Rows of one source, device and number of GPUs that have times of ours, in the study's order.
using TimeSeries = std::vector<TimedRow>;
[[nodiscard]] std::vector<TimeSeries> time_series_of(const FindingContext& context);

/// Work differs when our times do by that.
inline constexpr double least_work_spread = 1.5;
/// How much the work differs within a series: our longest time over our shortest.
[[nodiscard]] double work_spread(const TimeSeries& series);
/// Whether the times grow as the work does, so that hardly anything in them is constant. The ratios
/// to ours differ less than 2-fold, and by less than the square root of what the work differs by,
/// where equal times would have it differ by all of that. Our times must differ 1.5-fold to tell.
[[nodiscard]] bool is_in_proportion(const TimeSeries& series);
/// `resnet18, vgg16 on h200`.
[[nodiscard]] std::string subject_of(const TimeSeries& series);

}  // namespace rooflab::study
