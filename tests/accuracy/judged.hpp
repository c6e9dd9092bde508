#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "rooflab/predict/time_model.hpp"

namespace rooflab::accuracy {

/// A prediction compared with a measurement.
struct Judged {
  double error = 0.0;     ///< predicted / measured - 1
  double roofline = 0.0;  ///< the same of the device's own limit; 0 where it is not asked for
  bool inside = false;    ///< whether the 90 % interval holds it
  double width = 1.0;     ///< upper end of the interval over its lower end
  std::string line;       ///< line in the table of all rows
};

/// A whole step's prediction compared with its measured time, `share` of both belonging to what was
/// measured. `line` is left to the caller.
[[nodiscard]] Judged judged(const predict::StepTime& step, double measured_s, double share = 1.0);

/// The errors of a set of rows; mean, median and worst are of absolute values.
struct Summary {
  std::size_t rows = 0;
  double mean = 0.0;
  double median = 0.0;
  double worst = 0.0;
  double inside = 0.0;  ///< share of the rows that the interval holds
  double width = 0.0;   ///< mean
  double bias = 0.0;
  double roofline = 0.0;  ///< mean absolute error of the limit
};
[[nodiscard]] Summary summary_of(const std::vector<Judged>& rows);

/// Heading of summary_line()'s table, and one line of it.
[[nodiscard]] std::string summary_head();
[[nodiscard]] std::string summary_line(const std::string& name, const Summary& summary);
/// All rows together, then each group.
[[nodiscard]] std::string summary_table(
    const std::vector<Judged>& all,
    const std::vector<std::map<std::string, std::vector<Judged>>>& groups);

/// Lines of the rows with the largest errors after the heading, the largest first.
[[nodiscard]] std::string table_worst_first(std::string heading, std::vector<Judged> rows,
                                            std::size_t most = SIZE_MAX);

/// One line of the page's first table.
[[nodiscard]] std::string overview_line(const std::string& name, const Summary& summary);

/// `4.2 %` and `+4.2 %`.
[[nodiscard]] std::string percent(double fraction);
[[nodiscard]] std::string signed_percent(double fraction);

}  // namespace rooflab::accuracy
