#include "judged.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/format.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab::accuracy {

Judged judged(const predict::StepTime& step, double measured_s, double share) {
  Judged row;
  row.error = step.time.value * share / measured_s - 1.0;
  row.inside = step.low.value * share <= measured_s && measured_s <= step.high.value * share;
  row.width = step.high.value / step.low.value;
  return row;
}

Summary summary_of(const std::vector<Judged>& rows) {
  std::vector<double> errors;
  Summary summary;
  summary.rows = rows.size();
  const double each = 1.0 / static_cast<double>(rows.size());
  for (const Judged& row : rows) {
    errors.push_back(std::abs(row.error));
    summary.bias += each * row.error;
    summary.inside += row.inside ? each : 0.0;
    summary.width += each * row.width;
    summary.roofline += each * std::abs(row.roofline);
  }
  const Statistics statistics = statistics_of(errors);
  summary.mean = statistics.mean;
  summary.median = statistics.median;
  summary.worst = statistics.max;
  return summary;
}

std::string summary_head() {
  return "| rows | number | mean error | median | worst | bias | in the 90 % interval | mean width "
         "|\n| --- | --: | --: | --: | --: | --: | --: | --: |\n";
}

std::string summary_line(const std::string& name, const Summary& summary) {
  return format("| {} | {} | {} | {} | {} | {} | {:.0f} % | {:.2f} |\n", name, summary.rows,
                percent(summary.mean), percent(summary.median), percent(summary.worst),
                signed_percent(summary.bias), 100.0 * summary.inside, summary.width);
}

std::string summary_table(const std::vector<Judged>& all,
                          const std::vector<std::map<std::string, std::vector<Judged>>>& groups) {
  std::string text = summary_head() + summary_line("all", summary_of(all));
  for (const auto& group : groups) {
    for (const auto& [name, part] : group) text += summary_line(name, summary_of(part));
  }
  return text;
}

std::string table_worst_first(std::string heading, std::vector<Judged> rows, std::size_t most) {
  std::ranges::stable_sort(rows, std::greater{},
                           [](const Judged& row) { return std::abs(row.error); });
  rows.resize(std::min(rows.size(), most));
  for (const Judged& row : rows) heading += row.line;
  return heading;
}

std::string overview_line(const std::string& name, const Summary& summary) {
  return format("| {} | {} | {} | {} | {} | {:.0f} % | {:.2f} | {} |\n", name, summary.rows,
                percent(summary.mean), percent(summary.median), signed_percent(summary.bias),
                100.0 * summary.inside, summary.width, percent(summary.roofline));
}

std::string percent(double fraction) { return format("{:.1f} %", 100.0 * fraction); }
std::string signed_percent(double fraction) { return format("{:+.1f} %", 100.0 * fraction); }

}  // namespace rooflab::accuracy
