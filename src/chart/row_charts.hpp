#pragma once

#include <span>
#include <string>

#include "rooflab/chart/bars.hpp"
#include "rooflab/chart/dots.hpp"
#include "row_chart.hpp"

/// Charts in files for parts that a page draws as HTML.
namespace rooflab::chart {

[[nodiscard]] RowChart bar_chart(const std::string& title, std::span<const Bar> bars,
                                 BarScale scale);
[[nodiscard]] RowChart dot_chart(const std::string& title, std::span<const Dot> dots, DotAxis axis);

}  // namespace rooflab::chart
