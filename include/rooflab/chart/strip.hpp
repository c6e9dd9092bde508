#pragma once

#include <string>
#include <vector>

namespace rooflab::chart {

/// Activity of a strip's row from one moment to another.
struct StripRun {
  double begin_s = 0.0;
  double end_s = 0.0;
  int kind = 0;  ///< number in Strip::kinds
};
struct StripRow {
  std::string name = {};  ///< `device`, `host`, `communication`
  std::vector<StripRun> runs = {};
};

/// A step over time, with a row for each concurrent activity. All strips of a section have the same
/// kinds.
struct Strip {
  std::string label = {};
  double length_s = 0.0;  ///< above 0
  std::vector<StripRow> rows = {};
  std::vector<std::string> kinds = {};  ///< kinds of work; each has a separate colour
  std::string remark = {};              ///< sentences below the strip
};

}  // namespace rooflab::chart
