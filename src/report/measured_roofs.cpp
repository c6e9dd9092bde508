#include "measured_roofs.hpp"

#include <algorithm>
#include <optional>

#include "base/format.hpp"
#include "chart/axis_scale.hpp"
#include "chart/name_list.hpp"
#include "chart/roofs.hpp"
#include "page_parts.hpp"
#include "rooflab/analyze/roofline_points.hpp"
#include "roofline_chart.hpp"

namespace rooflab::report {
namespace {

/// From eight devices on they would be a page of like pictures.
constexpr std::size_t most_rooflines = 7;
constexpr chart::Size small_size = {400, 380};  ///< three of them in a row

/// `FP32 51.2 TFLOP/s (76.5 %)`: the share is of the datasheet's figure.
std::string figure_text(std::string_view what, double measured, std::string_view unit,
                        const std::optional<double>& printed) {
  const std::string text = format("{} {}", what, si(measured, unit));
  return printed ? format("{} ({:.1f} %)", text, 100.0 * measured / *printed) : text;
}

}  // namespace

void set_side_by_side(page::PageSection& section) {
  std::vector<chart::Chart> all;
  for (const page::PageChart& each : section.charts) all.push_back(each.chart);
  const auto [x, y] = chart::shared_ranges(all);
  const auto having = [&all](const std::string& caption) {
    return std::ranges::count_if(all, [&caption](const chart::Chart& each) {
      return std::ranges::find(each.captions, caption) != each.captions.end();
    });
  };
  for (page::PageChart& each : section.charts) {
    each.chart.x.range = x;
    each.chart.y.range = y;
    each.size = small_size;
    std::erase_if(each.chart.captions, [&](const std::string& caption) {
      if (having(caption) < 2) return false;
      page::add_once(section.notes, page::explains(caption));
      return true;
    });
  }
  section.captions = true;
  section.side_by_side = true;
}

int add_measured_roofs(const analyze::Roofline& roofline, const device::Calibration& calibration,
                       chart::Chart& chart) {
  // A bare device gets the measured figures and no others.
  const device::Device measured = device::with_measured_roofs(device::Device{}, calibration);
  const device::Device& printed = roofline.device;
  const std::optional<device::Figure>& slope =
      measured.bandwidth ? measured.bandwidth : printed.bandwidth;
  if (!slope) return 0;
  std::vector<chart::Guide> guides;
  std::vector<std::string> figures;
  double highest = 0.0;
  // Roofs that a probe measured stand there already.
  const auto is_drawn = [](const device::Figure* figure) {
    return figure != nullptr && figure->measured;
  };
  for (const ArithmeticPath path : roofline.paths) {
    const std::optional<double> peak = device::peak(measured, path);
    const std::optional<double> of_datasheet = device::peak(printed, path);
    highest = std::max(highest, peak.value_or(of_datasheet.value_or(0.0)));
    if (!peak) continue;
    const auto known = printed.peaks.find(path);
    if (!is_drawn(known == printed.peaks.end() ? nullptr : &known->second)) {
      guides.push_back(chart::peak_roof(
          format("measured {} {}", label_of(path), si(*peak, "FLOP/s")), *peak, slope->value));
    }
    figures.push_back(figure_text(label_of(path), *peak, "FLOP/s", of_datasheet));
  }
  if (measured.bandwidth && highest > 0.0) {
    const double bandwidth = measured.bandwidth->value;
    if (!is_drawn(printed.bandwidth ? &*printed.bandwidth : nullptr)) {
      guides.push_back(
          chart::bandwidth_roof(format("measured {}", si(bandwidth, "B/s")), bandwidth, highest));
    }
    figures.push_back(
        figure_text("memory", bandwidth, "B/s",
                    printed.bandwidth ? std::optional(printed.bandwidth->value) : std::nullopt));
  }
  if (figures.empty()) return 0;
  for (chart::Guide& guide : guides) {
    guide.style = chart::LineStyle::dashed;
    chart.guides.push_back(std::move(guide));
  }
  const auto date = calibration.environment.find("date");
  chart.captions.push_back(
      format("Measured roofs{}: {}; calibration {}{}.", guides.empty() ? "" : ", dashed",
             join(figures, ", "), calibration.id,
             date == calibration.environment.end() ? "" : ", " + date->second));
  return static_cast<int>(figures.size());
}

namespace {

using analyze::CaseResult;
using analyze::ImportedCase;
using analyze::MeasuredCase;

/// The networks and files of a page, in the order of its head: their hues.
chart::Names networks_of(std::span<const CaseResult> predictions,
                         std::span<const MeasuredCase> measured,
                         std::span<const ImportedCase> imported) {
  chart::Names networks;
  for (const MeasuredCase& each : measured) chart::add_name(networks, each.record.identity.model);
  for (const CaseResult& each : predictions) chart::add_name(networks, each.model);
  for (const ImportedCase& each : imported) chart::add_name(networks, each.title);
  return networks;
}

bool is_counted(const ImportedCase& imported) {
  return imported.totals.at(record::KernelFigure::collected_flops).value_or(0.0) > 0.0;
}

/// What belongs below one device's roofs.
struct OfDevice {
  device::Device device;
  std::vector<const CaseResult*> limits;
  std::vector<const MeasuredCase*> measured;
  std::vector<const ImportedCase*> imported;
};

}  // namespace

page::PageSection roofline_section(std::span<const CaseResult> predictions,
                                   std::span<const MeasuredCase> measured,
                                   std::span<const ImportedCase> imported) {
  std::vector<OfDevice> devices;  // in the order in which they came up
  const auto of = [&devices](const device::Device& device) -> OfDevice& {
    const auto known = std::ranges::find_if(
        devices, [&](const OfDevice& each) { return each.device.id == device.id; });
    return known != devices.end() ? *known : devices.emplace_back(OfDevice{device, {}, {}, {}});
  };
  for (const CaseResult& result : predictions) of(result.device).limits.push_back(&result);
  for (const MeasuredCase& each : measured) {
    if (each.limit_s() && each.steps) of(each.model->device).measured.push_back(&each);
  }
  for (const ImportedCase& each : imported) {
    if (each.device && (is_counted(each) || each.modelled)) {
      of(*each.device).imported.push_back(&each);
    }
  }
  page::PageSection section{.heading = "Rooflines"};
  if (devices.size() > most_rooflines) {
    section.notes.push_back(format(
        "The rooflines of {} devices are left out: `rooflab roofline MODEL --device ID` draws"
        " one.",
        devices.size()));
    section.captions = true;
    return section;
  }
  const chart::Names networks = networks_of(predictions, measured, imported);
  for (const OfDevice& each : devices) {
    analyze::Roofline roofline = analyze::roofline_of(each.device, each.limits, each.measured);
    for (const ImportedCase* kernels : each.imported) {
      if (kernels->modelled) {
        analyze::add_kernels(roofline,
                             analyze::modelled_series(*kernels->modelled, kernels->title));
      }
      if (!is_counted(*kernels)) continue;
      analyze::add_kernels(
          roofline, analyze::kernel_series(kernels->kernels, kernels->totals, kernels->title));
    }
    section.charts.push_back({"", roofline_chart(roofline, networks)});
    if (devices.size() > 1) section.charts.back().chart.title = each.device.name;
  }
  if (section.charts.size() > 1) set_side_by_side(section);
  return section;
}

}  // namespace rooflab::report
