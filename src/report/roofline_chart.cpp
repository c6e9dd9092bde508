#include "roofline_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "chart/roofs.hpp"
#include "rooflab/base/text.hpp"
#include "roofline_captions.hpp"

namespace rooflab::report {
namespace {

using analyze::PointKind;
using analyze::Roofline;
using analyze::RooflinePoint;
using analyze::RooflineSeries;

/// No marker belongs to two kinds; within a kind two take turns, and colour tells series apart.
std::array<chart::Marker, 2> markers_of(PointKind kind) {
  using chart::Marker;
  switch (kind) {
    case PointKind::limit:
      return {Marker::circle, Marker::square};
    case PointKind::timed:
      return {Marker::diamond, Marker::triangle};
    case PointKind::counted:
      return {Marker::triangle_down, Marker::cross};
  }
  return {};
}

std::vector<std::string> details_of(const RooflinePoint& point, const RooflineSeries& series,
                                    const Roofline& roofline) {
  const bool counted = series.kind == PointKind::counted;
  std::vector<std::string> details = {
      series.name, format("{:.2f} FLOP/B", point.intensity), si(point.flops_per_s, "FLOP/s"),
      format("{} {} ({:.1f} % of {})", series.kind == PointKind::limit ? "limit" : "measured",
             si(point.time_s, "s"), point.time_share * 100.0,
             counted ? "the kernels" : "its network")};
  if (!counted) {
    details.push_back(format("bound: {}", name_of(point.bound)));
    return details;
  }
  if (const std::optional<double> roof = highest_roof(roofline, point.intensity)) {
    details.push_back(place_against_ridges(roofline, point.intensity));
    details.push_back(
        format("{:.3g} % of the highest roof there", 100.0 * point.flops_per_s / *roof));
  }
  return details;
}

void add_roofs(const Roofline& roofline, chart::Chart& chart) {
  const std::vector<DrawnRoof> roofs = drawn_roofs(roofline);
  if (roofs.empty()) return;
  const device::Device& device = roofline.device;
  const double bandwidth = device.bandwidth->value;
  const double highest = std::ranges::max(roofs, {}, &DrawnRoof::peak).peak;
  const std::string memory = device.memory_type ? device.memory_type->value : "memory";
  chart.guides.push_back(
      chart::bandwidth_roof(format("{} {}", memory, si(bandwidth, "B/s")), bandwidth, highest));
  int color = 0;
  for (const DrawnRoof& roof : roofs) {
    chart.guides.push_back(
        chart::peak_roof(format("{} {}", label_of(roof.path), si(roof.peak, "FLOP/s")), roof.peak,
                         bandwidth, color));
    chart.vertical_guides.push_back(chart::ridge_point(roof.peak, bandwidth, color));
    ++color;
  }
}

}  // namespace

chart::Chart roofline_chart(const Roofline& roofline) {
  chart::Chart chart;
  chart.title = format("Roofline of {}{}{}", roofline.device.name,
                       roofline.setting.empty() ? "" : ": ", roofline.setting);
  chart.x = {.label = "arithmetic intensity", .unit = "FLOP/B", .scale = chart::Scale::logarithmic};
  chart.y = {.label = "performance",
             .unit = "FLOP/s",
             .scale = chart::Scale::logarithmic,
             .numbers = chart::NumberStyle::si};
  chart.captions = roofline_captions(roofline);
  add_roofs(roofline, chart);
  // Roofs take the first colours, networks the following ones.
  int color = static_cast<int>(roofline.paths.size());
  std::map<PointKind, std::size_t> of_kind;
  for (const RooflineSeries& from : roofline.series) {
    chart::Series series;
    series.name = from.name;
    const std::array<chart::Marker, 2> markers = markers_of(from.kind);
    series.marker = markers[of_kind[from.kind]++ % markers.size()];
    series.color = color++;
    for (const RooflinePoint& point : from.points) {
      series.points.push_back({point.intensity, point.flops_per_s, std::sqrt(point.time_share),
                               point.label, details_of(point, from, roofline)});
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace rooflab::report
