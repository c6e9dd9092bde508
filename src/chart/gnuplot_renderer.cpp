// A chart on two axes as a script for gnuplot.

#include <cstddef>
#include <span>
#include <vector>

#include "base/format.hpp"
#include "gnuplot_script.hpp"
#include "layout.hpp"
#include "palette.hpp"
#include "renderers.hpp"
#include "rooflab/base/error.hpp"
#include "system/child_process.hpp"

namespace rooflab::chart {
namespace {

constexpr double legend_radius = 5.5;

class ScriptWriter {
 public:
  ScriptWriter(const Chart& chart, Format format, Size size, Panel panel = {})
      : chart_(chart),
        format_(format),
        panel_(panel),
        layout_(layout_of(chart, size)),
        script_(size, panel) {}

  std::string write() {
    if (panel_.index == 0) script_.terminal(format_);
    if (panel_.count > 1) script_.begin_panel();
    write_frame();
    for (const PlacedText& text : layout_.texts) script_.text(text, text_color);
    write_legend();
    write_guide_labels();
    write_markers();
    write_point_labels();
    write_lines();
    return script_.take();
  }

 private:
  void write_frame() {
    script_.margins(layout_.plot);
    script_.ticks("x", layout_.x);
    script_.ticks("y", layout_.y);
    script_.line("set border 3 linecolor rgb '#555555' linewidth 1");
    script_.line(
        "set grid xtics mxtics ytics mytics back linetype 1 linecolor rgb '#d4d4d4' linewidth 0.8, "
        "linetype 1 linecolor rgb '#efefef' linewidth 0.6");
    script_.line("unset key");
  }

  void write_legend() {
    for (const LegendEntry& entry : layout_.legend) {
      const std::string_view color = color_of(entry.color);
      const PixelPoint at = entry.symbol;
      if (entry.marker) {
        script_.marker(*entry.marker, at, legend_radius, color);
      } else {
        script_.segment({{at.x - 9.0, at.y}, {at.x + 9.0, at.y}}, color, 2.0, entry.style);
      }
      script_.text({entry.text, entry.text_at}, text_color);
    }
  }

  void write_guide_labels() {
    for (const PlacedGuide& guide : layout_.guides) {
      if (guide.label) script_.text(*guide.label, darkened(color_of(guide.color)));
    }
    for (const PlacedGuide& guide : layout_.vertical_guides) {
      if (guide.label) script_.text(*guide.label, darkened(color_of(guide.color)));
    }
  }

  void write_markers() {
    for (const PlacedPoint& placed : layout_.points) {
      const Series& series = chart_.series[placed.series];
      if (placed.interval) {
        script_.segment(*placed.interval, color_of(series.color), 1.5, LineStyle::solid);
      }
      if (!series.marked) continue;
      script_.marker(series.marker, placed.at, placed.radius, color_of(series.color));
    }
  }

  void write_point_labels() {
    for (const PlacedPointLabel& label : layout_.labels) {
      if (label.leader) script_.segment(*label.leader, "#8c8c8c", 0.7, LineStyle::solid);
      const PlacedText text{label.text, label.box.center(), Align::center, label_font};
      if (label.color) {
        script_.text(text, darkened(color_of(*label.color)));
      } else {
        script_.text(text, label_color);
      }
    }
  }

  void add_curve(const std::vector<PixelPoint>& pixels, std::string_view color, double width,
                 LineStyle style) {
    if (pixels.size() < 2) return;
    const std::string name = panel_.index == 0
                                 ? rooflab::format("$line{}", curves_.size())
                                 : rooflab::format("$line{}of{}", curves_.size(), panel_.index);
    script_.line(name + " << END");
    const Rectangle& plot = layout_.plot;
    for (const PixelPoint& pixel : pixels) {
      script_.line(rooflab::format("{:.10g} {:.10g}",
                                   layout_.x.from_unit((pixel.x - plot.left) / plot.width()),
                                   layout_.y.from_unit((plot.bottom - pixel.y) / plot.height())));
    }
    script_.line("END");
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
    script_.line("plot " + join(curves_, ", \\\n  "));
  }

  const Chart& chart_;
  Format format_;
  Panel panel_;
  Layout layout_;
  GnuplotScript script_;
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
  std::string picture = run_gnuplot(script_of(panels, format, panel_size), name_of(format), 1);
  if (!picture.empty()) return picture;
  throw Error(ErrorKind::capability,
              rooflab::format("gnuplot could not draw a {}: it wrote nothing", name_of(format)),
              std::string(gnuplot_hint));
}

}  // namespace rooflab::chart
