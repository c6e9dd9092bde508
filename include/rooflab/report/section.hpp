#pragma once

#include <string>
#include <vector>

#include "rooflab/chart/chart.hpp"
#include "rooflab/report/table.hpp"

namespace rooflab::report {

/// A figure at the top of the page.
struct PageCard {
  std::string title;
  std::string value;
  std::string remark;
  std::string tone;  ///< `good`, `warning`, `bad` or empty; always said in words too
};

/// A piece of a bar. Pieces of one name have one letter and colour in all bars of a section.
struct PageBarPart {
  std::string name;
  double value = 0.0;  ///< in a unit that all bars of the section share
  std::string text;    ///< the value for people: `1.2 ms`
};

/// A horizontal bar made of its parts, in their order. A part that is not finite or not above zero
/// is not drawn; the bar says so.
struct PageBar {
  std::string label;
  std::string text;  ///< the whole for people; may be empty
  std::vector<PageBarPart> parts;
};

enum class BarScale {
  share,     ///< each bar has the full width: shares of a whole
  absolute,  ///< the longest bar has the full width, the others in proportion
};

/// A chart of a page: drawn by Plotly in the browser, or a picture where the bundle is missing.
struct PageChart {
  std::string heading;  ///< above it, within its section; may be empty
  chart::Chart chart;
  chart::Size size = {};
};

/// A table behind a line that opens it. Its title is not shown: the heading is.
struct PageDetail {
  std::string heading;
  Table table;
  std::vector<std::string> notes;
  std::string command;   ///< the command line that gives it
  bool in_text = false;  ///< text, Markdown and CSV show the table too
};

/// What stands under one heading, in this order; anything may be missing. A section without any
/// content is left out. Of tables with more than 200 rows, the first 200 are shown and a button
/// shows all; filter and sorting work on all rows.
struct PageSection {
  std::string heading;  ///< `<section id="section-where-the-time-went">` by its letters and digits
  /// Text, Markdown and CSV show the tables and notes too; a page shows every section.
  bool in_text = false;
  bool captions = false;  ///< its notes explain what stands there: text goes without
  std::vector<PageBar> bars;
  BarScale bar_scale = BarScale::share;
  std::vector<PageChart> charts;
  std::vector<Table> tables;  ///< titles are shown where they differ from the heading
  std::vector<std::string> notes;
  std::string command;  ///< the command line behind these figures; may be empty
  std::vector<PageDetail> details;
};

}  // namespace rooflab::report
