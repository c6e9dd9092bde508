// From top to bottom: title, subtitle, legend, plot, tick labels, axis title (with the note of what
// is not shown at its right), captions. Texts get their height first, the plot the rest. Then, in
// this order, since each keeps clear of those before it: guides, points, guide labels, point
// labels.

#include "layout.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/format.hpp"
#include "guide_labels.hpp"
#include "rooflab/base/error.hpp"
#include "safe_text.hpp"
#include "text_extent.hpp"

namespace rooflab::chart {
namespace {

constexpr double edge = 16.0;  // free space around all
constexpr double row = 20.0;   // a line of text
constexpr double tick_row = 24.0;
constexpr double least_tick_width = 36.0;
constexpr double right_margin = 28.0;
constexpr double legend_symbol = 26.0;  // from an entry's left to its text
constexpr double legend_gap = 22.0;     // between entries
constexpr double largest_radius = 13.0;
constexpr double least_radius = 3.0;
constexpr double label_padding = 2.0;
constexpr double widest_label = 230.0;
constexpr double same_place = 2.0;  // points nearer than about this share a label

class LayoutBuilder {
 public:
  LayoutBuilder(const Chart& chart, Size size, LayoutParts parts)
      : chart_(chart),
        parts_(parts),
        layout_{.size = size, .x = x_scale_of(chart), .y = y_scale_of(chart)} {}

  /// Guides in `in_legend` get an entry in the legend instead of a label.
  Layout build(const std::vector<std::size_t>& in_legend) {
    place_frame(in_legend);
    place_guides();
    place_points();
    label_guides(in_legend);
    label_points();
    place_note();
    return std::move(layout_);
  }

 private:
  void place_frame(const std::vector<std::size_t>& in_legend);
  double place_legend(double top, const std::vector<std::size_t>& in_legend);
  void place_guides();
  void place_points();
  void label_guides(const std::vector<std::size_t>& in_legend);
  void label_points();
  void place_note();

  std::optional<PixelPoint> pixel_of(Position position) const {
    const std::optional<double> x = layout_.x.to_unit(position.x);
    const std::optional<double> y = layout_.y.to_unit(position.y);
    if (!x || !y) return std::nullopt;
    return layout_.to_pixel({*x, *y});
  }

  [[nodiscard]] std::optional<Segment> interval_of(const Point& point, double x) const {
    if (!point.interval) return std::nullopt;
    const std::optional<PixelPoint> low = pixel_of({point.x, point.interval->low});
    const std::optional<PixelPoint> high = pixel_of({point.x, point.interval->high});
    if (!low || !high) return std::nullopt;
    const Rectangle& plot = layout_.plot;
    return Segment{{x, std::clamp(low->y, plot.top, plot.bottom)},
                   {x, std::clamp(high->y, plot.top, plot.bottom)}};
  }

  /// Points of several colours: the labels take theirs.
  [[nodiscard]] bool has_several_colors() const {
    std::set<int> colors;
    for (const PlacedPoint& point : layout_.points)
      colors.insert(chart_.series[point.series].color);
    return colors.size() > 1;
  }

