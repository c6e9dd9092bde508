// gnuplot is given a finished layout: margins, ranges and ticks are explicit, texts, markers and
// the legend stand at fractions of the screen. So its terminals draw the same picture, and labels
// lie where label placement put them.
//
// Texts come from users' files. They enter the script only within double quotes, and there every
// ASCII character but letters, digits and the plainest punctuation is written as an octal escape:
// no quote, backslash, backquote or line end of theirs is ever read by gnuplot's parser. (Single
// quotes with doubled quotes inside, its other way, gnuplot 5.4 misreads when a text begins with a
// quote.) `noenhanced` keeps it from reading markup in them.

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "base/child_process.hpp"
#include "layout.hpp"
#include "marker_outline.hpp"
#include "palette.hpp"
#include "renderers.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "safe_text.hpp"

namespace rooflab::chart {
namespace {

constexpr std::chrono::seconds gnuplot_timeout{30};
constexpr std::string_view text_color = "#222222";
constexpr std::string_view label_color = "#333333";
constexpr double legend_radius = 5.5;

std::string in_quotes(std::string_view text) {
  constexpr std::string_view plain = " .,:;+-/()_=<>";
  std::string result = "\"";
  for (const char c : safe_text(text)) {
    const bool is_letter_or_digit =
        (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    const bool is_ascii = static_cast<unsigned char>(c) < 0x80;
    if (!is_ascii || is_letter_or_digit || plain.find(c) != plain.npos) {
      result += c;
    } else {
      result += format("\\{:03o}", static_cast<unsigned char>(c));
    }
  }
  return result + "\"";
}

/// A palette's colour as one for text on white, which needs more contrast than an area.
std::string darkened(std::string_view color) {
  std::string result = "#";
  for (std::size_t i = 1; i + 1 < color.size(); i += 2) {
    const int channel = std::stoi(std::string(color.substr(i, 2)), nullptr, 16);
    result += format("{:02X}", channel * 7 / 10);
  }
  return result;
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

/// Where a chart stands among several below each other.
struct Panel {
  int index = 0;
  int count = 1;
};

class ScriptWriter {
 public:
  ScriptWriter(const Chart& chart, Format format, Size size, Panel panel = {})
      : chart_(chart), format_(format), panel_(panel), layout_(layout_of(chart, size)) {}

  std::string write() {
    if (panel_.index == 0) write_terminal();
    if (panel_.count > 1) begin_panel();
    write_frame();
    for (const PlacedText& text : layout_.texts) write_text(text, text_color);
    write_legend();
    write_guide_labels();
    write_markers();
    write_point_labels();
    write_lines();
    return std::move(script_);
  }

 private:
  void line(std::string_view text) {
    script_ += text;
    script_ += '\n';
  }

  [[nodiscard]] static std::string font(double pixels) {
    return rooflab::format("font ',{:g}'", pixels);
  }

  [[nodiscard]] std::string screen(PixelPoint at) const {
    return rooflab::format("screen {:.6f},{:.6f}", at.x / layout_.size.width, screen_height(at.y));
  }

  /// A height in this panel as a fraction of the picture's height, from its bottom.
  [[nodiscard]] double screen_height(double y) const {
    return 1.0 - (panel_.index * layout_.size.height + y) / (panel_.count * layout_.size.height);
  }

  /// What the panel above set is not of this one.
  void begin_panel() {
    if (panel_.index == 0) return line("set multiplot");
    for (const std::string_view what : {"label", "object", "arrow", "logscale"}) {
      line(rooflab::format("unset {}", what));
    }
  }

  /// Font sizes are pixels in SVG and points of 96/72 pixels in cairo's terminals, which is what
  /// their `fontscale` takes back; PDF also halves line widths. The hundredth of a pixel keeps a
  /// PDF's size from being rounded down.
  void write_terminal() {
    const auto [width, panel_height] = layout_.size;
    const int height = panel_.count * panel_height;
    const std::string common =
        rooflab::format("noenhanced background rgb 'white' font 'sans-serif,{:g}'", text_font);
    switch (format_) {
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

  void write_ticks(std::string_view axis, const AxisScale& scale) {
    std::vector<std::string> ticks;
    for (const Tick& tick : scale.ticks()) {
      ticks.push_back(rooflab::format("{} {:.10g} {}", in_quotes(tick.label), tick.value,
                                      tick.label.empty() ? 1 : 0));
    }
    line(rooflab::format("set {}tics nomirror scale 0.6,0.3 textcolor rgb '{}' {} ({})", axis,
                         text_color, font(text_font), join(ticks, ", ")));
    line(rooflab::format("set {}range [{:.10g}:{:.10g}]", axis, scale.low(), scale.high()));
    if (scale.is_logarithmic()) line(rooflab::format("set logscale {}", axis));
  }

  void write_frame() {
    const Rectangle& plot = layout_.plot;
    const int width = layout_.size.width;
    line(rooflab::format("set lmargin at screen {:.6f}", plot.left / width));
    line(rooflab::format("set rmargin at screen {:.6f}", plot.right / width));
    line(rooflab::format("set tmargin at screen {:.6f}", screen_height(plot.top)));
    line(rooflab::format("set bmargin at screen {:.6f}", screen_height(plot.bottom)));
    write_ticks("x", layout_.x);
    write_ticks("y", layout_.y);
    line("set border 3 linecolor rgb '#555555' linewidth 1");
    line(
        "set grid xtics mxtics ytics mytics back linetype 1 linecolor rgb '#d4d4d4' linewidth 0.8, "
        "linetype 1 linecolor rgb '#efefef' linewidth 0.6");
    line("unset key");
  }

  void write_text(const PlacedText& text, std::string_view color) {
    const std::string_view align = text.align == Align::left     ? "left"
                                   : text.align == Align::center ? "center"
                                                                 : "right";
    line(rooflab::format("set label {} at {} {} {}front noenhanced {} textcolor rgb '{}'",
                         in_quotes(text.text), screen(text.at), align,
                         text.angle == 0.0 ? "" : rooflab::format("rotate by {:.3f} ", text.angle),
                         font(text.font_px), color));
  }

  void write_marker(Marker marker, PixelPoint center, double radius, std::string_view color) {
    const std::string style = rooflab::format(
        "front fillcolor rgb '{0}' fillstyle transparent solid 0.62 border linecolor rgb '{0}' "
        "linewidth 1",
        color);
    const std::vector<PixelPoint> corners = marker_outline(marker, center, radius);
    std::string outline = "from " + screen(corners.front());
    for (std::size_t i = 1; i < corners.size(); ++i) outline += " to " + screen(corners[i]);
    line(
        rooflab::format("set object polygon {} to {} {}", outline, screen(corners.front()), style));
  }

  void write_segment(const Segment& segment, std::string_view color, double width,
                     LineStyle style) {
    line(
        rooflab::format("set arrow from {} to {} nohead front linecolor rgb '{}' linewidth {:g} "
                        "dashtype {}",
                        screen(segment.from), screen(segment.to), color, width, dash_type(style)));
  }

  void write_legend() {
    for (const LegendEntry& entry : layout_.legend) {
      const std::string_view color = color_of(entry.color);
      const PixelPoint at = entry.symbol;
      if (entry.marker) {
        write_marker(*entry.marker, at, legend_radius, color);
      } else {
        write_segment({{at.x - 9.0, at.y}, {at.x + 9.0, at.y}}, color, 2.0, entry.style);
      }
      write_text({entry.text, entry.text_at}, text_color);
    }
  }

  void write_guide_labels() {
    for (const PlacedGuide& guide : layout_.guides) {
      if (guide.label) write_text(*guide.label, darkened(color_of(guide.color)));
    }
    for (const PlacedGuide& guide : layout_.vertical_guides) {
      if (guide.label) write_text(*guide.label, darkened(color_of(guide.color)));
    }
  }

  void write_markers() {
    for (const PlacedPoint& placed : layout_.points) {
      const Series& series = chart_.series[placed.series];
      if (placed.interval) {
        write_segment(*placed.interval, color_of(series.color), 1.5, LineStyle::solid);
      }
      if (!series.marked) continue;
      write_marker(series.marker, placed.at, placed.radius, color_of(series.color));
    }
  }

  void write_point_labels() {
    for (const PlacedPointLabel& label : layout_.labels) {
      if (label.leader) write_segment(*label.leader, "#8c8c8c", 0.7, LineStyle::solid);
      const PlacedText text{label.text, label.box.center(), Align::center, label_font};
      if (label.color) {
        write_text(text, darkened(color_of(*label.color)));
      } else {
        write_text(text, label_color);
      }
    }
  }

  void add_curve(const std::vector<PixelPoint>& pixels, std::string_view color, double width,
                 LineStyle style) {
    if (pixels.size() < 2) return;
    const std::string name = panel_.index == 0
                                 ? rooflab::format("$line{}", curves_.size())
                                 : rooflab::format("$line{}of{}", curves_.size(), panel_.index);
    line(name + " << END");
    const Rectangle& plot = layout_.plot;
    for (const PixelPoint& pixel : pixels) {
      line(rooflab::format("{:.10g} {:.10g}",
                           layout_.x.from_unit((pixel.x - plot.left) / plot.width()),
                           layout_.y.from_unit((plot.bottom - pixel.y) / plot.height())));
    }
    line("END");
    curves_.push_back(
        rooflab::format("{} using 1:2 with lines linecolor rgb '{}' linewidth {:g} "
                        "dashtype {}",
                        name, color, width, dash_type(style)));
  }

  void write_lines() {
    for (const PlacedGuide& guide : layout_.guides) {
      for (const auto& piece : guide.path)
        add_curve(piece, color_of(guide.color), 2.0, guide.style);
    }
    for (const PlacedGuide& guide : layout_.vertical_guides) {
      for (const auto& piece : guide.path)
        add_curve(piece, color_of(guide.color), 1.0, guide.style);
    }
    for (std::size_t s = 0; s < layout_.joins.size(); ++s) {
      add_curve(layout_.joins[s], color_of(chart_.series[s].color), 1.5, LineStyle::solid);
    }
    // A function without values draws the frame of a chart without curves.
    if (curves_.empty()) curves_.emplace_back("NaN");
    line("plot " + join(curves_, ", \\\n  "));
  }

  const Chart& chart_;
  Format format_;
  Panel panel_;
  Layout layout_;
  std::string script_;
  std::vector<std::string> curves_;
};

std::string script_of(std::span<const Chart> panels, Format format, Size panel_size) {
  std::string script;
  const int count = static_cast<int>(panels.size());
  for (int i = 0; i < count; ++i) {
    script += ScriptWriter(panels[static_cast<std::size_t>(i)], format, panel_size,
                           {.index = i, .count = count})
                  .write();
  }
  return script;
}

}  // namespace

std::optional<Format> format_from_extension(std::string_view extension) {
  if (extension.starts_with('.')) extension.remove_prefix(1);
  const std::string name = lowercase(extension);
  if (name == "svg") return Format::svg;
  if (name == "png") return Format::png;
  if (name == "pdf") return Format::pdf;
  return std::nullopt;
}

std::optional<std::filesystem::path> find_gnuplot() { return find_program("gnuplot"); }

std::string gnuplot_script(const Chart& chart, Format format, Size size) {
  return script_of(std::span(&chart, 1), format, size);
}

std::string render_gnuplot(const Chart& chart, Format format, Size size) {
  return render_gnuplot_panels(std::span(&chart, 1), format, size);
}

std::string render_gnuplot_panels(std::span<const Chart> panels, Format format, Size panel_size) {
  constexpr std::string_view install_hint =
      "install the package gnuplot-nox (gnuplot 5.4 or later)";
  const std::string script = script_of(panels, format, panel_size);
  const std::optional<std::filesystem::path> gnuplot = find_gnuplot();
  if (!gnuplot) {
    throw Error(
        ErrorKind::capability,
        rooflab::format("a chart as {} needs gnuplot, which is not installed", name_of(format)),
        std::string(install_hint));
  }
  // Default settings: the user's own ~/.gnuplot must not change the picture.
  const std::vector<std::string> arguments = {"-d", "-"};
  ChildResult result =
      run_child(*gnuplot, arguments, {.input = script, .timeout = gnuplot_timeout});
  if (result.timed_out) {
    throw Error(ErrorKind::capability, rooflab::format("gnuplot did not finish a {} within {} s",
                                                       name_of(format), gnuplot_timeout.count()));
  }
  if (result.exit_status != 0 || result.output.empty()) {
    throw Error(ErrorKind::capability,
                rooflab::format("gnuplot could not draw a {}: {}", name_of(format),
                                trim(safe_text(result.errors))),
                std::string(install_hint));
  }
  return std::move(result.output);
}

}  // namespace rooflab::chart
