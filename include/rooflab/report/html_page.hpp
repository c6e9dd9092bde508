#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/chart/chart.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// A chart of a page: drawn by Plotly in the browser, or a picture where the bundle is missing.
struct PageChart {
  std::string heading;  ///< above it; may be empty
  chart::Chart chart;
  chart::Size size = {};
};

/// A table behind a line that opens it.
struct PageDetail {
  std::string heading;
  Table table;
  std::vector<std::string> notes;
  std::string command;  ///< the command line that gives it
};

/// A figure at the top of the page.
struct PageCard {
  std::string title;
  std::string value;
  std::string remark;
  std::string tone;  ///< `good`, `warning`, `bad` or empty; always said in words too
};

struct Page {
  std::string title;
  std::string subtitle;
  std::string command;  ///< the command line that made the page
  std::vector<PageCard> cards;
  Document document;                         ///< its first table is the comparison
  std::string table_heading = "Comparison";  ///< of the document's first table
  std::vector<PageChart> charts;
  std::vector<PageDetail> details;
  std::string details_heading = "Layers";
};

/// Limits, memory, rooflines by device and layers by case.
[[nodiscard]] Page predict_page(std::span<const analyze::CaseResult> cases, std::string command);

/// One chart and nothing else.
[[nodiscard]] Page chart_page(chart::Chart chart, std::string command);

/// One file that needs nothing else and loads nothing: a Content-Security-Policy forbids it. Texts
/// are escaped. `plotly` is the bundle's source; without it charts are SVG pictures by gnuplot, and
/// where that is missing too the page says so.
[[nodiscard]] std::string render_html(const Page& page, const std::string& plotly);

}  // namespace rooflab::report
