#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "axis_scale.hpp"
#include "guide_path.hpp"
#include "label_placement.hpp"
#include "rooflab/chart/chart.hpp"

namespace rooflab::chart {

/// Font sizes in pixels.
inline constexpr double title_font = 18.0;
inline constexpr double text_font = 12.0;   ///< captions, axes, legend
inline constexpr double label_font = 11.0;  ///< labels of points and guides

enum class Align { left, center, right };

/// A text centred on a point, or left or right of it, vertically centred; `angle` in degrees,
/// anticlockwise.
struct PlacedText {
  std::string text;
  PixelPoint at;
  Align align = Align::left;
  double font_px = text_font;
  double angle = 0.0;
};

/// A series, or a guide that could not be labelled in place.
struct LegendEntry {
  std::string text;
  PixelPoint symbol;  ///< centre of the marker or of the line's sample
  PixelPoint text_at;
  int color = 0;
  std::optional<Marker> marker;
  LineStyle style = LineStyle::solid;
};

struct PlacedGuide {
  std::vector<std::vector<PixelPoint>> path;
  LineStyle style = LineStyle::solid;
  int color = 0;
  std::optional<PlacedText> label;
};

struct PlacedPoint {
  std::size_t series = 0;
  std::size_t point = 0;
  PixelPoint at;
  double radius = 0.0;
  std::optional<Segment> interval;  ///< part of the interval within the plot
};

struct PlacedPointLabel {
  std::string text;
  std::optional<int> color;  ///< colour of its series, if series have several colours
  Rectangle box;
  std::optional<Segment> leader;
  Position anchor;  ///< place of the labelled point, in the axes' values
  PixelPoint anchor_pixel;
};

/// Everything drawn outside the plot itself.
struct LayoutParts {
  bool title = true;  ///< title and subtitle
  bool captions = true;
  bool legend = true;
};

/// A chart with every element at its pixel: the common part of all renderers.
struct Layout {
  Size size;
  Rectangle plot;
  AxisScale x;
  AxisScale y;
  std::vector<PlacedText> texts;  ///< title, subtitle, captions, axis titles
  std::vector<LegendEntry> legend;
  std::vector<PlacedGuide> guides;             ///< the chart's guides
  std::vector<PlacedGuide> vertical_guides;    ///< vertical guides; no path when out of range
  std::vector<std::vector<PixelPoint>> joins;  ///< lines through joined series, by series
  std::vector<PlacedPoint> points;             ///< heavier first, so that lighter ones are on top
  std::vector<PlacedPointLabel> labels;
  Omissions omissions;

  [[nodiscard]] PixelPoint to_pixel(UnitPoint unit) const;
};

/// Computes the layout of a chart. Throws Error (usage) when the size is below 320 x 240 or a side
/// is above 20000.
[[nodiscard]] Layout layout_of(const Chart& chart, Size size, LayoutParts parts = {});

}  // namespace rooflab::chart
