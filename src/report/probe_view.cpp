#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/format.hpp"
#include "chart/axis_scale.hpp"
#include "describe/schema.hpp"
#include "page/joined_row.hpp"
#include "page/row_table.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {
namespace {

using device::Calibration;
using device::figure_name;
using device::FigureName;
using device::HostCosts;
using device::label_of_figure;
using device::MeasuredFigure;
using device::ProbedDevice;
using device::ProbedFigure;
using device::ProbedLink;
using device::ProbedOps;

/// 4.63 TB/s; a ratio as 1.25x.
page::Cell figure_cell(double value, const std::string& unit) {
  if (unit != "1") return page::si_cell(value, unit);
  page::Cell cell = page::si_cell(value, "");
  cell.text = format("{:.2f}x", value);
  return cell;
}

/// The best of all sizes; products of one size have a separate table.
page::Table figure_table(std::vector<ProbedFigure> figures) {
  std::erase_if(figures, [](const ProbedFigure& each) {
    const FigureName name = figure_name(each.measured.name);
    return name.path && !name.size.empty();
  });
  page::Table table = page::table_of<ProbedFigure>(
      figures,
      page::columns_of(page::titled("name", "figure"), page::titled("value", "measured"), "least",
                       "most", "datasheet", page::titled("datasheet_share", "share"),
                       page::in_csv("unit"), "repetitions", "at"));
  table.title = "Figures";
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const MeasuredFigure& figure = figures[i].measured;
    page::cell_at(table, i, "name").text = label_of_figure(figure.name);
    page::cell_at(table, i, "value") = figure_cell(figure.value, figure.unit);
    page::cell_at(table, i, "least") = figure_cell(figure.least, figure.unit);
    page::cell_at(table, i, "most") = figure_cell(figure.most, figure.unit);
    page::cell_at(table, i, "datasheet") =
        page::optional_si_cell(figures[i].datasheet, figure.unit);
  }
  return table;
}

