#include "row_charts.hpp"

#include <algorithm>
#include <cmath>

#include "chart/renderers.hpp"
#include "dot_axis.hpp"
#include "part_names.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::report {
namespace {

/// More rows are too small to read on a page of paper.
constexpr std::size_t most_rows = 100;

bool has_length(const PageBarPart& part) { return std::isfinite(part.value) && part.value > 0.0; }

double length_of_all(const PageBar& bar) {
  double length = 0.0;
  for (const PageBarPart& part : bar.parts) length += has_length(part) ? part.value : 0.0;
  return length;
}

/// Says how many rows a picture lacks.
void caption_rows(chart::RowChart& chart, std::size_t all) {
  if (chart.rows.size() == all) return;
  chart.captions.push_back(format("The first {} of {} rows.", chart.rows.size(), all));
}

chart::Row row_of(const PageBar& bar, const PartNames& names, double whole) {
  chart::Row row;
  row.label = bar.label;
  row.text = bar.text;
  double at = 0.0;
  for (const PageBarPart& part : bar.parts) {
    if (!has_length(part) || whole <= 0.0) continue;
    const double end = at + part.value / whole;
    row.bars.push_back({at, end, names.color(names.index_of(part.name))});
    at = end;
  }
  return row;
}

chart::Row row_of(const PageDot& dot, std::span<const std::string> names) {
  const int color = color_of_dot(dot, names);
  chart::Row row;
  row.group = dot.group;
  row.label = dot.label;
  row.text = dot.value;
  if (dot.low && dot.high) row.interval = chart::Range{*dot.low, *dot.high};
  row.interval_color = color;
  if (dot.limit) row.marks.push_back({*dot.limit, std::nullopt, chart::neutral_color});
  if (dot.predicted) row.marks.push_back({*dot.predicted, chart::Marker::circle, color});
  if (dot.measured) row.marks.push_back({*dot.measured, chart::Marker::diamond, color});
  return row;
}

std::vector<chart::RowKey> keys_of(std::span<const PageDot> dots, const DotAxisWords& words,
                                   const Names& kinds) {
  const auto any = [dots](auto member) {
    return std::ranges::any_of(dots,
                               [member](const PageDot& dot) { return (dot.*member).has_value(); });
  };
  std::vector<chart::RowKey> keys;
  const auto add = [&keys](std::string_view text, chart::Marker marker) {
    keys.push_back({std::string(text), marker, chart::neutral_color});
  };
  if (any(&PageDot::predicted)) add(words.predicted, chart::Marker::circle);
  if (any(&PageDot::measured)) add(words.measured, chart::Marker::diamond);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (!kinds[i].empty()) keys.push_back({kinds[i], std::nullopt, color_of_name(i)});
  }
  const auto quiet = std::ranges::find(dots, true, &PageDot::is_quiet);
  if (quiet != dots.end()) keys.push_back({quiet->kind, std::nullopt, chart::neutral_color});
  return keys;
}

}  // namespace

chart::RowChart bar_chart(const std::string& title, std::span<const PageBar> bars, BarScale scale) {
  PartNames names;
  double longest = 0.0;
  for (const PageBar& bar : bars) {
    for (const PageBarPart& part : bar.parts) {
      if (has_length(part)) names.add(part.name, part.color);
    }
    longest = std::max(longest, length_of_all(bar));
  }
  const bool are_shares = scale == BarScale::share;
  chart::RowChart chart;
  chart.title = title;
  chart.axis.label = are_shares ? "share of each bar" : "share of the longest bar";
  chart.axis.unit = "%";
  chart.axis.range = chart::Range{0.0, 100.0};
  for (std::size_t i = 0; i < names.size(); ++i) {
    chart.keys.push_back({names.name(i), std::nullopt, names.color(i)});
  }
  for (const PageBar& bar : bars.first(std::min(most_rows, bars.size()))) {
    const double whole = are_shares ? length_of_all(bar) : longest;
    chart.rows.push_back(row_of(bar, names, whole / 100.0));
  }
  caption_rows(chart, bars.size());
  return chart;
}

chart::RowChart dot_chart(const std::string& title, std::span<const PageDot> dots, DotAxis axis) {
  const DotAxisWords& words = words_of(axis);
  const Names names = dot_names(dots);
  chart::RowChart chart;
  chart.title = title;
  chart.axis.label = words.title;
  chart.axis.scale = chart::Scale::logarithmic;
  if (axis == DotAxis::time) {
    chart.axis.unit = "s";
    chart.axis.numbers = chart::NumberStyle::si;
  }
  chart.reference = words.reference;
  chart.keys = keys_of(dots, words, have_kinds(dots) ? names : Names());
  Names groups;
  for (const PageDot& dot : dots) add_name(groups, dot.group);
  for (const std::string& group : groups) {
    for (const PageDot& dot : dots) {
      if (dot.group == group && chart.rows.size() < most_rows) {
        chart.rows.push_back(row_of(dot, names));
      }
    }
  }
  caption_rows(chart, dots.size());
  return chart;
}

}  // namespace rooflab::report
