#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "launch_figures.hpp"
#include "launch_list.hpp"
#include "number_reader.hpp"
#include "value_taker.hpp"

namespace rooflab::import::ncu {

/// The text that ncu prints on a terminal, without --csv:
///
///     [2191] python3@node7
///       kernel(float *) (10, 1, 3)x(64, 2, 1), Context 1, Stream 7, Device 0, CC 7.0
///         Section: Command line profiler metrics
///         -------------------- ----------- ------------
///         Metric Name          Metric Unit Metric Value
///         -------------------- ----------- ------------
///         dram__bytes_read.sum       Kbyte       118.78
///         -------------------- ----------- ------------
///
/// Up to 2022 the line of a kernel has a date instead of grid and block, no device and CC, and the
/// table has no heads. The dashes give the places of the columns.
class TextPage {
 public:
  TextPage(record::KernelTable& kernels, LaunchList& launches, LogFacts& facts,
           NumberReader& numbers);

  /// Reads a line outside of CSV tables; false: it does not belong to the page. `whole`: it ends
  /// with a line feed; other lines may be cut by the end of the file.
  bool line(std::string_view line, bool whole);
  /// Stores the open launch: at the end of the log, or before a CSV table.
  void finish();

 private:
  struct Columns {
    std::array<std::size_t, 3> begin = {};
    std::array<std::size_t, 3> end = {};
  };
  struct Row {
    std::string_view metric;
    std::string_view unit;
    std::string_view value;
  };

  bool process_line(std::string_view line);
  bool kernel_line(std::string_view line);
  [[nodiscard]] static std::optional<Columns> rule_of(std::string_view line);
  [[nodiscard]] std::optional<Row> row_of(std::string_view line) const;
  void rule(const Columns& columns);
  void close_table();

  record::KernelTable* kernels_;
  LaunchList* launches_;
  LogFacts* facts_;
  NumberReader* numbers_;
  ValueTaker taker_;
  LaunchFigures figures_;
  std::optional<std::size_t> open_;  ///< row of the launch that tables belong to
  std::optional<Columns> table_;
  int rows_ = 0;  ///< rows of the table
  int seen_ = 0;  ///< rows used as evidence

  std::string process_id_;  ///< empty: not known yet
  std::string process_name_;
  std::string host_;
  std::map<std::string, std::int64_t> next_id_;  ///< the next launch of each process
};

}  // namespace rooflab::import::ncu
