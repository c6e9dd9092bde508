#pragma once

#include <optional>
#include <string_view>

#include "record/counter_metric.hpp"

namespace rooflab::import::ncu {

/// Factor that converts a value in ncu's unit to seconds, bytes, counts, hertz or a fraction, or to
/// a rate of these per second or per cycle. Units are read in upper and lower case and in old and
/// new spelling (`nsecond`, `ns`). nullopt: not known, or another dimension; a missing unit gives 1
/// for counts and nullopt for others.
[[nodiscard]] std::optional<double> unit_scale(std::string_view unit,
                                               record::MetricDimension dimension,
                                               record::MetricForm form);

}  // namespace rooflab::import::ncu
