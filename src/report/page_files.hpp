#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "chart/renderers.hpp"
#include "rooflab/report/document.hpp"

/// The charts and tables of a page as files beside it, for papers and other reports:
/// `charts/NAME.svg`, `.png` and `.pdf`, `tables/NAME.csv` and `.tex`. NAME is made of the title's
/// letters and digits; of several with one title the later have a number behind it.
namespace rooflab::report {

inline constexpr std::string_view chart_folder = "charts";
inline constexpr std::string_view table_folder = "tables";

/// A file by its path from the page's folder.
struct PageFile {
  std::string path;
  std::string content;
};

/// What stands for a chart or a table of the page.
struct PageFileGroup {
  std::string title;
  std::vector<PageFile> files;
};

/// The pictures of all charts of a document: of dots, bars and charts of sections. Those behind
/// lines that open them are left out. Sets PageSection::pictures to the SVG files. Throws Error
/// (capability) where gnuplot is missing or fails; the document is as it was then.
[[nodiscard]] std::vector<PageFileGroup> draw_charts(Document& document);
/// The paths that draw_charts() would give.
[[nodiscard]] std::vector<std::string> chart_paths(const Document& document);

/// All tables, those behind lines too. The last group is `tables/tables.tex`, which inputs those
/// that text shows, and has comments for the others. `version`: of the program.
[[nodiscard]] std::vector<PageFileGroup> table_files(const Document& document,
                                                     const std::string& version);

}  // namespace rooflab::report
