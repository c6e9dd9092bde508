#pragma once

#include "rooflab/chart/chart.hpp"

namespace rooflab::chart {

/// The points that fall into one cell of a terminal.
struct CellPoints {
  int column = 0;
  int row = 0;
  const Series* series = nullptr;  // of the heaviest
  const Point* heaviest = nullptr;
  int others = 0;
};

}  // namespace rooflab::chart
