#pragma once

#include <string>

#include "rooflab/chart/chart.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {


/// One chart and nothing else.
[[nodiscard]] Document chart_document(chart::Chart chart, std::string command);

/// What text shows first, then the sections, with a table of contents before more than three. One
/// file that needs nothing else and loads nothing: a Content-Security-Policy forbids it. Texts
/// may hold anything, they are shown letter by letter. `plotly` is the bundle's source; without it
/// charts are SVG pictures by gnuplot, and where that is missing too the page says so.
[[nodiscard]] std::string render_html(const Document& document, const std::string& plotly);

}  // namespace rooflab::report
