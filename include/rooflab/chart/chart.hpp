#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rooflab::chart {

enum class Scale { linear, logarithmic };

/// Form of an axis's numbers: `2500`, or with SI prefixes, `2.5 k`.
enum class NumberStyle { plain, si };

struct Range {
  double low = 0.0;
  double high = 0.0;
};

/// One axis. Without a range it spans the points, the guides' vertices and the vertical guides,
/// with a margin. Titles read `label (unit)`.
struct Axis {
  std::string label = {};
  std::string unit = {};
  Scale scale = Scale::linear;
  NumberStyle numbers = NumberStyle::plain;
  /// Ignored unless low < high, and low > 0 on a logarithmic axis
  std::optional<Range> range = {};
  bool whole = false;  ///< whole numbers only: no marks between them
};

struct Position {
  double x = 0.0;
  double y = 0.0;
};

enum class LineStyle { solid, dashed, dotted };

/// Colours are indices for color_of() of palette.hpp. This one is grey, for points and lines
/// outside of series.
inline constexpr int neutral_color = 6;

/// A labelled line, such as a roof. The label is written along it; without room for that
/// the guide gets an entry in the legend.
///
/// An extended end continues in its direction to the edge of the plot; its outermost vertex then
/// gives only the direction and does not widen the axes.
struct Guide {
  std::string label = {};
  std::vector<Position> line = {};
  bool extend_start = false;
  bool extend_end = false;
  LineStyle style = LineStyle::solid;
  int color = neutral_color;
};

/// A labelled vertical line from the x axis up to `top`, or to the plot's edge.
struct VerticalGuide {
  std::string label = {};
  double x = 0.0;
  std::optional<double> top = {};
  int color = neutral_color;
};

/// Shape of a point, for what colour cannot distinguish. A tick is a short level line.
enum class Marker { circle, square, diamond, triangle, triangle_down, cross, tick };
/// Marker of series `number` of a chart, from 0; crosses and ticks are reserved for special points.
[[nodiscard]] constexpr Marker marker_of(int number) {
  return static_cast<Marker>(number % static_cast<int>(Marker::cross));
}

/// `weight`, from 0 to 1, is the marker's area relative to the largest, and the order in which
/// labels are placed. `details` are further lines for the hover text.
struct Point {
  double x = 0.0;
  double y = 0.0;
  double weight = 0.5;
  std::string label = {};
  std::vector<std::string> details = {};
  std::optional<Range> interval = std::nullopt;  ///< in y: an upright line through the point
  bool named = true;  ///< the label is drawn; false: it shows only under the pointer
};

struct Series {
  std::string name = {};
  Marker marker = Marker::circle;
  int color = 0;
  bool joined = false;  ///< a line through the points, in their order
  /// Whether markers are drawn. False: a joined series is only a line, for curves of many points.
  bool marked = true;
  std::vector<Point> points = {};
  bool keyed = true;  ///< has an entry in the legend
  std::string group =
      {};  ///< series of one group are shown and hidden together, by any of their legend entries
};

/// Content of a chart, independent of its drawing: the functions of src/chart/renderers.hpp draw
/// it.
///
/// Texts may hold anything: renderers draw them letter by letter, replace control characters by
/// blanks and bytes that are not UTF-8 by U+FFFD. Points without a place (not finite, zero on a
/// logarithmic axis, outside a given range) and labels without room are left out; the drawing says
/// how many.
struct Chart {
  std::string title = {};
  std::string subtitle = {};
  std::vector<std::string> captions = {};  ///< below the plot; wrapped to its width
  Axis x = {};
  Axis y = {};
  std::vector<Guide> guides = {};
  std::vector<VerticalGuide> vertical_guides = {};
  std::vector<Series> series = {};
};

/// Width and height of a drawing in pixels.
struct Size {
  int width = 1200;
  int height = 800;
};

/// Parts of a chart that a drawing does not show.
struct Omissions {
  int hidden_labels = 0;
  int left_out_points = 0;

  /// Text such as `12 labels hidden, 1 point left out`, or empty.
  [[nodiscard]] std::string to_string() const;
};

}  // namespace rooflab::chart
