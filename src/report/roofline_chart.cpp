#include "rooflab/report/roofline_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "rooflab/base/text.hpp"
#include "rooflab/chart/roofs.hpp"

namespace rooflab::report {
namespace {

using analyze::Roofline;
using analyze::RooflinePoint;
using analyze::RooflineSeries;

constexpr std::array markers = {chart::Marker::circle, chart::Marker::square,
                                chart::Marker::diamond, chart::Marker::triangle,
                                chart::Marker::triangle_down};

chart::Point point_of(const RooflinePoint& point, const RooflineSeries& series) {
  return {point.intensity,
          point.flops_per_s,
          std::sqrt(point.time_share),
          point.label,
          {series.name, format("{:.2f} FLOP/B", point.intensity), si(point.flops_per_s, "FLOP/s"),
           format("{} {} ({:.1f} % of its network)", series.measured ? "measured" : "limit",
                  si(point.time_s, "s"), point.time_share * 100.0),
           format("bound: {}", predict::name_of(point.bound))}};
}

void add_roofs(const Roofline& roofline, chart::Chart& chart) {
  const device::Device& device = roofline.device;
  if (!device.bandwidth) return;
  const double bandwidth = device.bandwidth->value;
  double highest = 0.0;
  for (const ArithmeticPath path : roofline.paths) {
    highest = std::max(highest, device::peak(device, path).value_or(0.0));
  }
  if (highest <= 0.0) return;
  const std::string memory = device.memory_type ? device.memory_type->value : "memory";
  chart.guides.push_back(
      chart::bandwidth_roof(format("{} {}", memory, si(bandwidth, "B/s")), bandwidth, highest));
  int color = 0;
  for (const ArithmeticPath path : roofline.paths) {
    const std::optional<double> peak = device::peak(device, path);
    if (!peak) continue;
    chart.guides.push_back(chart::peak_roof(format("{} {}", label_of(path), si(*peak, "FLOP/s")),
                                            *peak, bandwidth, color));
    chart.vertical_guides.push_back(chart::ridge_point(*peak, bandwidth, color));
    ++color;
  }
}

std::vector<std::string> captions_of(const Roofline& roofline) {
  const device::Device& device = roofline.device;
  std::vector<std::string> figures;
  for (const ArithmeticPath path : roofline.paths) {
    if (const auto peak = device.peaks.find(path); peak != device.peaks.end()) {
      figures.push_back(format("{} {:g} {}{}", label_of(path), peak->second.printed_value,
                               peak->second.unit, peak->second.recalled ? " (recalled)" : ""));
    }
  }
  if (device.bandwidth) {
    figures.push_back(format("memory {:g} {}{}", device.bandwidth->printed_value,
                             device.bandwidth->unit,
                             device.bandwidth->recalled ? " (recalled)" : ""));
  }
  std::vector<std::string> captions = {
      format("{}: {}; dense peaks at boost clock.", device.name, join(figures, ", ")),
      "Modelled points: compulsory bytes, each layer at its limit. Area: share of the network's "
      "time."};
  if (std::ranges::any_of(roofline.series, &RooflineSeries::measured)) {
    captions.push_back(
        "Measured points: the time is measured, FLOPs and compulsory bytes are modelled: a cache"
        " that saves traffic can lift a point above the memory's slope.");
  }
  for (const RooflineSeries& series : roofline.series) {
    if (!series.remark.empty()) captions.push_back(format("{}: {}.", series.name, series.remark));
    if (series.without_flops > 0) {
      captions.push_back(
          format("{}: {} layers without FLOPs ({:.1f} % of the time) have no place here.",
                 series.name, series.without_flops, series.without_flops_share * 100.0));
    }
    if (series.points.empty()) {
      captions.push_back(
          format("{}: no {}, no points.", series.name, series.measured ? "FLOPs" : "limit"));
    }
  }
  return captions;
}

}  // namespace

chart::Chart roofline_chart(const Roofline& roofline) {
  chart::Chart chart;
  chart.title = format("Roofline of {}{}{}", roofline.device.name,
                       roofline.setting.empty() ? "" : ": ", roofline.setting);
  chart.x = {"arithmetic intensity", "FLOP/B", chart::Scale::logarithmic, chart::NumberStyle::plain,
             std::nullopt};
  chart.y = {"performance", "FLOP/s", chart::Scale::logarithmic, chart::NumberStyle::si,
             std::nullopt};
  chart.captions = captions_of(roofline);
  add_roofs(roofline, chart);
  // Roofs take the first colours, networks the following ones.
  const int first_color = static_cast<int>(roofline.paths.size());
  for (std::size_t i = 0; i < roofline.series.size(); ++i) {
    const RooflineSeries& from = roofline.series[i];
    chart::Series series;
    series.name = from.name;
    series.marker = markers[i % markers.size()];
    series.color = first_color + static_cast<int>(i);
    for (const RooflinePoint& point : from.points) {
      series.points.push_back(point_of(point, from));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

int point_count(const chart::Chart& chart) {
  std::size_t count = 0;
  for (const chart::Series& series : chart.series) count += series.points.size();
  return static_cast<int>(count);
}

}  // namespace rooflab::report
