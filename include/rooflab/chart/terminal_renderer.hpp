#pragma once

#include <string>

#include "rooflab/chart/chart.hpp"

namespace rooflab::chart {

struct TerminalOptions {
  int columns = 80;    ///< width of everything; at least 40
  int rows = 24;       ///< height of titles, plot and axes together; the plot has at least 8 rows
  bool ascii = false;  ///< only ASCII: lines of `/`, `-` and `|` instead of Braille dots
};

/// The chart as lines of text, each ended by a line feed and free of trailing blanks and escape
/// sequences.
///
/// The heaviest points are the letters a to z, the others dots; a legend below explains the
/// letters. Points of one cell share a letter and count as `conv1 +3`. Needs no other program.
/// Throws Error (usage) when the width is below 40 or either is above 1000.
[[nodiscard]] std::string render_terminal(const Chart& chart, TerminalOptions options = {});

}  // namespace rooflab::chart
