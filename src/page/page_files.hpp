#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "chart/renderers.hpp"
#include "rooflab/page/document.hpp"

/// The charts and tables of a page as files next to it, for papers and other reports:
/// `charts/NAME.svg`, `.png` and `.pdf`, `tables/NAME.csv` and `.tex`. NAME is made of the title's
/// letters and digits; if several have one title, the later ones get a number.
namespace rooflab::page {

inline constexpr std::string_view chart_folder = "charts";
inline constexpr std::string_view table_folder = "tables";

/// A file with its path relative to the page's folder.
struct PageFile {
  std::string path;
  std::string content;
};

/// The files of one chart or table of the page.
struct PageFileGroup {
  std::string title;
  std::vector<PageFile> files;
};

/// Draws pictures of all charts of a document: dots, bars and charts of sections, without those in
/// details. Sets PageSection::pictures to the SVG files. Throws Error (capability) where gnuplot is
/// missing or fails, without changing the document.
[[nodiscard]] std::vector<PageFileGroup> draw_charts(Document& document);
/// The paths of the files of draw_charts().
[[nodiscard]] std::vector<std::string> chart_paths(const Document& document);

/// Files of all tables, including those in details. The last group is `tables/tables.tex`, which
/// inputs the tables that text shows and has comments for the others. `version`: version of the
/// program.
[[nodiscard]] std::vector<PageFileGroup> table_files(const Document& document,
                                                     const std::string& version);

}  // namespace rooflab::page
