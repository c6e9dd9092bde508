// A row of a strip is a picture of 1200 columns, each an equal part of the strip's time. A column
// is as high as the share of its time that the row is busy, and has the colour of the kind that
// takes most of that: short kernels with gaps between them make a low row, not a full one. What is
// busy at all is two pixels high. Neighbours of one height and colour are one rectangle, so that a
// row takes some kilobytes however many runs it has. The picture stretches with the window; texts
// are next to it.

#include "html_strip.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/format.hpp"
#include "html_text.hpp"
#include "renderers.hpp"

namespace rooflab::chart {
namespace {

constexpr int columns = 1200;
constexpr int strip_height = 24;
constexpr int least_height = 2;

/// A column of a row as it is drawn.
struct DrawnColumn {
  int height = 0;
  std::size_t kind = 0;
  friend bool operator==(const DrawnColumn&, const DrawnColumn&) = default;
};

/// Seconds of each kind in each column.
std::vector<std::vector<double>> busy_by_column(const StripRow& row, const Strip& strip) {
  std::vector<std::vector<double>> busy(columns, std::vector<double>(strip.kinds.size(), 0.0));
  const double width = strip.length_s / columns;
  for (const StripRun& run : row.runs) {
    const auto kind = static_cast<std::size_t>(run.kind);
    if (kind >= strip.kinds.size()) continue;
    const int first = std::clamp(static_cast<int>(run.begin_s / width), 0, columns - 1);
    const int last = std::clamp(static_cast<int>(run.end_s / width), first, columns - 1);
    for (int column = first; column <= last; ++column) {
      const double from = std::max(run.begin_s, column * width);
      const double to = std::min(run.end_s, (column + 1) * width);
      if (to > from) busy[static_cast<std::size_t>(column)][kind] += to - from;
    }
  }
  return busy;
}

/// Rectangles of each kind, as the data of one path.
std::vector<std::string> paths_of(const StripRow& row, const Strip& strip) {
  const double width = strip.length_s / columns;
  std::vector<DrawnColumn> drawn;
  for (const std::vector<double>& kinds : busy_by_column(row, strip)) {
    double sum = 0.0;
    for (const double each : kinds) sum += each;
    DrawnColumn& column = drawn.emplace_back();
    if (sum <= 0.0) continue;
    const double share = std::min(sum / width, 1.0);
    column.height = std::max(least_height, static_cast<int>(std::lround(share * strip_height)));
    column.kind = static_cast<std::size_t>(std::ranges::max_element(kinds) - kinds.begin());
  }
  std::vector<std::string> paths(strip.kinds.size());
  for (std::size_t begin = 0; begin < drawn.size();) {
    std::size_t end = begin + 1;
    while (end < drawn.size() && drawn[end] == drawn[begin]) ++end;
    const auto& [height, kind] = drawn[begin];
    if (height > 0) {
      paths[kind] += format("M{} {}v-{}h{}v{}z", begin, strip_height, height, end - begin, height);
    }
    begin = end;
  }
  return paths;
}

std::string hue(std::size_t kind) { return hue_class(static_cast<int>(kind)); }

/// `device: convolution 61.2 %, copies 4.0 %`, of the strip's time.
std::string words_of(const StripRow& row, const Strip& strip) {
  std::vector<double> sums(strip.kinds.size(), 0.0);
  for (const StripRun& run : row.runs) {
    sums.at(static_cast<std::size_t>(run.kind)) += run.end_s - run.begin_s;
  }
  std::vector<std::string> words;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] <= 0.0) continue;
    words.push_back(format("{} {:.1f} %", strip.kinds[i], 100.0 * sums[i] / strip.length_s));
  }
  return format("{}, {}: {}", strip.label, row.name, join(words, ", "));
}

std::string html_row(const StripRow& row, const Strip& strip) {
  std::string paths;
  const std::vector<std::string> data = paths_of(row, strip);
  for (std::size_t kind = 0; kind < data.size(); ++kind) {
    if (data[kind].empty()) continue;
    paths += format("<path class=\"{}\" d=\"{}\"/>", hue(kind), data[kind]);
  }
  return format(
      "<div class=\"strip-row\"><span>{}</span><svg viewBox=\"0 0 {} {}\""
      " preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\">{}</svg></div>\n",
      html_text(row.name), columns, strip_height, html_text(words_of(row, strip)), paths);
}

std::string html_strip(const Strip& strip) {
  std::string html =
      format("<figure class=\"strip\">\n<figcaption>{}</figcaption>\n", html_text(strip.label));
  for (const StripRow& row : strip.rows) html += html_row(row, strip);
  html += format(
      "<div class=\"strip-row\"><span></span><div class=\"strip-axis\"><span>0</span><span>{}"
      "</span><span>{}</span></div></div>\n<p>{}</p>\n</figure>\n",
      si(0.5 * strip.length_s, "s"), si(strip.length_s, "s"), html_text(strip.remark));
  return html;
}

/// Kinds that some row has, with their colours.
std::string html_legend(std::span<const Strip> strips) {
  const std::vector<std::string>& kinds = strips.front().kinds;
  std::vector<bool> used(kinds.size(), false);
  for (const Strip& strip : strips) {
    for (const StripRow& row : strip.rows) {
      for (const StripRun& run : row.runs) used.at(static_cast<std::size_t>(run.kind)) = true;
    }
  }
  std::string html = "<ul class=\"legend\">\n";
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (!used[i]) continue;
    html += format("<li><span class=\"swatch solid {}\">&nbsp;</span>{}</li>\n", hue(i),
                   html_text(kinds[i]));
  }
  return html + "</ul>\n";
}

}  // namespace

std::string html_strips(std::span<const Strip> strips, const std::string& command) {
  if (strips.empty()) return {};
  std::string html = "<div class=\"strips\">\n" + html_legend(strips);
  for (const Strip& strip : strips) html += html_strip(strip);
  constexpr std::string_view viewer =
      "<a href=\"https://ui.perfetto.dev\" rel=\"noreferrer\">ui.perfetto.dev</a>";
  return html +
         format(
             "<p class=\"soft\">A column is as high as the share of its time in which the row is"
             " busy. {}</p>\n</div>\n",
             command.empty() ? format("{} opens the trace itself.", viewer)
                             : format("With every op by its name: <code>{}</code> writes a file"
                                      " that opens in {}.",
                                      html_text(command), viewer));
}

}  // namespace rooflab::chart
