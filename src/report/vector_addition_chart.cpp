#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "rooflab/report/views.hpp"

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

/// The additions of arrays in one kind of memory, and the CPU's.
struct Additions {
  std::vector<std::string> launches;  ///< on the device, in the order in which they were measured
  std::map<std::int64_t, std::map<std::string, const VectorAddition*>> by_length;

  Additions(const Calibration& calibration, std::string_view memory) {
    for (const VectorAddition& row : calibration.vector_additions) {
      const bool cpu = row.launch == "cpu";
      if (!cpu && row.memory != memory) continue;
      by_length[row.elements][row.launch] = &row;
      if (!cpu && !std::ranges::count(launches, row.launch)) launches.push_back(row.launch);
    }
  }
};

/// Where both are unknown, so is their sum: an array that nothing copies has no copies.
std::optional<double> copies_of(const VectorAddition& row) {
  if (!row.to_device_s && !row.to_host_s) return std::nullopt;
  return row.to_device_s.value_or(0.0) + row.to_host_s.value_or(0.0);
}

page::Cell total_cell(const VectorAddition& row) {
  page::Cell cell = page::si_cell(row.total_s, "s");
  if (!row.correct) cell.text += " (wrong sums)";
  return cell;
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

page::Table vector_addition_table(const Calibration& calibration, std::string_view memory) {
  const Additions additions(calibration, memory);
  page::Table table;
  // Of a probe without a GPU the first table has the CPU's times.
  if (additions.launches.empty() && memory != "device") return table;
  table.title = additions.launches.empty() ? "Vector addition"
                : memory == "managed"      ? "Vector addition, managed memory"
                                           : "Vector addition, cudaMalloc and copies";
  table.columns = {{"elements", "elements"}, {"cpu_s", "CPU"}};
  for (const std::string& launch : additions.launches) {
    table.columns.push_back({format("{}_kernel_s", launch), format("{} kernel", launch)});
    table.columns.push_back({format("{}_copies_s", launch), "copies"});
    table.columns.push_back({format("{}_total_s", launch), "total"});
  }
  for (const auto& [elements, rows] : additions.by_length) {
    const auto cpu = rows.find("cpu");
    std::vector<page::Cell>& cells = table.rows.emplace_back();
    cells = {page::count_cell(elements),
             cpu == rows.end() ? page::dash() : total_cell(*cpu->second)};
    for (const std::string& launch : additions.launches) {
      const auto row = rows.find(launch);
      if (row == rows.end()) {
        cells.insert(cells.end(), 3, page::dash());
        continue;
      }
      cells.push_back(page::si_cell(row->second->kernel_s, "s"));
      cells.push_back(page::optional_si_cell(copies_of(*row->second), "s"));
      cells.push_back(total_cell(*row->second));
    }
  }
  return table;
}

chart::Chart vector_addition_chart(const Calibration& calibration, std::string_view memory) {
  chart::Chart chart;
  chart.subtitle = calibration.device_name;
  chart.x = {.label = "elements of each array",
             .scale = chart::Scale::logarithmic,
             .numbers = chart::NumberStyle::si};
  chart.y = {.label = "time",
             .unit = "s",
             .scale = chart::Scale::logarithmic,
             .numbers = chart::NumberStyle::si};
  const Additions additions(calibration, memory);
  const bool only_cpu = additions.launches.empty();
  chart.title = only_cpu              ? "Vector addition"
                : memory == "managed" ? "Vector addition in managed memory"
                                      : "Vector addition with cudaMalloc and cudaMemcpy";
  // Of a probe without a GPU the first chart has the CPU's times, as the first table.
  if (only_cpu && memory != "device") return chart;
  std::vector<std::string> launches = additions.launches;
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
    for (const auto& [length, rows] : additions.by_length) {
      const auto found = rows.find(launch);
      if (found == rows.end()) continue;
      const VectorAddition& row = *found->second;
      const auto elements = static_cast<double>(length);
      series.points.push_back({elements, row.total_s, 0.3, "", details_of(row)});
      if (!cpu) kernel.line.push_back({elements, row.kernel_s});
    }
    if (series.points.empty()) continue;
    chart.series.push_back(std::move(series));
    if (kernel.line.size() > 1) chart.guides.push_back(std::move(kernel));
  }
  chart.captions = {
      only_cpu ? "Line: the loop."
      : memory == "managed"
          ? "Lines: kernel, waiting and the host's first reading of the sums. Dashed: the kernel"
            " alone, which waits for the pages that it touches first."
          : "Lines: copies of both operands, kernel, copy of the sums. Dashed: the kernel alone."};
  return chart;
}

}  // namespace rooflab::report
