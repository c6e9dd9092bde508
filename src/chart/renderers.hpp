#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/json.hpp"
#include "rooflab/chart/chart.hpp"
#include "row_chart.hpp"

namespace rooflab::chart {

enum class Format { svg, png, pdf };
constexpr auto names_in_order(For<Format>) {
  return names_through<Format::pdf>("SVG", "PNG", "PDF");
}

/// Format of `svg`, `png` or `pdf`, also of a file's extension with its dot.
[[nodiscard]] std::optional<Format> format_from_extension(std::string_view extension);

/// Path of gnuplot in the folders of PATH, or nullopt.
[[nodiscard]] std::optional<std::filesystem::path> find_gnuplot();

/// Renders a chart as the content of a file: a picture on white with fonts of 11 px or more.
///
/// Runs gnuplot (5.4 or later) as a child process without a shell, with the script on its input. A
/// pixel of a PDF is a point, 1/72 inch. Throws Error (capability) when gnuplot is missing, cannot
/// write the format, fails or takes over half a minute; Error (usage) for a size out of bounds.
[[nodiscard]] std::string render_gnuplot(const Chart& chart, Format format, Size size = {});

/// Renders several charts in one picture, from top to bottom, each with the given size.
[[nodiscard]] std::string render_gnuplot_panels(std::span<const Chart> panels, Format format,
                                                Size panel_size = {});

/// The script that render_gnuplot() runs. It writes to gnuplot's standard output.
[[nodiscard]] std::string gnuplot_script(const Chart& chart, Format format, Size size = {});

/// The size of a chart of rows, whose height follows from their number. Throws Error (usage) below
/// a width of 480 and for more rows than can be drawn.
inline constexpr std::size_t most_chart_rows = 500;
[[nodiscard]] Size size_of(const RowChart& chart, int width);
/// The gnuplot script of a chart of rows. It writes to gnuplot's standard output.
[[nodiscard]] std::string gnuplot_script(const RowChart& chart, Format format, int width);

/// A chart of either kind for a file. The height of a chart of rows follows from its rows.
struct Picture {
  std::variant<Chart, RowChart> chart;
  Size size = {};
};

/// Renders every picture in every format: `[picture][format]`. One run of gnuplot draws all of
/// them. Throws as render_gnuplot() does.
[[nodiscard]] std::vector<std::vector<std::string>> render_pictures(
    std::span<const Picture> pictures, std::span<const Format> formats);

/// The chart for Plotly.newPlot() of Plotly's basic bundle (2.35 or later): `{data, layout,
/// config}`.
///
/// One trace of markers per series (in order, after the guides, whose traces have no markers), with
/// the point's label, values and details as hover text; labels are annotations at their places for
/// that size. Backgrounds are transparent and no colour of text is set: the page sets
/// `layout.font.color`. `layout.meta` is `{hidden_labels, left_out_points}`. The page shows the
/// captions. Throws Error (usage) for a size out of bounds.
[[nodiscard]] Json plotly_figure(const Chart& chart, Size size = {});

/// A `<figure class="rooflab-chart">` for a page that has loaded Plotly: a `<div>` with that id,
/// the script that draws into it in the page's colours (again when the reader switches between
/// light and dark), and the captions. Nothing in the chart can end the script or add markup.
///
/// `element_id` has ASCII letters, digits, `-` and `_`, and begins with a letter.
[[nodiscard]] std::string render_html_fragment(const Chart& chart, std::string_view element_id,
                                               Size size = {});

/// JSON that is also safe within a script element: in JSON a `<` only occurs in strings, and
/// written as an escape it begins neither an end tag nor a comment.
[[nodiscard]] std::string script_json(const Json& json);

/// The entries of a chart's legend as a list, for charts side by side without own legends.
[[nodiscard]] std::string render_html_legend(const Chart& chart);
[[nodiscard]] Chart without_legend(Chart chart);

/// Class of page elements in a colour of palette.hpp: `hue0`. The page's style gives these classes
/// light and dark colours.
[[nodiscard]] std::string hue_class(int color);
[[nodiscard]] std::string hue_style();

/// A `<figure>` for a page without Plotly: gnuplot's SVG as an image within the page. Throws as
/// render_gnuplot() does.
[[nodiscard]] std::string render_html_image(const Chart& chart, Size size = {});

struct TerminalOptions {
  int columns = 80;    ///< width of everything; at least 40
  int rows = 24;       ///< height of titles, plot and axes together; the plot has at least 8 rows
  bool ascii = false;  ///< only ASCII: lines of `/`, `-` and `|` instead of Braille dots
  bool color = false;  ///< points and their letters in the colours of their series
};

/// The chart as lines of text, each ended by a line feed and free of trailing blanks; escape
/// sequences are those of colours, where they are wanted.
///
/// The heaviest points that have a label are the letters a to z, the others dots, ticks are short
/// lines; a legend below explains the letters. Points of one cell share a letter and count as
/// `conv1 +3`. Needs no other program. Throws Error (usage) when the width is below 40 or either is
/// above 1000.
[[nodiscard]] std::string render_terminal(const Chart& chart, TerminalOptions options = {});

}  // namespace rooflab::chart
