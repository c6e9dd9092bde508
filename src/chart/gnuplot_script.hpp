#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "label_placement.hpp"
#include "layout.hpp"
#include "renderers.hpp"

namespace rooflab::chart {

/// The hint where it is missing or fails.
inline constexpr std::string_view gnuplot_hint =
    "install the package gnuplot-nox (gnuplot 5.4 or later)";

/// Colours of what has none of its own.
inline constexpr std::string_view text_color = "#222222";
inline constexpr std::string_view label_color = "#333333";

/// A palette's colour as one for text on white, which needs more contrast than an area.
[[nodiscard]] std::string darkened(std::string_view color);

/// A text that gnuplot reads as a string, whatever it holds.
[[nodiscard]] std::string gnuplot_string(std::string_view text);

/// Where a chart stands among several below each other.
struct Panel {
  int index = 0;
  int count = 1;
};

/// A script for gnuplot, in which everything stands at a pixel of its panel.
class GnuplotScript {
 public:
  /// `size`: of the panel.
  GnuplotScript(Size size, Panel panel) : size_(size), panel_(panel) {}

  void line(std::string_view text);
  /// Sets the terminal for a picture of all panels.
  void terminal(Format format);
  /// What the panel above set is not of this one.
  void begin_panel();
  /// The part of the panel that axes span.
  void margins(const Rectangle& plot);
  void ticks(std::string_view axis, const AxisScale& scale);
  void text(const PlacedText& text, std::string_view color);
  void marker(Marker marker, PixelPoint center, double radius, std::string_view color);
  void segment(const Segment& segment, std::string_view color, double width, LineStyle style);
  void box(const Rectangle& box, std::string_view color);

  /// The script so far, which is empty then.
  [[nodiscard]] std::string take();

 private:
  [[nodiscard]] std::string screen(PixelPoint at) const;
  /// A height in this panel as a fraction of the picture's height, from its bottom.
  [[nodiscard]] double screen_height(double y) const;

  Size size_;
  Panel panel_;
  std::string script_;
};

/// gnuplot's number of a style of lines.
[[nodiscard]] int dash_type(LineStyle style);

/// Runs scripts as gnuplot's input and returns what it writes to standard output. `what` the result
/// is, for messages. Throws as render_gnuplot() does.
[[nodiscard]] std::string run_gnuplot(const std::string& script, std::string_view what,
                                      std::size_t pictures);

}  // namespace rooflab::chart
