#include <algorithm>
#include <map>
#include <set>

#include "case_selection.hpp"
#include "page_tables.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/study/quantity.hpp"

namespace rooflab::study {
namespace {

using CaseList = std::vector<const StudyCase*>;

CaseList having(std::span<const StudyCase> cases, const ChartWish& wish) {
  CaseList list;
  for (const StudyCase& each : cases) {
    if (has_all(each, wish.where) && each.find(wish.y) != nullptr) list.push_back(&each);
  }
  return list;
}

/// A quantity's figure, or an attribute that is a number.
std::optional<double> abscissa_of(const StudyCase& study_case, const std::string& name) {
  if (const Figure* figure = study_case.find(name)) return figure->value;
  return parse_number(study_case.attribute(name));
}

chart::Axis axis_of(const std::string& name, bool logarithmic) {
  chart::Axis axis;
  axis.label = name;
  axis.numbers = chart::NumberStyle::si;
  if (const Quantity* quantity = find_quantity(name)) {
    axis.label = quantity->title;
    axis.unit = quantity->unit;
  }
  axis.scale = logarithmic ? chart::Scale::logarithmic : chart::Scale::linear;
  return axis;
}

void add_bars(report::PageSection& section, const ChartWish& wish, const CaseList& cases) {
  const Quantity& quantity = *find_quantity(wish.y);
  const std::vector<std::string> keys = differing_attributes(cases);
  for (const StudyCase* each : cases) {
    const double value = each->find(wish.y)->value;
    const std::string text = text_of(quantity, value);
    const std::string part = wish.series.empty() ? std::string(quantity.title)
                                                 : std::string(each->attribute(wish.series));
    std::string label = label_of(*each, keys);
    if (label.empty()) label = each->id;
    section.bars.push_back({std::move(label), text, {{part, value, text}}});
  }
  section.bar_scale = report::BarScale::absolute;
}

void add_lines(report::PageSection& section, const ChartWish& wish, const CaseList& cases) {
  std::vector<std::string> keys = differing_attributes(cases);
  std::erase(keys, wish.x);
  if (!wish.series.empty()) keys = {wish.series};
  std::vector<std::string> names;
  std::map<std::string, std::map<double, const StudyCase*>> lines;
  for (const StudyCase* each : cases) {
    const std::optional<double> x = abscissa_of(*each, wish.x);
    if (!x) continue;
    const std::string name = label_of(*each, keys);
    if (!lines.contains(name)) names.push_back(name);
    lines[name].emplace(*x, each);
  }
  chart::Chart chart;
  chart.title = wish.title;
  chart.x = axis_of(wish.x, wish.log_x);
  chart.y = axis_of(wish.y, wish.log_y);
  int color = 0;
  for (const std::string& name : names) {
    chart::Series series;
    series.name = name;
    series.color = color++;
    series.joined = true;
    for (const auto& [x, each] : lines[name]) {
      const double y = each->find(wish.y)->value;
      series.points.push_back({x, y, 0.5, "", {each->id, text_of(*find_quantity(wish.y), y)}});
    }
    chart.series.push_back(std::move(series));
  }
  if (!chart.series.empty()) section.charts.push_back({"", std::move(chart), {}});
}

}  // namespace

void add_chart(report::PageSection& section, const ChartWish& wish,
               std::span<const StudyCase> cases) {
  const CaseList list = having(cases, wish);
  if (list.empty()) {
    section.notes.push_back(format("no case has the figures of this chart ({})", wish.y));
    return;
  }
  wish.kind == ChartWish::Kind::bars ? add_bars(section, wish, list)
                                     : add_lines(section, wish, list);
}

}  // namespace rooflab::study
