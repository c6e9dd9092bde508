#pragma once

#include <span>
#include <string>

#include "chart/row_chart.hpp"
#include "rooflab/report/document.hpp"

/// Charts in files for parts that a page draws as HTML.
namespace rooflab::report {

[[nodiscard]] chart::RowChart bar_chart(const std::string& title, std::span<const PageBar> bars,
                                        BarScale scale);
[[nodiscard]] chart::RowChart dot_chart(const std::string& title, std::span<const PageDot> dots,
                                        DotAxis axis);

}  // namespace rooflab::report
