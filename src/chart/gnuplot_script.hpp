#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "label_placement.hpp"
#include "layout.hpp"
#include "renderers.hpp"

namespace rooflab::chart {

/// Hint for errors where gnuplot is missing or fails.
inline constexpr std::string_view gnuplot_hint =
    "install the package gnuplot-nox (gnuplot 5.4 or later)";

/// Colours of elements that have no specific colour.
inline constexpr std::string_view text_color = "#222222";
inline constexpr std::string_view label_color = "#333333";

/// Darkens a palette's colour for text on white, which needs more contrast than an area.
[[nodiscard]] std::string darkened(std::string_view color);

/// Quotes any text so that gnuplot reads it as a string.
[[nodiscard]] std::string gnuplot_string(std::string_view text);

/// Place of a chart among several that are drawn below each other.
struct Panel {
  int index = 0;
  int count = 1;
};

/// A script for gnuplot in which every element is placed at a pixel of its panel.
class GnuplotScript {
 public:
  /// Takes the size of the panel and its place.
  GnuplotScript(Size size, Panel panel) : size_(size), panel_(panel) {}

  void line(std::string_view text);
  /// Sets the terminal for a picture of all panels.
  void terminal(Format format);
  /// Resets the settings of the panel above.
  void begin_panel();
  /// Sets the part of the panel that the axes span.
  void margins(const Rectangle& plot);
  void ticks(std::string_view axis, const AxisScale& scale);
  void text(const PlacedText& text, std::string_view color);
  void marker(Marker marker, PixelPoint center, double radius, std::string_view color);
  void segment(const Segment& segment, std::string_view color, double width, LineStyle style);
  void box(const Rectangle& box, std::string_view color);

  /// Returns the script so far and empties it.
  [[nodiscard]] std::string take();

 private:
  [[nodiscard]] std::string screen(PixelPoint at) const;
  /// A height in this panel as a fraction of the picture's height, from its bottom.
  [[nodiscard]] double screen_height(double y) const;

  Size size_;
  Panel panel_;
  std::string script_;
};

/// gnuplot's number for a style of lines.
[[nodiscard]] int dash_type(LineStyle style);

/// Runs scripts as gnuplot's input and returns what it writes to standard output. `what`: kind of
/// the result, for messages. Throws as render_gnuplot() does.
[[nodiscard]] std::string run_gnuplot(const std::string& script, std::string_view what,
                                      std::size_t pictures);

}  // namespace rooflab::chart
