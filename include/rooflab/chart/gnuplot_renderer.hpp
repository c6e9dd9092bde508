#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/chart/chart.hpp"

namespace rooflab::chart {

enum class Format { svg, png, pdf };
constexpr auto names_in_order(For<Format>) {
  return names_through<Format::pdf>("SVG", "PNG", "PDF");
}

/// `svg`, `png`, `pdf`; also as a file's extension with its dot.
[[nodiscard]] std::optional<Format> format_from_extension(std::string_view extension);

/// Path of gnuplot in the folders of PATH, or nullopt.
[[nodiscard]] std::optional<std::filesystem::path> find_gnuplot();

/// The chart as a file's content: a picture on white with fonts of 11 px and more.
///
/// Runs gnuplot (5.4 or later) as a child process without a shell, the script on its input. A PDF's
/// pixel is a point, 1/72 inch. Throws Error (capability) when gnuplot is missing, cannot write the
/// format, fails or takes over half a minute; Error (usage) for a size out of bounds.
[[nodiscard]] std::string render_gnuplot(const Chart& chart, Format format, Size size = {});

/// Several charts in one picture, from top to bottom, each of the given size.
[[nodiscard]] std::string render_gnuplot_panels(std::span<const Chart> panels, Format format,
                                                Size panel_size = {});

/// The script that render_gnuplot() runs. It writes to gnuplot's standard output.
[[nodiscard]] std::string gnuplot_script(const Chart& chart, Format format, Size size = {});

}  // namespace rooflab::chart
