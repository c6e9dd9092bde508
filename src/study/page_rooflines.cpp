// Rooflines of a study: a point for each case and published row, a chart for each device. Where a
// point lies is what the case says of itself:
//
//     limit      modelled FLOPs over compulsory bytes and the limit
//     predicted  the same over the expected time
//     measured   the same over the measured time
//     counted    counted FLOPs over counted DRAM bytes and the time
//     published  what was published of these: counted, else modelled
//
// The hue is the network, as on every page.

#include <algorithm>

#include "base/format.hpp"
#include "case_selection.hpp"
#include "chart/name_list.hpp"
#include "datasheet_figures.hpp"
#include "known_device.hpp"
#include "page_tables.hpp"
#include "report/page_parts.hpp"
#include "report/roofline_chart.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab::study {
namespace {

using analyze::PointKind;
using page::Cell;

/// FLOPs, bytes and time of a point; all three are known where it has a place.
struct Work {
  std::optional<double> flops;
  std::optional<double> bytes;
  std::optional<double> time_s;

  [[nodiscard]] bool is_known() const {
    return flops.value_or(0.0) > 0.0 && bytes.value_or(0.0) > 0.0 && time_s.value_or(0.0) > 0.0;
  }
};

/// What counters have. Rates and intensities of a publisher stand in for what it does not print.
Work counted_work(const StudyCase& study_case) {
  Work work = {study_case.value("counted_flops"), study_case.value("dram_bytes"),
               study_case.value("time")};
  if (const auto rate = study_case.value("counted_throughput")) {
    if (const auto time = quotient(work.flops, rate)) work.time_s = time;
  }
  if (!work.bytes) work.bytes = quotient(work.flops, study_case.value("counted_intensity"));
  return work;
}

Work modelled_work(const StudyCase& study_case, std::string_view time) {
  return {study_case.value("flops"), study_case.value("bytes"), study_case.value(time)};
}

/// Kinds of points that a case has, with their work.
std::vector<std::pair<PointKind, Work>> points_of(const StudyCase& study_case) {
  const std::string_view mode = study_case.attribute("mode");
  std::vector<std::pair<PointKind, Work>> points;
  const auto add = [&points](PointKind kind, const Work& work) {
    if (work.is_known()) points.emplace_back(kind, work);
  };
  const Work counted = counted_work(study_case);
  if (mode == "published") {
    const Work modelled = modelled_work(study_case, "time");
    add(PointKind::published, counted.is_known() ? counted : modelled);
    return points;
  }
  add(PointKind::limit, modelled_work(study_case, "limit"));
  const Figure* const time = study_case.find("time");
  const bool is_predicted = mode == name_of(Mode::predict);
  if (!is_predicted || (time != nullptr && time->low)) {
    add(is_predicted ? PointKind::predicted : PointKind::timed, modelled_work(study_case, "time"));
  }
  add(PointKind::counted, counted);
  return points;
}

std::string network_of(const StudyCase& study_case) {
  const std::string_view model = study_case.attribute("model");
  return model.empty() ? study_case.id : std::string(model);
}

/// A kind of point of a case that is on the chart.
struct Placed {
  const StudyCase* of = nullptr;
  std::string name;
  PointKind kind = PointKind::limit;
  analyze::RooflinePoint point;
};

void add_point(analyze::Roofline& roofline, std::vector<Placed>& placed, const StudyCase& of,
               const std::string& name, PointKind kind, const Work& work) {
  analyze::RooflineSeries series;
  series.name = name;
  series.kind = kind;
  series.network = network_of(of);
  if (const auto path = path_of(of, roofline.device)) series.paths.insert(*path);
  if (!series.add(name, work.flops, work.bytes, work.time_s, 1.0)) return;
  const Figure* const time = of.find("time");
  if (kind == PointKind::predicted && time != nullptr) {
    series.points.back().low_s = time->low;
    series.points.back().high_s = time->high;
  }
  placed.push_back({&of, name, kind, series.points.back()});
  roofline.add(std::move(series));
}

page::Table table_of_points(const analyze::Roofline& roofline, std::span<const Placed> placed) {
  page::Table table =
      table_with(format("Points on the roofline of {}", roofline.device.name),
                 {left("case"), left("kind"), right("intensity", "FLOP/B"),
                  right("performance", "FLOP/s"), right("attainable", "attainable FLOP/s"),
                  right("share", "of attainable"), left("bound", "side of the ridge")});
  for (const Placed& each : placed) {
    if (each.kind == PointKind::limit) continue;  // it is at its roof by construction
    const double intensity = each.point.intensity;
    const auto ridge = each.of->value("ridge_point");
    // Of the point's own intensity: a case may be both modelled and counted.
    const std::optional<double> attainable = attainable_at(*each.of, intensity);
    table.rows.push_back(
        {each.name, std::string(name_of(each.kind)), page::si_cell(intensity, "FLOP/B"),
         page::si_cell(each.point.flops_per_s, "FLOP/s"),
         attainable ? page::si_cell(*attainable, "FLOP/s") : Cell("-", ""),
         attainable ? Cell(format("{:.3g} %", 100.0 * each.point.flops_per_s / *attainable),
                           format("{}", each.point.flops_per_s / *attainable))
                    : Cell("-", ""),
         !ridge               ? "-"
         : intensity < *ridge ? "memory"
                              : "arithmetic"});
  }
  return table;
}

}  // namespace

void add_rooflines(page::PageSection& section, const ChartWish& wish,
                   std::span<const StudyCase> cases, const device::Catalog& catalog) {
  std::vector<std::pair<std::string, CaseList>> by_device;
  for (const StudyCase& each : cases) {
    const std::string device(each.attribute("device"));
    if (device.empty() || !has_all(each, wish.where) || points_of(each).empty()) continue;
    auto known = std::ranges::find(by_device, device, &std::pair<std::string, CaseList>::first);
    if (known == by_device.end()) known = by_device.insert(known, {device, {}});
    known->second.push_back(&each);
  }
  chart::Names networks;
  for (const auto& [device, list] : by_device) {
    for (const StudyCase* each : list) chart::add_name(networks, network_of(*each));
  }
  for (const auto& [id, list] : by_device) {
    const std::optional<device::Device> device = known_device(catalog, id);
    if (!device) {
      page::add_once(section.notes, format("no device file describes {}: it has no roofs", id));
      continue;
    }
    analyze::Roofline roofline;
    roofline.device = *device;
    roofline.per = analyze::PointPer::model;
    roofline.setting = wish.title;
    std::vector<std::string> keys = telling_attributes(list);
    for (const char* const key : {"device", "mode", "machine", "group"}) std::erase(keys, key);
    if (std::ranges::find(keys, "model") == keys.end()) keys.insert(keys.begin(), "model");
    std::vector<Placed> placed;
    for (const StudyCase* each : list) {
      const std::string label = label_of(*each, keys);
      for (const auto& [kind, work] : points_of(*each)) {
        add_point(roofline, placed, *each, label.empty() ? each->id : label, kind, work);
      }
    }
    section.charts.push_back({"", report::roofline_chart(roofline, networks), {}});
    if (by_device.size() > 1) section.charts.back().chart.title = device->name;
    page::Table table = table_of_points(roofline, placed);
    if (table.rows.empty()) continue;
    const std::string heading = table.title;
    section.details.push_back(detail_of(heading, std::move(table)));
  }
  if (section.charts.size() > 1) report::set_side_by_side(section);
  if (section.charts.empty()) {
    section.notes.push_back("no case has FLOPs, bytes and time on a known device");
  }
}

}  // namespace rooflab::study
