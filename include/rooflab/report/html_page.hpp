#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooflab/chart/chart.hpp"
#include "rooflab/report/document.hpp"
#include "rooflab/report/section.hpp"

namespace rooflab::report {

struct Page {
  std::string title;
  std::string subtitle;
  std::string command;  ///< the command line that made the page
  std::vector<PageCard> cards;
  std::vector<PageSection> sections;  ///< more than three: a table of contents before them
};

/// One chart and nothing else.
[[nodiscard]] Document chart_document(chart::Chart chart, std::string command);

/// The same of a document: what text shows first, then the sections that only pages have.
[[nodiscard]] std::string render_html(const Document& document, const std::string& plotly);

/// One file that needs nothing else and loads nothing: a Content-Security-Policy forbids it. Texts
/// may hold anything, they are shown letter by letter. `plotly` is the bundle's source; without it
/// charts are SVG pictures by gnuplot, and where that is missing too the page says so.
[[nodiscard]] std::string render_html(const Page& page, const std::string& plotly);

}  // namespace rooflab::report
