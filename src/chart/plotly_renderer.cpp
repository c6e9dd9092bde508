// Plotly places everything in the axes' values, and an annotation on a logarithmic axis in their
// decimal logarithms; offsets from there are pixels. So labels that were placed for one size hold
// at that size and move with their points when the reader zooms.
//
// Plotly reads a few HTML tags and entities in every text that it draws (`<b>`, `<a href=...>`):
// texts from users' files have their `&`, `<` and `>` replaced by entities. Hover texts are given
// as `hovertext` and never as `hovertemplate`, which would read `%{...}` in them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/format.hpp"
#include "layout.hpp"
#include "marker_outline.hpp"
#include "palette.hpp"
#include "renderers.hpp"
#include "safe_text.hpp"

namespace rooflab::chart {
namespace {

constexpr double legend_size = 10.0;  ///< a marker in the legend, pixels

/// How far lines reach beyond the plot, in plots, for a reader who moves it.
constexpr double beyond = 2.0;

std::string plotly_text(std::string_view text) {
  std::string result;
  for (const char c : safe_text(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string_view dash_name(LineStyle style) {
  switch (style) {
    case LineStyle::solid:
      return "solid";
    case LineStyle::dashed:
      return "dash";
    case LineStyle::dotted:
      return "dot";
  }
  return "solid";
}

std::string_view symbol_name(Marker marker) {
  switch (marker) {
    case Marker::circle:
      return "circle";
    case Marker::square:
      return "square";
    case Marker::diamond:
      return "diamond";
    case Marker::triangle:
      return "triangle-up";
    case Marker::triangle_down:
      return "triangle-down";
    case Marker::cross:
      return "cross";
    case Marker::tick:
      return "line-ew";
  }
  return "circle";
}

/// An axis' place as annotations and ranges have it.
double axis_value(const AxisScale& scale, double value) {
  return scale.is_logarithmic() ? std::log10(value) : value;
}

class FigureWriter {
 public:
  FigureWriter(const Chart& chart, Size size)
      : chart_(chart), layout_(layout_of(chart, size, {.captions = false})) {}

  Json write() {
    Json data = Json::array();
    for (std::size_t i = 0; i < chart_.guides.size(); ++i) data.push_back(guide_trace(i));
    for (std::size_t s = 0; s < chart_.series.size(); ++s) data.push_back(series_trace(s));
    return {{"data", std::move(data)},
            {"layout", layout()},
            // Plotly 4 offers by default to send the chart to its maker's server.
            {"config",
             {{"showSendToCloud", false},
              {"plotlyServerURL", ""},
              {"displaylogo", false},
              {"scrollZoom", true},
              {"doubleClick", "reset"},
              {"modeBarButtonsToRemove", {"select2d", "lasso2d", "autoScale2d"}}}}};
  }

 private:
  [[nodiscard]] Json guide_trace(std::size_t index) const {
    const Guide& guide = chart_.guides[index];
    Json xs = Json::array();
    Json ys = Json::array();
    for (const std::vector<UnitPoint>& piece : path_of(guide, layout_.x, layout_.y, beyond)) {
      if (!xs.empty()) {
        xs.push_back(nullptr);
        ys.push_back(nullptr);
      }
      for (const UnitPoint& vertex : piece) {
        xs.push_back(layout_.x.from_unit(vertex.x));
        ys.push_back(layout_.y.from_unit(vertex.y));
      }
    }
    const bool in_legend = !guide.label.empty() && !layout_.guides[index].label;
    return {{"type", "scatter"},
            {"mode", "lines"},
            {"name", plotly_text(guide.label)},
            {"x", std::move(xs)},
            {"y", std::move(ys)},
            {"showlegend", in_legend},
            {"hoverinfo", "name"},
            {"hoverlabel", {{"namelength", -1}}},
            {"line",
             {{"color", color_of(guide.color)}, {"width", 2}, {"dash", dash_name(guide.style)}}}};
  }

  [[nodiscard]] std::string hover_text(const Point& point) const {
    std::string text;
    if (!point.label.empty()) text += "<b>" + plotly_text(point.label) + "</b><br>";
    text += plotly_text(layout_.x.format_value(point.x)) + ", " +
            plotly_text(layout_.y.format_value(point.y));
    for (const std::string& detail : point.details) text += "<br>" + plotly_text(detail);
    return text;
  }

  [[nodiscard]] Json series_trace(std::size_t index) const {
    const Series& series = chart_.series[index];
    Json xs = Json::array();
    Json ys = Json::array();
    Json sizes = Json::array();
    Json texts = Json::array();
    Json above = Json::array();
    Json below = Json::array();
    bool has_interval = false;
    const bool is_tick = series.marker == Marker::tick;
    const auto add = [&](const Point& point, double radius) {
      xs.push_back(point.x);
      ys.push_back(point.y);
      sizes.push_back(std::round(20.0 * (is_tick ? tick_arm(radius) : radius)) / 10.0);
      texts.push_back(hover_text(point));
      const Range interval = point.interval.value_or(Range{point.y, point.y});
      above.push_back(interval.high - point.y);
      below.push_back(point.y - interval.low);
      has_interval = has_interval || point.interval.has_value();
    };
    std::vector<const PlacedPoint*> placed_points;
    for (const PlacedPoint& placed : layout_.points) {
      if (placed.series == index) placed_points.push_back(&placed);
    }
    if (series.joined) {
      std::ranges::sort(placed_points, {}, [](const PlacedPoint* placed) { return placed->point; });
    }
    for (const PlacedPoint* placed : placed_points)
      add(series.points[placed->point], placed->radius);
    if (series.points.empty()) {  // an entry of the legend, which Plotly draws for a point only
      xs.push_back(nullptr);
      ys.push_back(nullptr);
      sizes.push_back(legend_size);
      texts.push_back("");
    }
    const std::string_view color = color_of(series.color);
    Json trace = {{"type", "scatter"},
                  {"mode", !series.marked  ? "lines"
                           : series.joined ? "lines+markers"
                                           : "markers"},
                  {"name", plotly_text(series.name)},
                  {"x", std::move(xs)},
                  {"y", std::move(ys)},
                  {"hovertext", std::move(texts)},
                  {"hoverinfo", "text"},
                  {"showlegend", series.keyed && !series.name.empty()},
                  {"marker",
                   {{"symbol", symbol_name(series.marker)},
                    {"size", std::move(sizes)},
                    {"color", color},
                    {"opacity", is_tick ? 1.0 : 0.7},
                    {"line", {{"color", color}, {"width", is_tick ? 2.5 : 1.0}}}}},
                  {"line", {{"color", color}, {"width", 1.5}}}};
    if (!series.group.empty()) trace.update({{"legendgroup", plotly_text(series.group)}});
    if (has_interval) {
      trace.update({{"error_y",
                     {{"type", "data"},
                      {"symmetric", false},
                      {"array", std::move(above)},
                      {"arrayminus", std::move(below)},
                      {"color", color},
                      {"thickness", 1.5},
                      {"width", 0}}}});
    }
    return trace;
  }

  [[nodiscard]] Json axis(const Axis& axis, const AxisScale& scale) const {
    Json json = {{"title", {{"text", plotly_text(title_of(axis))}}},
                 {"range", {axis_value(scale, scale.low()), axis_value(scale, scale.high())}},
                 {"showgrid", true},
                 {"zeroline", false},
                 {"showline", true},
                 {"ticks", "outside"},
                 {"linecolor", "rgba(128,128,128,0.8)"},
                 {"tickcolor", "rgba(128,128,128,0.8)"},
                 {"gridcolor", "rgba(128,128,128,0.32)"},
                 {"minor", {{"showgrid", true}, {"gridcolor", "rgba(128,128,128,0.12)"}}}};
    // More would have Plotly write all of 1 to 9 in each decade, over each other.
    json["nticks"] = 6;
    if (axis.whole) {
      const std::vector<Tick> ticks = scale.ticks();
      json["tick0"] = 0;
      json["dtick"] = ticks.size() > 1 ? ticks[1].value - ticks[0].value : 1.0;
    }
    json["type"] = scale.is_logarithmic() ? "log" : "linear";
    json["tickformat"] = axis.numbers == NumberStyle::si ? "~s" : "~r";
    return json;
  }

  /// A text at a pixel of the plot, fixed to the place under it.
  [[nodiscard]] Json annotation(const PlacedText& text, int color) const {
    const Rectangle& plot = layout_.plot;
    const double x = layout_.x.from_unit((text.at.x - plot.left) / plot.width());
    const double y = layout_.y.from_unit((plot.bottom - text.at.y) / plot.height());
    return {{"x", axis_value(layout_.x, x)},
            {"y", axis_value(layout_.y, y)},
            {"showarrow", false},
            {"text", plotly_text(text.text)},
            {"textangle", -text.angle},
            {"xanchor", text.align == Align::left ? "left" : "center"},
            {"yanchor", "middle"},
            {"font", {{"size", text.font_px}, {"color", color_of(color)}}}};
  }

  /// A text at a distance in pixels from its point; a leader is an arrow without a head.
  [[nodiscard]] Json annotation(const PlacedPointLabel& label) const {
    const PixelPoint center = label.box.center();
    const double right = center.x - label.anchor_pixel.x;
    const double down = center.y - label.anchor_pixel.y;
    Json json = {{"x", axis_value(layout_.x, label.anchor.x)},
                 {"y", axis_value(layout_.y, label.anchor.y)},
                 {"text", plotly_text(label.text)},
                 {"xanchor", "center"},
                 {"yanchor", "middle"},
                 {"font", {{"size", label_font}}},
                 {"borderpad", 0},
                 {"showarrow", label.leader.has_value()}};
    if (label.color) json["font"].update({{"color", color_of(*label.color)}});
    if (label.leader) {
      const PixelPoint rim = label.leader->from;
      const double radius = std::hypot(rim.x - label.anchor_pixel.x, rim.y - label.anchor_pixel.y);
      json.update({{"ax", right},
                   {"ay", down},
                   {"arrowhead", 0},
                   {"arrowwidth", 0.8},
                   {"arrowcolor", "rgba(128,128,128,0.9)"},
                   {"standoff", radius}});
    } else {
      json.update({{"xshift", right}, {"yshift", -down}});
    }
    return json;
  }

  [[nodiscard]] Json vertical_shape(const VerticalGuide& guide) const {
    const double low = layout_.y.from_unit(-beyond);
    const double high = layout_.y.from_unit(1.0 + beyond);
    return {{"type", "line"},
            {"layer", "below"},
            {"x0", guide.x},
            {"x1", guide.x},
            {"y0", low},
            {"y1", guide.top.value_or(high)},
            {"line", {{"color", color_of(guide.color)}, {"width", 1}, {"dash", "dash"}}}};
  }

  [[nodiscard]] Json layout() const {
    Json annotations = Json::array();
    Json shapes = Json::array();
    for (const PlacedGuide& guide : layout_.guides) {
      if (guide.label) annotations.push_back(annotation(*guide.label, guide.color));
    }
    for (std::size_t i = 0; i < chart_.vertical_guides.size(); ++i) {
      const PlacedGuide& placed = layout_.vertical_guides[i];
      if (!placed.path.empty()) shapes.push_back(vertical_shape(chart_.vertical_guides[i]));
      if (placed.label) annotations.push_back(annotation(*placed.label, placed.color));
    }
    for (const PlacedPointLabel& label : layout_.labels) {
      annotations.push_back(annotation(label));
    }
    const Rectangle& plot = layout_.plot;
    const auto [width, height] = layout_.size;
    std::string title = plotly_text(chart_.title);
    if (!chart_.subtitle.empty()) {
      title += format("<br><span style=\"font-size:13px\">{}</span>", plotly_text(chart_.subtitle));
    }
    return {{"width", width},
            {"height", height},
            {"margin",
             {{"l", plot.left},
              {"r", width - plot.right},
              {"t", plot.top},
              {"b", height - plot.bottom},
              {"autoexpand", false}}},
            {"title",
             {{"text", title},
              {"x", 0},
              {"xref", "paper"},
              {"y", 1},
              {"yref", "container"},
              {"yanchor", "top"},
              // A title of two lines is set higher by most of a line.
              {"pad", {{"t", chart_.subtitle.empty() ? 14 : 27}}},
              {"font", {{"size", title_font}}}}},
            {"font", {{"family", "sans-serif"}, {"size", text_font}}},
            {"paper_bgcolor", "rgba(0,0,0,0)"},
            {"plot_bgcolor", "rgba(0,0,0,0)"},
            {"hovermode", "closest"},
            {"dragmode", "zoom"},
            {"legend",
             {{"orientation", "h"},
              {"x", 0},
              {"y", 1},
              {"yanchor", "bottom"},
              {"itemsizing", "constant"},
              {"bgcolor", "rgba(0,0,0,0)"}}},
            {"modebar",
             {{"bgcolor", "rgba(0,0,0,0)"},
              {"color", "rgba(128,128,128,0.6)"},
              {"activecolor", "rgba(128,128,128,1)"}}},
            {"xaxis", axis(chart_.x, layout_.x)},
            {"yaxis", axis(chart_.y, layout_.y)},
            {"shapes", std::move(shapes)},
            {"annotations", std::move(annotations)},
            {"meta",
             {{"hidden_labels", layout_.omissions.hidden_labels},
              {"left_out_points", layout_.omissions.left_out_points}}}};
  }

  const Chart& chart_;
  Layout layout_;
};

}  // namespace

Json plotly_figure(const Chart& chart, Size size) { return FigureWriter(chart, size).write(); }

}  // namespace rooflab::chart
