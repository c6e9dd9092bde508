#include "scaling_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "cells.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::report {

Cell rate_cell(std::optional<double> images_per_s) {
  if (!images_per_s) return dash();
  const std::string shown = *images_per_s < 100.0 ? format("{:.1f}", *images_per_s)
                                                  : with_thousands(std::llround(*images_per_s));
  return {shown, format("{}", *images_per_s)};
}

chart::Chart speedup_chart(const std::string& title, const std::vector<SpeedupLine>& lines) {
  chart::Chart chart;
  chart.title = title;
  chart.x = {.label = "devices", .unit = ""};
  chart.y = {.label = "speed-up", .unit = ""};
  double most = 1.0;
  int number = 0;
  for (const SpeedupLine& line : lines) {
    chart::Series series;
    series.name = line.name;
    series.marker = line.predicted ? chart::Marker::cross : chart::marker_of(number);
    series.color = number++ % chart::neutral_color;
    series.joined = true;
    for (const chart::Position& point : line.points) {
      series.points.push_back({point.x, point.y, 0.4, "", {format("{:.2f}x", point.y)}});
      most = std::max(most, point.x);
    }
    chart.series.push_back(std::move(series));
  }
  chart.guides.push_back(
      {.label = "ideal", .line = {{1.0, 1.0}, {most, most}}, .style = chart::LineStyle::dashed});
  return chart;
}

Page scaling_page(std::string title, std::string command) {
  Page page;
  page.title = std::move(title);
  page.subtitle =
      "One process a device, gradients averaged by all-reduces beside the backward pass.";
  page.command = std::move(command);
  return page;
}

PageSection step_section() {
  return {.heading = "What a step is made of", .bar_scale = BarScale::absolute};
}

PageCard speedup_card(std::string title, double speedup, double efficiency) {
  return {std::move(title), format("{:.2f}x", speedup),
          format("{:.0f} % efficiency", 100.0 * efficiency),
          efficiency >= 0.9 ? "good" : "warning"};
}

PageBar step_bar(std::string label, double step_s, double work_s) {
  PageBar bar{.label = std::move(label), .text = si(step_s, "s"), .parts = {}};
  const double work = std::min(work_s, step_s);
  bar.parts.push_back({"the step on one device", work, si(work, "s")});
  bar.parts.push_back({"what the exchange adds", step_s - work, si(step_s - work, "s")});
  return bar;
}

}  // namespace rooflab::report
