#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rooflab/chart/chart.hpp"

namespace rooflab::chart {

/// A part of a bar, from one value of the axis to another.
struct RowBar {
  double from = 0.0;
  double to = 0.0;
  int color = 0;
};

/// A value on a row. Without a marker it is an upright line.
struct RowMark {
  double value = 0.0;
  std::optional<Marker> marker;
  int color = 0;
};

/// A row: its name, its bars or marks, and its value as text at the right end.
struct Row {
  std::string group;  ///< title line above the first row of the group; may be empty
  std::string label;
  std::vector<RowBar> bars;
  std::optional<Range> interval;  ///< a line from end to end, below the marks
  int interval_color = 0;
  std::vector<RowMark> marks;
  std::string text;
};

/// An entry of the legend: a box in a colour, or a marker.
struct RowKey {
  std::string text;
  std::optional<Marker> marker;
  int color = 0;
};

/// A chart of rows from top to bottom above one axis of values: bars, or marks with an interval.
/// Pages draw rows as HTML; this is their picture in a file.
///
/// Texts may hold anything, as in a Chart. Values without a place on the axis are not drawn.
struct RowChart {
  std::string title;
  std::vector<std::string> captions;
  Axis axis;
  std::optional<double> reference;  ///< value that a line marks
  std::vector<RowKey> keys;
  std::vector<Row> rows;
};

}  // namespace rooflab::chart