  const Chart& chart_;
  LayoutParts parts_;
  Layout layout_;
  GuideLabelField field_;
};

void LayoutBuilder::place_frame(const std::vector<std::size_t>& in_legend) {
  const double width = layout_.size.width;
  double widest_tick = least_tick_width;  // charts of time below each other align
  for (const Tick& tick : layout_.y.ticks()) {
    widest_tick = std::max(widest_tick, text_width(tick.label, text_font));
  }
  Rectangle& plot = layout_.plot;
  plot.left = std::ceil(edge + row + widest_tick + 8.0);
  plot.right = width - right_margin;

  double top = edge;
  const auto add_line = [&](const std::string& text, double font, double height) {
    if (text.empty()) return;
    layout_.texts.push_back({elide_to_width(safe_text(text), font, width - plot.left - edge),
                             {plot.left, top + height / 2.0},
                             Align::left,
                             font});
    top += height;
  };
  if (parts_.title) {
    add_line(chart_.title, title_font, title_font * 1.5);
    add_line(chart_.subtitle, text_font + 1.0, row);
  }
  top = place_legend(top, in_legend);
  plot.top = top + 8.0;

  std::vector<std::string> captions;
  for (const std::string& caption : chart_.captions) {
    if (!parts_.captions) break;
    for (std::string& line : wrap_to_width(safe_text(caption), text_font, plot.width())) {
      captions.push_back(std::move(line));
    }
  }
  double bottom =
      layout_.size.height - edge / 2.0 - row * 0.9 * static_cast<double>(captions.size());
  plot.bottom = std::max(bottom - row - tick_row - (captions.empty() ? 0.0 : 6.0), plot.top + 60.0);
  for (const std::string& line : captions) {
    layout_.texts.push_back({line, {plot.left, bottom + row * 0.45}, Align::left, text_font});
    bottom += row * 0.9;
  }
  layout_.texts.push_back({title_of(chart_.x),
                           {plot.center().x, plot.bottom + tick_row + row / 2.0},
                           Align::center,
                           text_font + 1.0});
  layout_.texts.push_back({title_of(chart_.y),
                           {edge + row / 4.0, plot.center().y},
                           Align::center,
                           text_font + 1.0,
                           90.0});
}

double LayoutBuilder::place_legend(double top, const std::vector<std::size_t>& in_legend) {
  std::vector<LegendEntry>& legend = layout_.legend;
  for (const Series& series : chart_.series) {
    if (series.name.empty() || !series.keyed) continue;
    legend.push_back({.text = series.name,
                      .color = series.color,
                      .marker = series.marked ? std::optional(series.marker) : std::nullopt});
  }
  for (const std::size_t index : in_legend) {
    const Guide& guide = chart_.guides[index];
    legend.push_back({.text = guide.label, .color = guide.color, .style = guide.style});
  }
  if (!parts_.legend || legend.empty()) {
    legend.clear();
    return top;
  }
  const double room = layout_.plot.width();
  double left = 0.0;
  top += 4.0;
  for (LegendEntry& entry : legend) {
    entry.text = elide_to_width(safe_text(entry.text), text_font, room - legend_symbol);
    const double width = legend_symbol + text_width(entry.text, text_font);
    if (left > 0.0 && left + width > room) {
      left = 0.0;
      top += row;
    }
    const double x = layout_.plot.left + left;
    entry.symbol = {x + 9.0, top + row / 2.0};
    entry.text_at = {x + legend_symbol, top + row / 2.0};
    left += width + legend_gap;
  }
  return top + row;
}

void LayoutBuilder::place_guides() {
  for (const Guide& guide : chart_.guides) {
    PlacedGuide placed{.path = {}, .style = guide.style, .color = guide.color, .label = {}};
    for (const std::vector<UnitPoint>& piece : path_of(guide, layout_.x, layout_.y)) {
      std::vector<PixelPoint>& pixels = placed.path.emplace_back();
      for (const UnitPoint& unit : piece) pixels.push_back(layout_.to_pixel(unit));
      for (std::size_t i = 0; i + 1 < pixels.size(); ++i) {
        field_.lines.push_back({pixels[i], pixels[i + 1]});
      }
    }
    layout_.guides.push_back(std::move(placed));
  }
  for (const VerticalGuide& guide : chart_.vertical_guides) {
    PlacedGuide placed{.path = {}, .style = LineStyle::dashed, .color = guide.color, .label = {}};
    const std::optional<double> x = layout_.x.to_unit(guide.x);
    const double top = guide.top ? layout_.y.to_unit(*guide.top).value_or(1.0) : 1.0;
    if (x && *x >= 0.0 && *x <= 1.0 && top > 0.0) {
      const PixelPoint foot = layout_.to_pixel({*x, 0.0});
      const PixelPoint head = layout_.to_pixel({*x, std::min(top, 1.0)});
      placed.path.push_back({foot, head});
      field_.lines.push_back({foot, head});
    }
    layout_.vertical_guides.push_back(std::move(placed));
  }
}

void LayoutBuilder::place_points() {
  layout_.joins.resize(chart_.series.size());
  for (std::size_t s = 0; s < chart_.series.size(); ++s) {
    const Series& series = chart_.series[s];
    for (std::size_t p = 0; p < series.points.size(); ++p) {
      const Point& point = series.points[p];
      const std::optional<PixelPoint> at = pixel_of({point.x, point.y});
      const double rounding = 1e-6;  // of points exactly on a given range's ends
      const Rectangle& plot = layout_.plot;
      if (!at || at->x < plot.left - rounding || at->x > plot.right + rounding ||
          at->y < plot.top - rounding || at->y > plot.bottom + rounding) {
        ++layout_.omissions.left_out_points;
        continue;
      }
      const double weight = point.weight > 0.0 ? std::min(point.weight, 1.0) : 0.0;
      const double largest = largest_radius * std::clamp(layout_.size.width / 900.0, 0.6, 1.0);
      const double radius = std::max(least_radius, largest * std::sqrt(weight));
      layout_.points.push_back({s, p, *at, radius, interval_of(point, at->x)});
      if (const auto& interval = layout_.points.back().interval) field_.lines.push_back(*interval);
      if (series.marked) field_.markers.push_back(square_around(*at, 0.85 * radius));
      if (series.joined) layout_.joins[s].push_back(*at);
    }
    for (std::size_t i = 0; i + 1 < layout_.joins[s].size(); ++i) {
      field_.lines.push_back({layout_.joins[s][i], layout_.joins[s][i + 1]});
    }
  }
  std::ranges::stable_sort(layout_.points, [](const PlacedPoint& a, const PlacedPoint& b) {
    return a.radius > b.radius;
  });
}

void LayoutBuilder::label_guides(const std::vector<std::size_t>& in_legend) {
  const Rectangle& plot = layout_.plot;
  field_.plot = {plot.left + 2.0, plot.top + 2.0, plot.right - 2.0, plot.bottom - 2.0};
  for (std::size_t i = 0; i < chart_.guides.size(); ++i) {
    if (chart_.guides[i].label.empty() || std::ranges::find(in_legend, i) != in_legend.end())
      continue;
    layout_.guides[i].label =
        place_along(safe_text(chart_.guides[i].label), layout_.guides[i].path, field_);
  }
  for (std::size_t i = 0; i < chart_.vertical_guides.size(); ++i) {
    PlacedGuide& placed = layout_.vertical_guides[i];
    if (chart_.vertical_guides[i].label.empty() || placed.path.empty()) continue;
    const Segment line = {placed.path[0][0], placed.path[0][1]};
    placed.label = place_at_foot(safe_text(chart_.vertical_guides[i].label), line, field_);
    if (!placed.label) ++layout_.omissions.hidden_labels;
  }
}

void LayoutBuilder::label_points() {
  // Points on one spot share the label of the heaviest, which comes first.
  struct Group {
    const PlacedPoint* first;
    std::string label;
    int others = 0;
  };
  std::vector<Group> groups;
  std::unordered_map<std::int64_t, std::size_t> group_at;
  std::vector<const PlacedPoint*> by_weight;
  for (const PlacedPoint& point : layout_.points) by_weight.push_back(&point);
  const auto data_of = [&](const PlacedPoint* placed) -> const Point& {
    return chart_.series[placed->series].points[placed->point];
  };
  std::ranges::stable_sort(by_weight, [&](const PlacedPoint* a, const PlacedPoint* b) {
    const auto weight = [&](const PlacedPoint* p) {
      return std::isnan(data_of(p).weight) ? 0.0 : data_of(p).weight;
    };
    return weight(a) > weight(b);
  });
  for (const PlacedPoint* placed : by_weight) {
    const std::string& label = data_of(placed).label;
    if (label.empty() || !data_of(placed).named) continue;
    const std::int64_t cell =
        std::llround(placed->at.x / same_place) * 65536 + std::llround(placed->at.y / same_place);
    const auto [found, is_new] = group_at.try_emplace(cell, groups.size());
    if (is_new) {
      groups.push_back({placed, safe_text(label)});
    } else if (safe_text(label) != groups[found->second].label) {
      ++groups[found->second].others;
    }
  }

  std::vector<LabelRequest> requests;
  std::vector<std::string> texts;
  for (const Group& group : groups) {
    std::string text = elide_to_width(group.label, label_font, widest_label);
    if (group.others > 0) text += format(" +{}", group.others);
    requests.push_back({.anchor = group.first->at,
                        .marker_radius = group.first->radius,
                        .width = text_width(text, label_font) + 2.0 * label_padding,
                        .height = line_height(label_font) + 2.0,
                        .weight = -static_cast<double>(requests.size())});
    texts.push_back(std::move(text));
  }
  const LabelField field{field_.plot, field_.occupied, field_.markers, field_.lines};
  const std::vector<std::optional<PlacedLabel>> places = place_labels(requests, field);
  const bool colored = has_several_colors();
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!places[i]) {
      ++layout_.omissions.hidden_labels;
      continue;
    }
    const PlacedPoint* const placed = groups[i].first;
    const Point& point = data_of(placed);
    layout_.labels.push_back(
        {texts[i],
         colored ? std::optional(chart_.series[placed->series].color) : std::nullopt,
         places[i]->box,
         places[i]->leader,
         {point.x, point.y},
         placed->at});
  }
}

