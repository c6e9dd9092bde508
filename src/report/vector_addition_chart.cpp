#include <algorithm>
#include <string>
#include <vector>

#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/report/probe_view.hpp"

namespace rooflab::report {
namespace {

using device::Calibration;
using device::VectorAddition;

std::vector<std::string> details_of(const VectorAddition& row) {
  std::vector<std::string> details = {
      format("{} elements", with_thousands(row.elements)), format("total {}", si(row.total_s, "s")),
      format("{} {}", row.launch == "cpu" ? "loop" : "kernel", si(row.kernel_s, "s"))};
  if (row.to_device_s) details.push_back(format("to the device {}", si(*row.to_device_s, "s")));
  if (row.to_host_s) details.push_back(format("to the host {}", si(*row.to_host_s, "s")));
  if (!row.correct) details.emplace_back("wrong sums");
  return details;
}

/// The rows of one launch, by length.
std::vector<VectorAddition> rows_of(const Calibration& calibration, std::string_view launch,
                                    std::string_view memory) {
  std::vector<VectorAddition> rows;
  for (const VectorAddition& row : calibration.vector_additions) {
    if (row.launch == launch && (launch == "cpu" || row.memory == memory)) rows.push_back(row);
  }
  std::ranges::sort(rows, {}, &VectorAddition::elements);
  return rows;
}

std::string name_of_launch(std::string_view launch) {
  if (launch == "cpu") return "CPU";
  const std::size_t cross = launch.find('x');
  if (cross == std::string_view::npos) return std::string(launch);
  const std::string_view blocks = launch.substr(0, cross);
  const std::string_view threads = launch.substr(cross + 1);
  if (blocks == "N") return format("N/{} blocks, {} threads", threads, threads);
  return format("{} block{}, {} thread{}", blocks, blocks == "1" ? "" : "s", threads,
                threads == "1" ? "" : "s");
}

}  // namespace

chart::Chart vector_addition_chart(const Calibration& calibration, std::string_view memory) {
  chart::Chart chart;
  chart.title = memory == "managed" ? "Vector addition in managed memory"
                                    : "Vector addition with cudaMalloc and cudaMemcpy";
  chart.subtitle = calibration.device_name;
  chart.x = {.label = "elements of each array",
             .scale = chart::Scale::logarithmic,
             .numbers = chart::NumberStyle::si};
  chart.y = {.label = "time",
             .unit = "s",
             .scale = chart::Scale::logarithmic,
             .numbers = chart::NumberStyle::si};
  std::vector<std::string> launches;
  for (const VectorAddition& row : calibration.vector_additions) {
    if (row.launch == "cpu" || row.memory != memory) continue;
    if (!std::ranges::count(launches, row.launch)) launches.push_back(row.launch);
  }
  if (launches.empty()) return chart;
  launches.emplace_back("cpu");
  int number = 0;
  for (const std::string& launch : launches) {
    const bool cpu = launch == "cpu";
    chart::Series series;
    series.name = name_of_launch(launch);
    series.marker = cpu ? chart::Marker::cross : chart::marker_of(number);
    series.color = cpu ? chart::neutral_color : number++;
    series.joined = true;
    chart::Guide kernel{.line = {}, .style = chart::LineStyle::dashed, .color = series.color};
    for (const VectorAddition& row : rows_of(calibration, launch, memory)) {
      const double elements = static_cast<double>(row.elements);
      series.points.push_back({elements, row.total_s, 0.3, "", details_of(row)});
      if (!cpu) kernel.line.push_back({elements, row.kernel_s});
    }
    if (series.points.empty()) continue;
    chart.series.push_back(std::move(series));
    if (kernel.line.size() > 1) chart.guides.push_back(std::move(kernel));
  }
  chart.captions = {
      memory == "managed"
          ? "Lines: kernel, waiting and the host's first reading of the sums. Dashed: the kernel"
            " alone, which waits for the pages that it touches first."
          : "Lines: copies of both operands, kernel, copy of the sums. Dashed: the kernel alone."};
  return chart;
}

}  // namespace rooflab::report
