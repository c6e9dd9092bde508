#include "rooflab/analyze/fit_result.hpp"

#include <numeric>

#include "base/field_table.hpp"

namespace rooflab::analyze {

void add_ratios(FitResult& result) {
  for (FitPoint& point : result.points) {
    point.is_limit = result.prediction == "limit";
    point.ratio.reset();
    if (point.counts.empty() || point.found.empty()) continue;
    // A range that ends before the boundary says nothing about it.
    if (point.end_of_range || point.found_end_of_range) continue;
    const auto sum = [](const std::vector<std::int64_t>& counts) {
      return static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
    };
    if (sum(point.found) > 0.0) point.ratio = sum(point.counts) / sum(point.found);
  }
}

std::span<const Field> fields_of(For<FitPoint>) {
  static constexpr Field fields[] = {field<&FitPoint::varied>("varied"),
                                     field<&FitPoint::comfortable>("fits"),
                                     field<&FitPoint::counts>("largest"),
                                     field<&FitPoint::end_of_range>("end_of_range"),
                                     field<&FitPoint::memory>("memory"),
                                     field<&FitPoint::predicted>("predicted_s"),
                                     field<&FitPoint::limit>("limit_s"),
                                     field<&FitPoint::samples_per_s>("samples_per_s").or_default(),
                                     field<&FitPoint::searched>("searched"),
                                     field<&FitPoint::found>("found"),
                                     field<&FitPoint::found_end_of_range>("found_end_of_range"),
                                     field<&FitPoint::found_step_s>("median_s"),
                                     field<&FitPoint::ratio>("count_ratio")};
  return fields;
}

std::span<const Field> fields_of(For<FitTry>) {
  static constexpr Field fields[] = {field<&FitTry::counts>("counts"),
                                     field<&FitTry::status>("status"),
                                     field<&FitTry::step_s>("median_s"),
                                     field<&FitTry::allocated_peak>("allocated_peak_bytes"),
                                     field<&FitTry::reserved_peak>("reserved_peak_bytes"),
                                     field<&FitTry::message>("message")};
  return fields;
}

std::span<const Field> fields_of(For<FitResult>) {
  static constexpr Field fields[] = {
      field<&FitResult::model>("model"),         field<&FitResult::device>("device"),
      field<&FitResult::memory>("memory_bytes"), field<&FitResult::limited>("memory_limited"),
      field<&FitResult::phase>("phase"),         field<&FitResult::precision>("precision"),
      field<&FitResult::names>("count_names"),   field<&FitResult::points>("points"),
      field<&FitResult::tries>("tries"),         field<&FitResult::notes>("notes"),
      field<&FitResult::command>("command_line")};
  return fields;
}

}  // namespace rooflab::analyze