void LayoutBuilder::place_note() {
  const std::string note = layout_.omissions.to_string();
  if (note.empty()) return;
  layout_.texts.push_back({note,
                           {layout_.plot.right, layout_.plot.bottom + tick_row + row / 2.0},
                           Align::right,
                           label_font});
}

std::string counted(int count, std::string_view singular, std::string_view plural,
                    std::string_view verb) {
  return format("{} {} {}", count, count == 1 ? singular : plural, verb);
}

}  // namespace

std::string Omissions::to_string() const {
  std::vector<std::string> parts;
  if (hidden_labels > 0) parts.push_back(counted(hidden_labels, "label", "labels", "hidden"));
  if (left_out_points > 0) parts.push_back(counted(left_out_points, "point", "points", "left out"));
  return join(parts, ", ");
}

PixelPoint Layout::to_pixel(UnitPoint unit) const {
  return {plot.left + unit.x * plot.width(), plot.bottom - unit.y * plot.height()};
}

Layout layout_of(const Chart& chart, Size size, LayoutParts parts) {
  constexpr int largest = 20000;
  if (size.width < 320 || size.height < 240 || size.width > largest || size.height > largest) {
    throw Error(ErrorKind::usage,
                format("a chart of {} x {} pixels cannot be drawn", size.width, size.height),
                "sizes from 320 x 240 to 20000 x 20000 can");
  }
  Layout layout = LayoutBuilder(chart, size, parts).build({});
  std::vector<std::size_t> unlabelled;
  for (std::size_t i = 0; i < layout.guides.size(); ++i) {
    const PlacedGuide& guide = layout.guides[i];
    if (!chart.guides[i].label.empty() && !guide.path.empty() && !guide.label)
      unlabelled.push_back(i);
  }
  if (unlabelled.empty() || !parts.legend) return layout;
  return LayoutBuilder(chart, size, parts).build(unlabelled);
}

}  // namespace rooflab::chart
