#include <algorithm>
#include <array>
#include <cstddef>

#include "base/assert.hpp"
#include "base/format.hpp"
#include "marker_outline.hpp"
#include "palette.hpp"
#include "renderers.hpp"
#include "safe_text.hpp"

namespace rooflab::chart {
namespace {

bool is_element_id(std::string_view id) {
  const auto is_allowed = [](char c) {
    return is_letter(c) || is_digit(c) || c == '-' || c == '_';
  };
  return !id.empty() && is_letter(id.front()) && std::ranges::all_of(id, is_allowed);
}

std::string html_captions(const Chart& chart, const std::string& note) {
  std::vector<std::string> lines;
  for (const std::string& caption : chart.captions)
    lines.push_back(escape_html(safe_text(caption)));
  if (!note.empty()) lines.push_back(escape_html(note));
  if (lines.empty()) return "";
  return format("<figcaption>{}</figcaption>\n", join(lines, "<br>\n"));
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    unsigned group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = (group << 8U) | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= count ? digits[(group >> (18U - 6U * i)) & 0x3FU] : '=';
    }
  }
  return text;
}

/// Draws in the page's own text colour and width, now and whenever its colour scheme or its window
/// changes. In a narrow window labels are left out (the pointer has them), and the legend is
/// below the plot, a line for each series.
constexpr std::string_view draw_script = R"js((function () {{
  var place = document.getElementById("{id}");
  var light = {figure};
  var lighter = {lighter};
  var scheme = matchMedia("(prefers-color-scheme: dark)");
  function shown() {{
    return !scheme.matches ? light : JSON.parse(JSON.stringify(light).replace(
        /#[0-9A-F]{{6}}/g, function (color) {{ return lighter[color] || color; }}));
  }}
  var figure = shown();
  var wide = figure.layout;
  var drawn = 0;
  function ink() {{ return getComputedStyle(place).color; }}
  function room() {{ return Math.max(280, Math.min(place.parentElement.clientWidth, wide.width)); }}
  function isNarrow() {{ return room() < Math.min(640, wide.width); }}
  function layout() {{
    var width = room();
    var changes = {{ width: width, font: Object.assign({{}}, wide.font, {{ color: ink() }}) }};
    if (isNarrow()) {{
      var lines = figure.data.filter(function (each) {{ return each.showlegend; }}).length;
      changes.annotations = [];
      changes.height = 360 + 20 * lines;
      changes.margin = Object.assign({{}}, wide.margin, {{ l: 56, r: 12, t: 56, b: 70 + 20 * lines }});
      changes.legend = Object.assign({{}}, wide.legend, {{
        orientation: "v", y: -64 / 234, yanchor: "top", font: {{ size: 11 }} }});
      changes.title = Object.assign({{}}, wide.title, {{
        text: wide.title.text.replace(": ", ":<br>"), font: {{ size: 12 }} }});
    }}
    drawn = width;
    return Object.assign({{}}, wide, changes);
  }}
  function config() {{
    return Object.assign({{}}, figure.config, room() < 640 ? {{ displayModeBar: false }} : {{}});
  }}
  Plotly.newPlot(place, figure.data, layout(), config());
  function redraw() {{
    figure = shown();
    wide = figure.layout;
    Plotly.react(place, figure.data, layout(), config());
  }}
  scheme.addEventListener("change", redraw);
  var waiting = 0;
  window.addEventListener("resize", function () {{
    clearTimeout(waiting);
    waiting = setTimeout(function () {{ if (room() !== drawn) redraw(); }}, 100);
  }});
}})();)js";

/// A marker 14 px wide in the colour of its element.
std::string symbol_svg(Marker marker) {
  std::string points;
  for (const PixelPoint& corner : marker_outline(marker, {7.0, 7.0}, 5.0)) {
    points += format("{:.1f},{:.1f} ", corner.x, corner.y);
  }
  return format(
      "<svg class=\"symbol\" width=\"14\" height=\"14\" viewBox=\"0 0 14 14\" aria-hidden=\"true\">"
      "<polygon fill=\"currentColor\" points=\"{}\"/></svg>",
      trim(points));
}

}  // namespace

std::string script_json(const Json& json) {
  std::string result;
  for (const char c : json.dump_ascii()) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

std::string hue_class(int color) { return format("hue{}", color % color_count); }

std::string hue_style() {
  std::string light;
  std::string dark;
  for (int i = 0; i < color_count; ++i) {
    light += format(".{}{{color:{}}}", hue_class(i), color_of(i));
    dark += format(".{}{{color:{}}}", hue_class(i), dark_color_of(i));
  }
  return format("{}\n@media (prefers-color-scheme: dark){{{}}}\n", light, dark);
}

std::string render_html_legend(const Chart& chart) {
  std::string html = "<ul class=\"legend\">\n";
  for (const Series& series : chart.series) {
    if (!series.keyed || series.name.empty()) continue;
    html += format("<li><span class=\"{}\">{}</span>{}</li>\n", hue_class(series.color),
                   symbol_svg(series.marker), escape_html(safe_text(series.name)));
  }
  return html + "</ul>\n";
}

Chart without_legend(Chart chart) {
  std::erase_if(chart.series, [](const Series& each) { return each.keyed && each.points.empty(); });
  for (Series& series : chart.series) series.keyed = false;
  return chart;
}

std::string render_html_fragment(const Chart& chart, std::string_view element_id, Size size) {
  ROOFLAB_ASSERT(is_element_id(element_id));
  const Json figure = plotly_figure(chart, size);
  const Json& meta = figure["layout"]["meta"];
  // A hidden label is where the pointer rests.
  const Omissions omissions{0, meta["left_out_points"].get<int>()};
  Json lighter = Json::object();
  for (int i = 0; i < color_count; ++i) lighter[color_of(i)] = dark_color_of(i);
  const std::string script =
      format(draw_script, fmt::arg("id", element_id), fmt::arg("figure", script_json(figure)),
             fmt::arg("lighter", script_json(lighter)));
  std::size_t points = 0;
  for (const Series& series : chart.series) points += series.points.size();
  points -= static_cast<std::size_t>(omissions.left_out_points);
  return format(
      "<figure>\n<div class=\"scroll\"><div class=\"rooflab-chart\" id=\"{}\" data-points=\"{}\">"
      "</div></div>\n<script>\n{}\n</script>\n{}</figure>\n",
      element_id, points, script, html_captions(chart, omissions.to_string()));
}

std::string render_html_image(const Chart& chart, Size size) {
  Chart uncaptioned =
      chart;  // the page writes the captions, where they can be selected and read out
  uncaptioned.captions.clear();
  const std::string svg = render_gnuplot(uncaptioned, Format::svg, size);
  return format(
      "<figure>\n<img alt=\"{}\" width=\"{}\" height=\"{}\" "
      "src=\"data:image/svg+xml;base64,{}\">\n{}</figure>\n",
      escape_html(safe_text(chart.title)), size.width, size.height, base64(svg),
      html_captions(chart, ""));
}

}  // namespace rooflab::chart
