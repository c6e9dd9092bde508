#pragma once

#include <string>
#include <vector>

#include "rooflab/chart/chart.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/report/document.hpp"

/// What a monitor recorded, for people. docs/methods/monitoring.md says what the figures mean.
namespace rooflab::report {

/// A line for every device and process: means, extremes, energy by the counter, what held the
/// clocks down. The page adds cards with the means, and the charts. Its JSON is the record itself.
[[nodiscard]] Document monitor_view(const record::Record& record, std::string command);

/// Every sample a row, in base units, for CSV; JSON is the record itself.
[[nodiscard]] Document samples_view(const record::Record& record);

/// One chart over time for each group of quantities that the record has: utilisation, power,
/// memory, clocks, temperature of devices, cores and memory of processes; a line for every device,
/// its mean in the legend. Recordings of more samples than a chart has room for keep the extremes.
[[nodiscard]] std::vector<chart::Chart> monitor_charts(const record::Record& record);

/// A section of these charts.
[[nodiscard]] PageSection monitor_section(std::string heading, const record::Record& record,
                                          chart::Size size = {1200, 420});

}  // namespace rooflab::report
