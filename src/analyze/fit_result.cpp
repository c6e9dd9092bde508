#include "rooflab/analyze/fit_result.hpp"

#include <numeric>

#include "describe/field_table.hpp"

namespace rooflab::analyze {

void add_ratios(FitResult& result) {
  for (FitPoint& point : result.points) {
    point.is_limit = result.prediction == "limit";
    point.ratio.reset();
    if (point.expected.empty() || point.found.empty()) continue;
    // A range that ends before the boundary says nothing about it.
    if (point.end_of_range || point.found_end_of_range) continue;
    const auto sum = [](const std::vector<std::int64_t>& counts) {
      return static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
    };
    if (sum(point.found) > 0.0) point.ratio = sum(point.expected) / sum(point.found);
  }
}

std::span<const Field> fields_of(For<FitPoint>) {
  static constexpr auto fields = field_table(
      field<&FitPoint::varied>(), field<&FitPoint::comfortable>("fits"),
      field<&FitPoint::fits_further>("fits_further").or_default(),
      field<&FitPoint::likely>("likely").or_default(),
      field<&FitPoint::likely_further>("likely_further").or_default(),
      field<&FitPoint::assumed>("assumed").or_default(),
      field<&FitPoint::expected>("expected").or_default(),
      field<&FitPoint::expected_further>("expected_further").or_default(),
      field<&FitPoint::counts>("largest"), members<&FitPoint::end_of_range, &FitPoint::memory>,
      field<&FitPoint::beyond>().or_default(), field<&FitPoint::beyond_memory>(),
      field<&FitPoint::predicted>("predicted_s"), field<&FitPoint::limit>("limit_s"),
      field<&FitPoint::samples_per_s>("samples_per_s").or_default(),
      members<&FitPoint::searched, &FitPoint::found, &FitPoint::found_end_of_range>,
      field<&FitPoint::found_step_s>("median_s"), field<&FitPoint::ratio>("count_ratio"));
  return fields;
}

std::span<const Field> fields_of(For<FitCircumstance>) {
  static constexpr auto fields =
      field_table(field<&FitCircumstance::circumstance>(),
                  field<&FitCircumstance::expected>("expected").or_default(),
                  field<&FitCircumstance::counts>("largest"),
                  members<&FitCircumstance::end_of_range, &FitCircumstance::memory>);
  return fields;
}

std::span<const Field> fields_of(For<FitTry>) {
  static constexpr auto fields =
      field_table(members<&FitTry::counts, &FitTry::status>, field<&FitTry::step_s>("median_s"),
                  field<&FitTry::allocated_peak>("allocated_peak_bytes"),
                  field<&FitTry::reserved_peak>("reserved_peak_bytes"), field<&FitTry::message>());
  return fields;
}

std::span<const Field> fields_of(For<FitResult>) {
  static constexpr auto fields = field_table(
      members<&FitResult::model, &FitResult::device>,
      field<&FitResult::memory>("usable_memory_bytes"),
      field<&FitResult::limited>("memory_limited"),
      members<&FitResult::phase, &FitResult::precision>, field<&FitResult::names>("count_names"),
      field<&FitResult::points>(), field<&FitResult::circumstances>().or_default(),
      members<&FitResult::tries, &FitResult::notes>, field<&FitResult::uncounted>().or_default(),
      field<&FitResult::command>("command_line"));
  return fields;
}

}  // namespace rooflab::analyze
