#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "probe_figures.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/quotient.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/report/probe_report.hpp"

namespace rooflab::report {
namespace {

using device::Calibration;
using device::Device;
using device::MeasuredFigure;
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

const MeasuredFigure* best_of(const Calibration& calibration, std::string_view group) {
  const MeasuredFigure* best = nullptr;
  for (const MeasuredFigure& figure : calibration.figures) {
    if (figure_name(figure.name).group != group) continue;
    if (best == nullptr || figure.value > best->value) best = &figure;
  }
  return best;
}

/// The same unit for all paths: OP/s of INT8 would beat every FLOP/s.
const MeasuredFigure* product_of(const Calibration& calibration, ArithmeticPath path) {
  return calibration.find(format("gemm.{}", name_of(path)));
}

void add_card(const MeasuredFigure* figure, const Device* known, Page& page) {
  if (figure == nullptr) return;
  PageCard card;
  card.title = label_of_figure(figure->name);
  card.value = si(figure->value, figure->unit);
  const std::optional<double> fraction =
      quotient(figure->value, datasheet_figure(figure->name, known));
  std::vector<std::string> remarks;
  if (fraction) remarks.push_back(format("{:.1f} % of the datasheet's", *fraction * 100.0));
  if (!figure->at.empty()) remarks.push_back(format("at {}", figure->at));
  card.remark = join(remarks, "; ");
  page.cards.push_back(std::move(card));
}

bool begins_with(const Table& table, std::string_view text) {
  return table.title.starts_with(text);
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

Page probe_page(const Calibration& calibration, const Device* known, std::string command) {
  Page page;
  Document document = probe_report(calibration, known);
  page.title = document.title;
  page.subtitle = "What the device was measured to do, beside its datasheet.";
  page.command = std::move(command);
  add_card(best_of(calibration, "dram"), known, page);
  for (const ArithmeticPath path : {ArithmeticPath::fp32_vector, ArithmeticPath::tf32_tensor,
                                    ArithmeticPath::bf16_tensor_fp32}) {
    add_card(product_of(calibration, path), known, page);
  }
  add_card(calibration.find("launch.issue"), known, page);

  constexpr chart::Size size = {1200, 700};
  PageSection figures{.heading = "Figures", .notes = std::move(document.notes)};
  PageSection additions{.heading = "Vector addition"};
  for (const std::string_view memory : {"device", "managed"}) {
    chart::Chart chart = vector_addition_chart(calibration, memory);
    if (!chart.series.empty()) additions.charts.push_back({"", std::move(chart), size});
  }
  PageSection links{.heading = "Links"};
  PageSection ops{.heading = "Measured ops"};
  PageSection hosts{.heading = "Host costs"};
  for (Table& table : document.tables) {
    PageSection& section = begins_with(table, "Vector addition") ? additions
                           : begins_with(table, "Links")         ? links
                           : begins_with(table, "Measured ops")  ? ops
                           : begins_with(table, "Host")          ? hosts
                                                                 : figures;
    section.tables.push_back(std::move(table));
  }
  page.sections = {std::move(figures), std::move(additions), std::move(links), std::move(ops),
                   std::move(hosts)};
  return page;
}

}  // namespace rooflab::report
