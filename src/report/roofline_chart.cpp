#include "roofline_chart.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "base/format.hpp"
#include "chart/name_list.hpp"
#include "chart/roofs.hpp"
#include "rooflab/record/kernel_name.hpp"
#include "roofline_captions.hpp"

namespace rooflab::report {
namespace {

using analyze::PointKind;
using analyze::PointPer;
using analyze::Roofline;
using analyze::RooflinePoint;
using analyze::RooflineSeries;

constexpr double least_labelled_share = 0.03;  ///< share of the time
constexpr double least_framed_share = 0.01;    ///< points that the axes are chosen for
constexpr double below_points = 10.0;          ///< how far the y axis reaches below the lowest

/// The hue of each network, in the order of their names; grey for what comes after the last hue.
class Hues {
 public:
  Hues(const Roofline& roofline, std::span<const std::string> networks)
      : networks_(networks.begin(), networks.end()) {
    for (const RooflineSeries& series : roofline.series) chart::add_name(networks_, series.network);
  }

  [[nodiscard]] int of(const std::string& network) const {
    const auto number = static_cast<int>(std::ranges::find(networks_, network) - networks_.begin());
    return std::min(number, chart::neutral_color);
  }

 private:
  std::vector<std::string> networks_;
};

/// The point of the same work in the series of that kind; nullptr without one.
const RooflinePoint* same_work(const Roofline& roofline, const RooflineSeries& of, PointKind kind,
                               const std::string& label) {
  for (const RooflineSeries& series : roofline.series) {
    if (series.kind != kind || series.name != of.name) continue;
    const auto point = std::ranges::find(series.points, label, &RooflinePoint::label);
    if (point != series.points.end()) return &*point;
  }
  return nullptr;
}

/// What was measured is labelled, else what is expected, else the limit: each work once.
bool has_label(const Roofline& roofline, const RooflineSeries& series, const RooflinePoint& point) {
  if (roofline.per != PointPer::model && point.time_share < least_labelled_share) return false;
  for (const PointKind nearer : {PointKind::timed, PointKind::predicted}) {
    if (series.kind >= nearer) return true;
    const RooflinePoint* const other = same_work(roofline, series, nearer, point.label);
    if (other != nullptr &&
        (roofline.per == PointPer::model || other->time_share >= least_labelled_share)) {
      return false;
    }
  }
  return true;
}

std::string label_of_point(const RooflineSeries& series, const RooflinePoint& point) {
  return series.kind == PointKind::counted ? record::short_kernel_name(point.label) : point.label;
}

std::string time_text(const RooflineSeries& series, const RooflinePoint& point) {
  const PointKind of_time = series.kind == PointKind::counted ? PointKind::timed : series.kind;
  std::string text = format("{} {}", name_of(of_time), si(point.time_s, "s"));
  if (point.low_s && point.high_s) {
    text += format(" ({} to {} in nine of ten cases)", si(*point.low_s, "s", 3),
                   si(*point.high_s, "s", 3));
  }
  if (point.time_share < 1.0) {
    text += format(", {:.1f} % of {}", point.time_share * 100.0,
                   series.kind == PointKind::counted ? "the kernels" : "its network");
  }
  return text;
}

std::vector<std::string> details_of(const RooflinePoint& point, const RooflineSeries& series,
                                    const Roofline& roofline) {
  std::vector<std::string> details = {series.name};
  if (label_of_point(series, point) != point.label) details.push_back(point.label);
  if (point.launches > 1) details.push_back(format("{} launches", point.launches));
  details.push_back(time_text(series, point));
  if (series.kind != PointKind::counted) {
    const RooflinePoint* const limit = same_work(roofline, series, PointKind::limit, point.label);
    if (series.kind != PointKind::limit && limit != nullptr && limit->time_s > 0.0) {
      details.push_back(format("limit {}: {:.2g} times as long", si(limit->time_s, "s"),
                               point.time_s / limit->time_s));
    }
    if (point.bound != predict::Bound::none) {
      details.push_back(format("bound: {}", name_of(point.bound)));
    }
    return details;
  }
  if (const std::optional<double> roof = highest_roof(roofline, point.intensity)) {
    details.push_back(place_against_ridges(roofline, point.intensity));
    details.push_back(
        format("{:.3g} % of the highest roof there", 100.0 * point.flops_per_s / *roof));
  }
  return details;
}

chart::Point drawn_point(const Roofline& roofline, const RooflineSeries& series,
                         const RooflinePoint& point) {
  chart::Point drawn{
      .x = point.intensity,
      .y = point.flops_per_s,
      .weight = roofline.per == PointPer::model &&
                        (series.kind != PointKind::counted || point.time_share >= 1.0)
                    ? 0.3
                    : std::sqrt(point.time_share),
      .label = label_of_point(series, point),
      .details = details_of(point, series, roofline),
      .named = has_label(roofline, series, point)};
  if (point.low_s && point.high_s && *point.low_s > 0.0) {
    drawn.interval = chart::Range{point.flops() / *point.high_s, point.flops() / *point.low_s};
  }
  return drawn;
}

/// A line from each kernel to itself by the traffic of its L2.
void add_l2(const Roofline& roofline, const RooflineSeries& from, int color, chart::Chart& chart) {
  for (const RooflinePoint& point : from.points) {
    if (!point.l2_intensity || point.time_share < least_labelled_share) continue;
    chart::Series line{.name = from.name + ", by the bytes of L2",
                       .marker = chart::Marker::square,
                       .color = color,
                       .joined = true,
                       .keyed = false,
                       .group = from.network};
    chart::Point by_l2 = drawn_point(roofline, from, point);
    by_l2.named = false;
    by_l2.weight = 0.0;
    chart::Point by_dram = by_l2;
    by_l2.x = *point.l2_intensity;
    by_l2.details.emplace_back("intensity by the bytes of L2");
    line.points = {std::move(by_l2), std::move(by_dram)};
    chart.series.push_back(std::move(line));
  }
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
  if (roofline.l2_bytes_per_s && roofline.has_l2_points()) {
    const double l2 = *roofline.l2_bytes_per_s;
    chart.guides.push_back(
        chart::bandwidth_roof(format("L2 {}, measured", si(l2, "B/s")), l2, highest));
    chart.guides.back().style = chart::LineStyle::dashed;
  }
  for (const DrawnRoof& roof : roofs) {
    chart.guides.push_back(chart::peak_roof(
        format("{} {}", label_of(roof.path), si(roof.peak, "FLOP/s")), roof.peak, bandwidth));
    chart.vertical_guides.push_back(chart::ridge_point(roof.peak, bandwidth));
  }
}

/// What has a name in the legend: networks by their hue, kinds by their shape.
void add_keys(const Roofline& roofline, const Hues& hues, chart::Chart& chart) {
  std::set<std::string> known;
  std::set<PointKind> kinds;
  for (const RooflineSeries& series : roofline.series) {
    if (series.points.empty()) continue;
    kinds.insert(series.kind);
    if (!known.insert(series.network).second) continue;
    chart.series.push_back({.name = series.network,
                            .marker = chart::Marker::square,
                            .color = hues.of(series.network),
                            .points = {},
                            .group = series.network});
  }
  const auto add = [&chart](std::string_view name, chart::Marker marker) {
    chart.series.push_back(
        {.name = std::string(name), .marker = marker, .color = chart::neutral_color, .points = {}});
  };
  for (const PointKind kind : kinds) add(name_of(kind), marker_of(kind));
  if (roofline.has_l2_points()) add("counted, by the bytes of L2", chart::Marker::square);
}

/// From a decade below the lowest point that matters to above the highest roof and point.
std::optional<chart::Range> y_range(const Roofline& roofline) {
  double low = INFINITY;
  double high = 0.0;
  for (const DrawnRoof& roof : drawn_roofs(roofline)) high = std::max(high, roof.peak);
  for (const RooflineSeries& series : roofline.series) {
    for (const RooflinePoint& point : series.points) {
      if (point.time_share < least_framed_share) continue;
      low = std::min(low, point.flops_per_s);
      high = std::max(high, point.flops_per_s);
    }
  }
  if (!std::isfinite(low) || low <= 0.0) return std::nullopt;
  return chart::Range{low / below_points, 2.0 * high};
}

}  // namespace

chart::Marker marker_of(PointKind kind) {
  switch (kind) {
    case PointKind::limit:
      return chart::Marker::tick;
    case PointKind::predicted:
      return chart::Marker::circle;
    case PointKind::timed:
      return chart::Marker::diamond;
    case PointKind::counted:
      return chart::Marker::triangle_down;
    case PointKind::published:
      return chart::Marker::triangle;
  }
  return {};
}

chart::Chart roofline_chart(const Roofline& roofline, std::span<const std::string> networks) {
  chart::Chart chart;
  chart.title = format("Roofline of {}{}{}", roofline.device.name,
                       roofline.setting.empty() ? "" : ": ", roofline.setting);
  chart.x = {.label = "arithmetic intensity", .unit = "FLOP/B", .scale = chart::Scale::logarithmic};
  chart.y = {.label = "performance",
             .unit = "FLOP/s",
             .scale = chart::Scale::logarithmic,
             .numbers = chart::NumberStyle::si,
             .range = y_range(roofline)};
  chart.captions = roofline_captions(roofline);
  add_roofs(roofline, chart);
  const Hues hues(roofline, networks);
  for (const RooflineSeries& from : roofline.series) {
    chart::Series series{.name = format("{}, {}", from.name, name_of(from.kind)),
                         .marker = marker_of(from.kind),
                         .color = hues.of(from.network),
                         .joined = from.joined,
                         .points = {},
                         .keyed = false,
                         .group = from.network};
    for (const RooflinePoint& point : from.points) {
      series.points.push_back(drawn_point(roofline, from, point));
    }
    chart.series.push_back(std::move(series));
    add_l2(roofline, from, hues.of(from.network), chart);
  }
  add_keys(roofline, hues, chart);
  return chart;
}

}  // namespace rooflab::report
