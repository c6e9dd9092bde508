// Charts of a study. Every case that has the figure is drawn, or a note says why it is not.
//
// A line is of cases that are alike but for x. Where x is a quantity something else must run along
// the line for it to have more than a point: the first attribute in which the cases differ that is
// a number, as the batch. All other attributes tell lines apart, `series` the first of them.

#include <algorithm>

#include "base/format.hpp"
#include "case_selection.hpp"
#include "page_tables.hpp"
#include "study_quantity.hpp"

namespace rooflab::study {
namespace {

/// A quantity's figure, or an attribute that is a number.
std::optional<double> abscissa_of(const StudyCase& study_case, const std::string& name) {
  if (const Figure* figure = study_case.find(name)) return figure->value;
  return parse_number(study_case.attribute(name));
}

chart::Axis axis_of(const ShownValue& shown, bool logarithmic) {
  chart::Axis axis;
  axis.label = shown.title();
  axis.unit = shown.unit();
  axis.numbers = chart::NumberStyle::si;
  axis.scale = logarithmic ? chart::Scale::logarithmic : chart::Scale::linear;
  return axis;
}

chart::Axis axis_of(const std::string& name, bool logarithmic) {
  chart::Axis axis;
  if (const Quantity* quantity = find_quantity(name)) {
    return axis_of(ShownValue::of_quantity(*quantity), logarithmic);
  }
  axis.label = name;
  axis.numbers = chart::NumberStyle::si;
  axis.scale = logarithmic ? chart::Scale::logarithmic : chart::Scale::linear;
  return axis;
}

void add_bars(page::PageSection& section, const ChartWish& wish, const CaseList& cases,
              std::span<const StudyCase> all) {
  const std::vector<std::string> keys = telling_attributes(cases);
  for (const StudyCase* each : cases) {
    const double value = wish.y->of(*each, all)->value;
    const std::string text = wish.y->text(value);
    const std::string part =
        wish.series.empty() ? wish.y->title() : std::string(each->attribute(wish.series));
    std::string label = label_of(*each, keys);
    if (label.empty()) label = each->id;
    std::string whole = text;
    if (is_misfit(*each, *wish.y)) whole += misfit_mark;
    section.bars.push_back({std::move(label), std::move(whole), {{part, value, text}}});
  }
  section.bar_scale = chart::BarScale::absolute;
}

/// What tells the lines apart, `series` first.
std::vector<std::string> line_keys(const ChartWish& wish, const CaseList& cases) {
  std::vector<std::string> keys = telling_attributes(cases);
  std::erase(keys, wish.x);
  std::erase(keys, wish.series);
  if (find_quantity(wish.x) != nullptr) {
    const auto runs_along = [&](const std::string& key) {
      return std::ranges::all_of(cases, [&key](const StudyCase* each) {
        return parse_number(each->attribute(key)).has_value();
      });
    };
    const auto along = std::ranges::find_if(keys, runs_along);
    if (along != keys.end()) keys.erase(along);
  }
  if (!wish.series.empty()) keys.insert(keys.begin(), wish.series);
  return keys;
}

struct ChartLine {
  std::string name;
  std::vector<std::pair<double, const StudyCase*>> points;
};

std::vector<ChartLine> lines_of(const ChartWish& wish, const CaseList& cases) {
  const std::vector<std::string> keys = line_keys(wish, cases);
  std::vector<ChartLine> lines;
  for (const StudyCase* each : cases) {
    const std::string name = label_of(*each, keys);
    auto line = std::ranges::find(lines, name, &ChartLine::name);
    if (line == lines.end()) line = lines.insert(line, {name, {}});
    line->points.emplace_back(*abscissa_of(*each, wish.x), each);
  }
  for (ChartLine& line : lines) {
    std::ranges::stable_sort(line.points, {}, &std::pair<double, const StudyCase*>::first);
  }
  return lines;
}

/// `no number for x 'batch', so not drawn: published-1, published-2 and 3 more`.
std::string absence_note(const ChartWish& wish, const CaseList& absent) {
  constexpr std::size_t most_listed = 3;
  std::vector<std::string> names;
  for (const StudyCase* each : absent) {
    if (names.size() < most_listed) names.push_back(each->id);
  }
  const std::size_t more = absent.size() - names.size();
  return format("no number for x '{}', so not drawn: {}{}", wish.x, join(names, ", "),
                more > 0 ? format(" and {} more", more) : "");
}

void add_lines(page::PageSection& section, const ChartWish& wish, const CaseList& cases,
               std::span<const StudyCase> all) {
  CaseList drawn;
  CaseList absent;
  for (const StudyCase* each : cases) {
    (abscissa_of(*each, wish.x) ? drawn : absent).push_back(each);
  }
  if (drawn.empty()) {
    section.notes.push_back(format("no case has a number for x '{}'", wish.x));
    return;
  }
  if (!absent.empty()) section.notes.push_back(absence_note(wish, absent));
  chart::Chart chart;
  chart.title = wish.title;
  chart.x = axis_of(wish.x, wish.log_x);
  chart.y = axis_of(*wish.y, wish.log_y);
  int number = 0;
  for (const ChartLine& line : lines_of(wish, drawn)) {
    chart::Series series;
    series.name = line.name;
    // Where the hues are used up, lines differ in their markers.
    series.color = number % chart::neutral_color;
    series.marker = chart::marker_of(number++ / chart::neutral_color);
    series.joined = true;
    for (const auto& [x, each] : line.points) {
      const double y = wish.y->of(*each, all)->value;
      series.points.push_back({x, y, 0.5, "", {each->id, figure_cell(*each, *wish.y, all).text}});
    }
    chart.series.push_back(std::move(series));
  }
  section.charts.push_back({"", std::move(chart), {}});
}

}  // namespace

void add_chart(page::PageSection& section, const ChartWish& wish,
               std::span<const StudyCase> cases) {
  const std::span<const ShownValue> values(&*wish.y, 1);
  const CaseList list = cases_with(cases, wish.where, values);
  if (list.empty()) {
    section.notes.push_back(format("no case has the figures of this chart ({})", wish.y->key()));
    return;
  }
  const auto has_series = [&](const StudyCase* each) {
    return !each->attribute(wish.series).empty();
  };
  if (!wish.series.empty() && std::ranges::none_of(list, has_series)) {
    section.notes.push_back(format("no case has the attribute of the series ({})", wish.series));
  }
  wish.kind == ChartWish::Kind::bars ? add_bars(section, wish, list, cases)
                                     : add_lines(section, wish, list, cases);
  add_misfit_notes(section, list, values);
}

}  // namespace rooflab::study