/// Rates by path and size, and the size of the best.
page::Table product_table(const Calibration& calibration) {
  std::set<std::int64_t> sizes;
  std::map<ArithmeticPath, std::map<std::int64_t, const MeasuredFigure*>> by_path;
  for (const MeasuredFigure& figure : calibration.figures) {
    const FigureName name = figure_name(figure.name);
    const std::optional<std::int64_t> size = parse_integer(name.size);
    if (name.group != "gemm" || !name.path || !size) continue;
    sizes.insert(*size);
    by_path[*name.path][*size] = &figure;
  }
  page::Table table;
  table.title = "Matrix products by size";
  table.columns = {{"path", "path", page::Align::left}, {"best_size", "best"}};
  for (const std::int64_t size : sizes) {
    table.columns.push_back({format("size_{}", size), format("{}", size)});
  }
  for (const auto& [path, figures] : by_path) {
    const auto best =
        std::ranges::max_element(figures, {}, [](const auto& each) { return each.second->value; });
    std::vector<page::Cell> row = {{std::string(label_of(path)), std::string(name_of(path))},
                                   format("{}", best->first)};
    for (const std::int64_t size : sizes) {
      const auto found = figures.find(size);
      row.push_back(found == figures.end()
                        ? page::dash()
                        : page::si_cell(found->second->value, found->second->unit));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Rates of products as lines: where a path needs larger products to be fast.
chart::Chart product_chart(const Calibration& calibration) {
  chart::Chart chart;
  chart.title = "Matrix products by size";
  chart.x = {.label = "rows, columns and depth", .scale = chart::Scale::logarithmic};
  chart.y = {.label = "rate, of INT8 in OP/s",
             .unit = "FLOP/s",
             .scale = chart::Scale::logarithmic,
             .numbers = chart::NumberStyle::si};
  std::map<ArithmeticPath, std::map<std::int64_t, double>> by_path;
  for (const MeasuredFigure& figure : calibration.figures) {
    const FigureName name = figure_name(figure.name);
    const std::optional<std::int64_t> size = parse_integer(name.size);
    if (name.group == "gemm" && name.path && size) by_path[*name.path][*size] = figure.value;
  }
  for (const auto& [path, rates] : by_path) {
    const auto number = static_cast<int>(chart.series.size());
    chart::Series line{.name = std::string(label_of(path)),
                       .marker = chart::marker_of(number),
                       .color = number,
                       .joined = true,
                       .points = {}};
    for (const auto& [size, rate] : rates) {
      line.points.push_back({.x = static_cast<double>(size),
                             .y = rate,
                             .weight = 0.2,
                             .details = {line.name, format("{} x {}", size, size)}});
    }
    chart.series.push_back(std::move(line));
  }
  return chart;
}

/// Bytes of three arrays over the time of the kernel that adds two of them.
chart::Chart bandwidth_chart(const Calibration& calibration) {
  constexpr double bytes_per_element = 3.0 * sizeof(float);
  chart::Chart chart;
  chart.title = "Bandwidth by size: adding two arrays, without copies";
  chart.x = {.label = "length of an array",
             .scale = chart::Scale::logarithmic,
             .numbers = chart::NumberStyle::si};
  chart.y = {.label = "bandwidth",
             .unit = "B/s",
             .scale = chart::Scale::logarithmic,
             .numbers = chart::NumberStyle::si};
  std::map<std::string, chart::Series> lines;
  for (const device::VectorAddition& row : calibration.vector_additions) {
    if (row.memory == "managed" || row.kernel_s <= 0.0) continue;
    chart::Series& line = lines[row.launch];
    line.name = row.launch == "cpu" ? "CPU" : format("{} blocks x threads", row.launch);
    line.joined = true;
    const auto elements = static_cast<double>(row.elements);
    line.points.push_back({.x = elements,
                           .y = bytes_per_element * elements / row.kernel_s,
                           .weight = 0.2,
                           .details = {line.name, format("kernel {}", si(row.kernel_s, "s"))}});
  }
  for (auto& [launch, line] : lines) {
    const auto number = static_cast<int>(chart.series.size());
    line.marker = chart::marker_of(number);
    line.color = number;
    chart.series.push_back(std::move(line));
  }
  for (const MeasuredFigure& figure : calibration.figures) {
    if (figure.name != "dram.triad" || chart.series.empty()) continue;
    const chart::SharedRanges ranges = chart::shared_ranges(std::span(&chart, 1));
    chart.guides.push_back({.label = format("triad {}", si(figure.value, "B/s")),
                            .line = {{ranges.x.low, figure.value}, {ranges.x.high, figure.value}},
                            .style = chart::LineStyle::dashed});
  }
  return chart;
}

page::Table link_table(const std::vector<ProbedLink>& links) {
  page::Table table = page::table_of<ProbedLink>(
      links, page::columns_of("collective", page::titled("group_size", "ranks"),
                              page::titled("bytes", "message"), "time_s",
                              page::titled("bus_bytes_per_s", "bus bandwidth"), "datasheet_share"));
  table.title = "Links";
  for (std::size_t i = 0; i < links.size(); ++i) {
    page::Cell& name = page::cell_at(table, i, "collective");
    std::ranges::replace(name.text, '_', '-');
  }
  return table;
}

page::Table op_table(std::vector<ProbedOps> ops) {
  std::erase_if(ops, [](const ProbedOps& each) { return each.count() == 0; });
  page::Table table = page::table_of<ProbedOps>(
      ops, page::columns_of("kind", "row_count", "shortest_s", "longest_s",
                            page::in_bars("model_error_share")));
  table.title = "Measured ops";
  std::size_t sum = 0;
  for (const ProbedOps& each : ops) sum += each.count();
  table.totals.push_back({"all", page::count_cell(static_cast<std::int64_t>(sum)), "", "", ""});
  return table;
}

/// What was taken of published rows, and what thinning them cost.
page::Table published_table(std::vector<ProbedOps> ops) {
  std::erase_if(ops, [](const ProbedOps& each) { return !each.table.published; });
  page::Table table = page::table_of<ProbedOps>(
      ops, page::columns_of("kind", "origin", "published_rows", "too_short", "outliers",
                            page::titled("row_count", "kept"), "error_of_all_share",
                            "error_of_kept_share", "factor", "spread_share"));
  table.title = "Published ops";
  return table;
}

std::string name_of_host(const HostCosts& host) {
  return format("{} {} on {}", host.issuer, host.version, host.cpu);
}

page::Table issue_table(const HostCosts& host) {
  static constexpr auto columns = page::columns_of(page::titled("op_class", "op class"),
                                                   "inference_s", "forward_s", "backward_s");
  std::vector<page::JoinedRow> rows;
  for (const auto& [name, cost] : host.ops) {
    rows.emplace_back().own("op_class", name).of(cost);
  }
  page::Table table = page::table_of(rows, columns);
  table.title = format("Host, an op: {}", name_of_host(host));
  return table;
}

page::Table step_table(const HostCosts& host) {
  page::Table table;
  table.title = format("Host, a step: {}", name_of_host(host));
  table.columns = {{"part", "part", page::Align::left},
                   {"time_s", "time"},
                   {"per_tensor_s", "and per parameter tensor"}};
  table.rows = {{"the step itself", page::si_cell(host.step_s, "s"), page::dash()},
                {"loss", page::si_cell(host.loss_s, "s"), page::dash()}};
  if (host.module_call_s) {
    table.rows.push_back(
        {"call of a module of modules", page::si_cell(*host.module_call_s, "s"), page::dash()});
  }
  for (const auto& [name, fixed_s] : host.optimizer_fixed_s) {
    const auto each = host.optimizer_per_tensor_s.find(name);
    table.rows.push_back({format("optimizer {}", name), page::si_cell(fixed_s, "s"),
                          each == host.optimizer_per_tensor_s.end()
                              ? page::dash()
                              : page::si_cell(each->second, "s")});
  }
  return table;
}

page::Remarks notes_of(const ProbedDevice& probed) {
  const Calibration& calibration = probed.calibration;
  page::Remarks notes;
  if (const auto& known = probed.known) {
    notes.push_back(format("Datasheet: {} ({}); `rooflab devices {}` has the sources.", known->name,
                           known->id, known->id));
  } else if (!calibration.figures.empty()) {
    notes.emplace_back("No device of the catalog is known for it: nothing to hold the figures to.");
  }
  if (!calibration.vector_additions.empty()) {
    notes.push_back(page::explains(
        "Vector addition: three arrays of N floats; 1x256 is one block of 256 threads, Nx256 as "
        "many"
        " blocks as the arrays need. Copies of managed memory: the host's first reading of the "
        "sums;"
        " its kernel waits for the pages that it touches."));
  }
  if (!calibration.links.empty()) {
    notes.push_back(page::explains(
        "Links: median of the slowest rank; bus bandwidth as nccl-tests define it, 2 (n-1)/n bytes"
        " over the time of an all-reduce, (n-1)/n of a gather, a scatter and an all-to-all; the"
        " datasheet's is of one direction."));
  }
  const auto fitted = [](const auto& each) { return !each.second.curve.empty(); };
  if (std::ranges::any_of(calibration.ops, fitted)) {
    notes.push_back(page::explains(
        "Model's error: one standard deviation of predicted over measured time, with whole regions"
        " of sizes left out and predicted."));
  }
  if (std::ranges::any_of(calibration.ops,
                          [](const auto& each) { return each.second.published.has_value(); })) {
    notes.push_back(page::explains(
        "Published ops: held out is the mean of |predicted / published - 1| over a quarter of the"
        " shapes, predicted from all others and from those that are kept; times were divided by the"
        " factor, which is uncertain by the spread."));
  }
  for (const auto& [name, origin] : calibration.origins) {
    notes.push_back(format("Origin {}: {} ({}, {}); {}.", name, origin.title, origin.url,
                           origin.license, origin.environment));
  }
  if (!calibration.hosts.empty()) {
    notes.push_back(
        page::explains("Host: time of the thread that issues the work, whatever the device does."));
  }
  if (!calibration.environment.empty()) {
    std::vector<std::string> parts;
    for (const auto& [key, value] : calibration.environment) {
      parts.push_back(format("{} {}", key, value));
    }
    notes.push_back(format("Environment: {}.", join(parts, ", ")));
  }
  std::ranges::move(page::remarks_of(calibration.notes), std::back_inserter(notes));
  // The last line: how good predictions become.
  if (const std::optional<double> error = device::expected_error(calibration)) {
    const bool rough = std::ranges::any_of(
        calibration.ops, [](const auto& each) { return device::is_rough(each.second); });
    notes.push_back(page::answers(
        format("Expected error of an op that was not measured: about {:.0f} %{}.", 100.0 * *error,
               rough ? "; `rooflab probe --add FILE --ops-time 170` improves it" : "")));
  }
  return notes;
}

/// The fastest of a group, such as `dram`; the first of a name where `group` is one.
const ProbedFigure* best_of(const std::vector<ProbedFigure>& figures, std::string_view group) {
  const ProbedFigure* best = nullptr;
  for (const ProbedFigure& each : figures) {
    const std::string& name = each.measured.name;
    if (name != group && figure_name(name).group != group) continue;
    if (best == nullptr || each.measured.value > best->measured.value) best = &each;
  }
  return best;
}

/// A chart that has points.
void add_drawn(page::PageSection& section, chart::Chart chart) {
  constexpr chart::Size size = {1200, 600};
  if (!chart.series.empty()) section.charts.push_back({"", std::move(chart), size});
}

/// The best figures in sentences.
std::vector<std::string> answer_of(const std::vector<ProbedFigure>& figures) {
  std::vector<std::string> parts;
  // Products by path: OP/s of INT8 would beat every FLOP/s.
  for (const std::string_view shown :
       {"dram", "gemm.fp32_vector", "gemm.tf32_tensor", "gemm.bf16_tensor_fp32", "launch.issue"}) {
    const ProbedFigure* const best = best_of(figures, shown);
    if (best == nullptr) continue;
    const MeasuredFigure& figure = best->measured;
    std::string part =
        format("{} {}", label_of_figure(figure.name), si(figure.value, figure.unit, 3));
    if (const std::optional<double> share = best->datasheet_share()) {
      part += format(" ({:.0f} % of the datasheet's)", *share * 100.0);
    }
    parts.push_back(std::move(part));
  }
  if (parts.empty()) return {};
  return {format("Measured at best: {}.", join(parts, "; "))};
}

}  // namespace

page::Document probe_view(const ProbedDevice& probed, std::string command) {
  const Calibration& calibration = probed.calibration;
  const std::vector<ProbedFigure> measured = probed.figures();
  page::Document document;
  document.title = format("Probe: {}", calibration.device_name);
  document.command = std::move(command);
  document.answer = answer_of(measured);
  document.json = command_json("probe", to_json(probed));

  const auto add = [&](std::string heading, std::vector<page::Table> tables) {
    std::erase_if(tables, [](const page::Table& table) { return table.rows.empty(); });
    page::PageSection& section = document.sections.emplace_back();
    section.heading = std::move(heading);
    section.in_text = true;
    section.tables = std::move(tables);
  };
  add("Figures", {figure_table(measured), product_table(calibration)});
  document.sections.back().notes = notes_of(probed);
  add_drawn(document.sections.back(), product_chart(calibration));
  add("Vector addition", {vector_addition_table(calibration, "device"),
                          vector_addition_table(calibration, "managed")});
  for (const std::string_view memory : {"device", "managed"}) {
    add_drawn(document.sections.back(), vector_addition_chart(calibration, memory));
  }
  add_drawn(document.sections.back(), bandwidth_chart(calibration));
  add("Links", {link_table(probed.links())});
  add("Measured ops", {op_table(probed.ops()), published_table(probed.ops())});
  std::vector<page::Table> hosts;
  for (const HostCosts& host : calibration.hosts) {
    hosts.push_back(issue_table(host));
    hosts.push_back(step_table(host));
  }
  add("Host costs", std::move(hosts));
  return document;
}

}  // namespace rooflab::report
