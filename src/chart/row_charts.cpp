#include "row_charts.hpp"

#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "dot_axis.hpp"
#include "part_names.hpp"
#include "renderers.hpp"

namespace rooflab::chart {
namespace {

/// More rows are too small to read on a page of paper.
constexpr std::size_t most_rows = 100;

bool has_length(const BarPart& part) { return std::isfinite(part.value) && part.value > 0.0; }

double length_of_all(const Bar& bar) {
  double length = 0.0;
  for (const BarPart& part : bar.parts) length += has_length(part) ? part.value : 0.0;
  return length;
}

/// Says how many rows a picture lacks.
void caption_rows(RowChart& chart, std::size_t all) {
  if (chart.rows.size() == all) return;
  chart.captions.push_back(format("The first {} of {} rows.", chart.rows.size(), all));
}

Row row_of(const Bar& bar, const PartNames& names, double whole) {
  Row row;
  row.label = bar.label;
  row.text = bar.text;
  double at = 0.0;
  for (const BarPart& part : bar.parts) {
    if (!has_length(part) || whole <= 0.0) continue;
    const double end = at + part.value / whole;
    row.bars.push_back({at, end, names.color(names.index_of(part.name))});
    at = end;
  }
  return row;
}

Row row_of(const Dot& dot, std::span<const std::string> names) {
  const int color = color_of_dot(dot, names);
  Row row;
  row.group = dot.group;
  row.label = dot.label;
  row.text = dot.value;
  if (dot.low && dot.high) row.interval = Range{*dot.low, *dot.high};
  row.interval_color = color;
  if (dot.limit) row.marks.push_back({*dot.limit, std::nullopt, neutral_color});
  if (dot.predicted) row.marks.push_back({*dot.predicted, Marker::circle, color});
  if (dot.measured) row.marks.push_back({*dot.measured, Marker::diamond, color});
  return row;
}

std::vector<RowKey> keys_of(std::span<const Dot> dots, const DotAxisWords& words,
                            const Names& kinds) {
  const auto any = [dots](auto member) {
    return std::ranges::any_of(dots,
                               [member](const Dot& dot) { return (dot.*member).has_value(); });
  };
  std::vector<RowKey> keys;
  const auto add = [&keys](std::string_view text, Marker marker) {
    keys.push_back({std::string(text), marker, neutral_color});
  };
  if (any(&Dot::predicted)) add(words.predicted, Marker::circle);
  if (any(&Dot::measured)) add(words.measured, Marker::diamond);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (!kinds[i].empty()) keys.push_back({kinds[i], std::nullopt, color_of_name(i)});
  }
  const auto quiet = std::ranges::find(dots, true, &Dot::is_quiet);
  if (quiet != dots.end()) keys.push_back({quiet->kind, std::nullopt, neutral_color});
  return keys;
}

}  // namespace

RowChart bar_chart(const std::string& title, std::span<const Bar> bars, BarScale scale) {
  PartNames names;
  double longest = 0.0;
  for (const Bar& bar : bars) {
    for (const BarPart& part : bar.parts) {
      if (has_length(part)) names.add(part.name, part.color);
    }
    longest = std::max(longest, length_of_all(bar));
  }
  const bool are_shares = scale == BarScale::share;
  RowChart chart;
  chart.title = title;
  chart.axis.label = are_shares ? "share of each bar" : "share of the longest bar";
  chart.axis.unit = "%";
  chart.axis.range = Range{0.0, 100.0};
  for (std::size_t i = 0; i < names.size(); ++i) {
    chart.keys.push_back({names.name(i), std::nullopt, names.color(i)});
  }
  for (const Bar& bar : bars.first(std::min(most_rows, bars.size()))) {
    const double whole = are_shares ? length_of_all(bar) : longest;
    chart.rows.push_back(row_of(bar, names, whole / 100.0));
  }
  caption_rows(chart, bars.size());
  return chart;
}

RowChart dot_chart(const std::string& title, std::span<const Dot> dots, DotAxis axis) {
  const DotAxisWords& words = words_of(axis);
  const Names names = dot_names(dots);
  RowChart chart;
  chart.title = title;
  chart.axis.label = words.title;
  chart.axis.scale = Scale::logarithmic;
  if (axis == DotAxis::time) {
    chart.axis.unit = "s";
    chart.axis.numbers = NumberStyle::si;
  }
  chart.reference = words.reference;
  chart.keys = keys_of(dots, words, have_kinds(dots) ? names : Names());
  Names groups;
  for (const Dot& dot : dots) add_name(groups, dot.group);
  for (const std::string& group : groups) {
    for (const Dot& dot : dots) {
      if (dot.group == group && chart.rows.size() < most_rows) {
        chart.rows.push_back(row_of(dot, names));
      }
    }
  }
  caption_rows(chart, dots.size());
  return chart;
}

}  // namespace rooflab::chart
