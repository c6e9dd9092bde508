#pragma once

#include <optional>
#include <string_view>

#include "record/counter_metric.hpp"

namespace rooflab::import::ncu {

/// What a value in ncu's unit must be multiplied with to be in seconds, bytes, counts, hertz or as
/// a fraction; for a rate the same per second or per cycle. Units are read in either case and in
/// old and new spelling (`nsecond`, `ns`). nullopt: not known, or of another dimension; a missing
/// unit means 1 for counts and nothing for the rest.
[[nodiscard]] std::optional<double> unit_scale(std::string_view unit,
                                               record::MetricDimension dimension,
                                               record::MetricForm form);

}  // namespace rooflab::import::ncu
