// gnuplot is given a finished layout: margins, ranges and ticks are explicit, texts, markers and
// the legend stand at fractions of the screen. So its terminals draw the same picture, and labels
// lie where label placement put them.
//
// Texts come from users' files. They enter the script only within double quotes, and there every
// ASCII character but letters, digits and the plainest punctuation is written as an octal escape:
// no quote, backslash, backquote or line end of theirs is ever read by gnuplot's parser. (Single
// quotes with doubled quotes inside, its other way, gnuplot 5.4 misreads when a text begins with a
// quote.) `noenhanced` keeps it from reading markup in them.

#include "gnuplot_script.hpp"

#include <chrono>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "marker_outline.hpp"
#include "rooflab/base/error.hpp"
#include "safe_text.hpp"
#include "system/child_process.hpp"

namespace rooflab::chart {
namespace {

constexpr std::chrono::seconds gnuplot_timeout{30};
/// A picture of thousands of points takes a second or two.
constexpr std::chrono::seconds timeout_of_each{3};

std::string font(double pixels) { return rooflab::format("font ',{:g}'", pixels); }

}  // namespace

std::string darkened(std::string_view color) {
  std::string result = "#";
  for (std::size_t i = 1; i + 1 < color.size(); i += 2) {
    const int channel = std::stoi(std::string(color.substr(i, 2)), nullptr, 16);
    result += format("{:02X}", channel * 7 / 10);
  }
  return result;
}

std::string gnuplot_string(std::string_view text) {
  constexpr std::string_view plain = " .,:;+-/()_=<>";
  std::string result = "\"";
  bool behind_escape = false;
  for (const char c : safe_text(text)) {
    const bool is_ascii = static_cast<unsigned char>(c) < 0x80;
    // gnuplot reads a fourth digit behind `\043`.
    const bool goes_on = behind_escape && c >= '0' && c <= '7';
    behind_escape =
        is_ascii && (goes_on || !(is_letter(c) || is_digit(c) || plain.find(c) != plain.npos));
    if (behind_escape) {
      result += format("\\{:03o}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

int dash_type(LineStyle style) {
  switch (style) {
    case LineStyle::solid:
      return 1;
    case LineStyle::dashed:
      return 2;
    case LineStyle::dotted:
      return 3;
  }
  return 1;
}

void GnuplotScript::line(std::string_view text) {
  script_ += text;
  script_ += '\n';
}

std::string GnuplotScript::take() { return std::exchange(script_, {}); }

std::string GnuplotScript::screen(PixelPoint at) const {
  return rooflab::format("screen {:.6f},{:.6f}", at.x / size_.width, screen_height(at.y));
}

double GnuplotScript::screen_height(double y) const {
  return 1.0 - (panel_.index * size_.height + y) / (panel_.count * size_.height);
}

void GnuplotScript::begin_panel() {
  if (panel_.index == 0) return line("set multiplot");
  for (const std::string_view what : {"label", "object", "arrow", "logscale"}) {
    line(rooflab::format("unset {}", what));
  }
}

/// Font sizes are pixels in SVG and points of 96/72 pixels in cairo's terminals, which is what
/// their `fontscale` takes back; PDF also halves line widths. The hundredth of a pixel keeps a
/// PDF's size from being rounded down.
void GnuplotScript::terminal(Format format) {
  const int width = size_.width;
  const int height = panel_.count * size_.height;
  const std::string common =
      rooflab::format("noenhanced background rgb 'white' font 'sans-serif,{:g}'", text_font);
  switch (format) {
    case Format::svg:
      line(rooflab::format("set terminal svg size {},{} fixed {}", width, height, common));
      break;
    case Format::png:
      line(rooflab::format("set terminal pngcairo size {},{} {} fontscale 0.75", width, height,
                           common));
      break;
    case Format::pdf:
      line(
          rooflab::format("set terminal pdfcairo size {:.5f}in,{:.5f}in {} fontscale 0.75 "
                          "linewidth 2",
                          (width + 0.01) / 72.0, (height + 0.01) / 72.0, common));
      break;
  }
  line("set encoding utf8");
}

void GnuplotScript::margins(const Rectangle& plot) {
  line(rooflab::format("set lmargin at screen {:.6f}", plot.left / size_.width));
  line(rooflab::format("set rmargin at screen {:.6f}", plot.right / size_.width));
  line(rooflab::format("set tmargin at screen {:.6f}", screen_height(plot.top)));
  line(rooflab::format("set bmargin at screen {:.6f}", screen_height(plot.bottom)));
}

void GnuplotScript::ticks(std::string_view axis, const AxisScale& scale) {
  std::vector<std::string> ticks;
  for (const Tick& tick : scale.ticks()) {
    ticks.push_back(rooflab::format("{} {:.10g} {}", gnuplot_string(tick.label), tick.value,
                                    tick.label.empty() ? 1 : 0));
  }
  line(rooflab::format("set {}tics nomirror scale 0.6,0.3 textcolor rgb '{}' {} ({})", axis,
                       text_color, font(text_font), join(ticks, ", ")));
  line(rooflab::format("set {}range [{:.10g}:{:.10g}]", axis, scale.low(), scale.high()));
  if (scale.is_logarithmic()) line(rooflab::format("set logscale {}", axis));
}

void GnuplotScript::text(const PlacedText& text, std::string_view color) {
  const std::string_view align = text.align == Align::left     ? "left"
                                 : text.align == Align::center ? "center"
                                                               : "right";
  line(rooflab::format("set label {} at {} {} {}front noenhanced {} textcolor rgb '{}'",
                       gnuplot_string(text.text), screen(text.at), align,
                       text.angle == 0.0 ? "" : rooflab::format("rotate by {:.3f} ", text.angle),
                       font(text.font_px), color));
}

void GnuplotScript::marker(Marker marker, PixelPoint center, double radius,
                           std::string_view color) {
  const std::string style = rooflab::format(
      "front fillcolor rgb '{0}' fillstyle transparent solid 0.62 border linecolor rgb '{0}' "
      "linewidth 1",
      color);
  const std::vector<PixelPoint> corners = marker_outline(marker, center, radius);
  std::string outline = "from " + screen(corners.front());
  for (std::size_t i = 1; i < corners.size(); ++i) outline += " to " + screen(corners[i]);
  line(rooflab::format("set object polygon {} to {} {}", outline, screen(corners.front()), style));
}

void GnuplotScript::segment(const Segment& segment, std::string_view color, double width,
                            LineStyle style) {
  line(
      rooflab::format("set arrow from {} to {} nohead front linecolor rgb '{}' linewidth {:g} "
                      "dashtype {}",
                      screen(segment.from), screen(segment.to), color, width, dash_type(style)));
}

void GnuplotScript::box(const Rectangle& box, std::string_view color) {
  line(
      rooflab::format("set object rectangle from {} to {} front fillcolor rgb '{}' fillstyle solid "
                      "0.85 noborder",
                      screen({box.left, box.bottom}), screen({box.right, box.top}), color));
}

std::string run_gnuplot(const std::string& script, std::string_view what, std::size_t pictures) {
  const std::optional<std::filesystem::path> gnuplot = find_gnuplot();
  if (!gnuplot) {
    throw Error(ErrorKind::capability,
                rooflab::format("a chart as {} needs gnuplot, which is not installed", what),
                std::string(gnuplot_hint));
  }
  // Default settings: the user's own ~/.gnuplot must not change the picture.
  const std::vector<std::string> arguments = {"-d", "-"};
  const std::chrono::seconds timeout =
      gnuplot_timeout + timeout_of_each * static_cast<std::int64_t>(pictures - 1);
  ChildResult result = run_child(*gnuplot, arguments, {.input = script, .timeout = timeout});
  if (result.timed_out) {
    throw Error(ErrorKind::capability,
                rooflab::format("gnuplot did not finish a {} within {} s", what, timeout.count()));
  }
  if (result.exit_status != 0) {
    throw Error(
        ErrorKind::capability,
        rooflab::format("gnuplot could not draw a {}: {}", what, trim(safe_text(result.errors))),
        std::string(gnuplot_hint));
  }
  return std::move(result.output);
}

}  // namespace rooflab::chart
