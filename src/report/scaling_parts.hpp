#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rooflab/chart/chart.hpp"
#include "rooflab/report/document.hpp"
#include "rooflab/report/html_page.hpp"

/// What the reports of measured and of predicted scaling share.
namespace rooflab::report {

[[nodiscard]] Cell rate_cell(std::optional<double> images_per_s);  ///< `1,234`

struct SpeedupLine {
  std::string name;
  bool predicted = false;               ///< dashed
  std::vector<chart::Position> points;  ///< devices, speed-up
};
/// Speed-up over devices, with the ideal line.
[[nodiscard]] chart::Chart speedup_chart(const std::string& title,
                                         const std::vector<SpeedupLine>& lines);

/// A page of scaling without its cards and sections.
[[nodiscard]] Page scaling_page(std::string title, std::string command);

/// What the steps are made of: takes bars by step_bar().
[[nodiscard]] PageSection step_section();

/// The speed-up on the most devices, and how near to the ideal it is.
[[nodiscard]] PageCard speedup_card(std::string title, double speedup, double efficiency);

/// A step as a bar: its work, what the exchange adds (hidden communication is no part of its time).
[[nodiscard]] PageBar step_bar(std::string label, double step_s, double work_s);

}  // namespace rooflab::report
