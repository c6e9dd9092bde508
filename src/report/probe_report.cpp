#include "rooflab/report/probe_report.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "cells.hpp"
#include "link_table.hpp"
#include "probe_figures.hpp"
#include "probe_json.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/quotient.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::report {
namespace {

using device::Calibration;
using device::Device;
using device::HostCost;
using device::HostCosts;
using device::MeasuredFigure;
using device::OpTable;
using device::VectorAddition;

/// A product of one size; the best of all sizes has a name without.
bool is_of_one_size(const MeasuredFigure& figure) { return !figure_name(figure.name).size.empty(); }

Table figure_table(const Calibration& calibration, const Device* known) {
  Table table;
  table.title = "Figures";
  table.columns = {{"figure", "figure", Align::left},
                   {"value", "measured"},
                   {"least", "least"},
                   {"most", "most"},
                   {"datasheet", "datasheet"},
                   {"fraction", "of it"},
                   {"unit", "unit", Align::left, true},
                   {"repetitions", "repetitions"},
                   {"at", "at", Align::left}};
  for (const MeasuredFigure& figure : calibration.figures) {
    if (is_of_one_size(figure)) continue;
    const std::optional<double> datasheet = datasheet_figure(figure.name, known);
    table.rows.push_back({{label_of_figure(figure.name), figure.name},
                          si_cell(figure.value, figure.unit),
                          si_cell(figure.least, figure.unit),
                          si_cell(figure.most, figure.unit),
                          optional_si_cell(datasheet, figure.unit),
                          optional_percent(quotient(figure.value, datasheet)),
                          figure.unit,
                          count_cell(figure.repetitions),
                          figure.at});
  }
  return table;
}

/// Rates by path and size, and the size of the best.
Table product_table(const Calibration& calibration) {
  std::set<std::int64_t> sizes;
  std::map<ArithmeticPath, std::map<std::int64_t, const MeasuredFigure*>> by_path;
  for (const MeasuredFigure& figure : calibration.figures) {
    const FigureName name = figure_name(figure.name);
    const std::optional<std::int64_t> size = parse_integer(name.size);
    if (name.group != "gemm" || !name.path || !size) continue;
    sizes.insert(*size);
    by_path[*name.path][*size] = &figure;
  }
  Table table;
  table.title = "Matrix products by size";
  table.columns = {{"path", "path", Align::left}, {"best_size", "best"}};
  for (const std::int64_t size : sizes) {
    table.columns.push_back({format("size_{}", size), format("{}", size)});
  }
  for (const auto& [path, figures] : by_path) {
    const auto best =
        std::ranges::max_element(figures, {}, [](const auto& each) { return each.second->value; });
    std::vector<Cell> row = {{std::string(label_of(path)), std::string(name_of(path))},
                             format("{}", best->first)};
    for (const std::int64_t size : sizes) {
      const auto found = figures.find(size);
      row.push_back(found == figures.end() ? dash()
                                           : si_cell(found->second->value, found->second->unit));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Where both are unknown, so is their sum: an array that nothing copies has no copies.
std::optional<double> copies_of(const VectorAddition& row) {
  if (!row.to_device_s && !row.to_host_s) return std::nullopt;
  return row.to_device_s.value_or(0.0) + row.to_host_s.value_or(0.0);
}

Cell total_cell(const VectorAddition& row) {
  Cell cell = si_cell(row.total_s, "s");
  if (!row.correct) cell.text += " (wrong sums)";
  return cell;
}

/// A row for every length; the launches in the order in which they were measured.
Table vector_addition_table(const Calibration& calibration, std::string_view memory,
                            std::string title) {
  std::vector<std::string> launches;
  std::map<std::int64_t, std::map<std::string, const VectorAddition*>> by_length;
  bool any = false;
  for (const VectorAddition& row : calibration.vector_additions) {
    const bool cpu = row.launch == "cpu";
    if (!cpu && row.memory != memory) continue;
    by_length[row.elements][row.launch] = &row;
    any = any || !cpu;
    if (!cpu && !std::ranges::count(launches, row.launch)) launches.push_back(row.launch);
  }
  Table table;
  // Of a probe without a GPU the first table has the CPU's times.
  if (!any && memory != "device") return table;
  table.title = any ? std::move(title) : "Vector addition";
  table.columns = {{"elements", "elements"}, {"cpu_s", "CPU"}};
  for (const std::string& launch : launches) {
    table.columns.push_back({format("{}_kernel_s", launch), format("{} kernel", launch)});
    table.columns.push_back({format("{}_copies_s", launch), "copies"});
    table.columns.push_back({format("{}_total_s", launch), "total"});
  }
  for (const auto& [elements, rows] : by_length) {
    const auto cpu = rows.find("cpu");
    std::vector<Cell> cells = {count_cell(elements),
                               cpu == rows.end() ? dash() : total_cell(*cpu->second)};
    for (const std::string& launch : launches) {
      const auto row = rows.find(launch);
      if (row == rows.end()) {
        cells.insert(cells.end(), 3, dash());
        continue;
      }
      cells.push_back(si_cell(row->second->kernel_s, "s"));
      cells.push_back(optional_si_cell(copies_of(*row->second), "s"));
      cells.push_back(total_cell(*row->second));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table op_table(const Calibration& calibration) {
  Table table;
  table.title = "Measured ops";
  table.columns = {{"kind", "kind", Align::left},
                   {"rows", "measured"},
                   {"shortest_s", "shortest"},
                   {"longest_s", "longest"},
                   {"error", "model's error"}};
  std::size_t sum = 0;
  for (const auto& [kind, ops] : calibration.ops) {
    if (ops.rows.empty()) continue;
    const auto [shortest, longest] = std::ranges::minmax(ops.rows, {}, &device::OpRow::time_s);
    sum += ops.rows.size();
    table.rows.push_back({kind, count_cell(static_cast<std::int64_t>(ops.rows.size())),
                          si_cell(shortest.time_s, "s"), si_cell(longest.time_s, "s"),
                          ops.curve.empty() ? dash() : percent_cell(std::expm1(ops.error))});
  }
  table.totals.push_back({"all", count_cell(static_cast<std::int64_t>(sum)), "", "", ""});
  return table;
}

/// What was taken of published rows, and what thinning them cost.
Table published_table(const Calibration& calibration) {
  Table table;
  table.title = "Published ops";
  table.columns = {{"kind", "kind", Align::left},
                   {"origin", "origin", Align::left},
                   {"rows", "published"},
                   {"too_short", "too short"},
                   {"outliers", "outliers"},
                   {"kept", "kept"},
                   {"error_of_all", "held out, all"},
                   {"error_of_kept", "held out, kept"},
                   {"factor", "factor"},
                   {"spread", "spread"}};
  for (const auto& [kind, ops] : calibration.ops) {
    if (!ops.published) continue;
    const device::PublishedRows& from = *ops.published;
    table.rows.push_back({kind, from.origin, count_cell(from.rows), count_cell(from.too_short),
                          count_cell(from.outliers),
                          count_cell(static_cast<std::int64_t>(ops.rows.size())),
                          percent_cell(from.error_of_all), percent_cell(from.error_of_kept),
                          from.factor == 1.0 ? dash() : Cell(format("{:.3g}", from.factor)),
                          from.spread == 0.0 ? dash() : percent_cell(std::expm1(from.spread))});
  }
  return table;
}

std::string name_of_host(const HostCosts& host) {
  return format("{} {} on {}", host.issuer, host.version, host.cpu);
}

Table issue_table(const HostCosts& host) {
  Table table;
  table.title = format("Host, an op: {}", name_of_host(host));
  table.columns = {{"op_class", "op class", Align::left},
                   {"inference_s", "inference"},
                   {"forward_s", "forward"},
                   {"backward_s", "backward"}};
  for (const auto& [name, cost] : host.ops) {
    table.rows.push_back({name, si_cell(cost.inference_s, "s"),
                          optional_si_cell(cost.forward_s, "s"),
                          optional_si_cell(cost.backward_s, "s")});
  }
  return table;
}

Table step_table(const HostCosts& host) {
  Table table;
  table.title = format("Host, a step: {}", name_of_host(host));
  table.columns = {{"part", "part", Align::left},
                   {"time_s", "time"},
                   {"per_tensor_s", "and per parameter tensor"}};
  table.rows.push_back({"the step itself", si_cell(host.step_s, "s"), dash()});
  table.rows.push_back({"loss", si_cell(host.loss_s, "s"), dash()});
  for (const auto& [name, fixed_s] : host.optimizer_fixed_s) {
    const auto each = host.optimizer_per_tensor_s.find(name);
    table.rows.push_back(
        {format("optimizer {}", name), si_cell(fixed_s, "s"),
         each == host.optimizer_per_tensor_s.end() ? dash() : si_cell(each->second, "s")});
  }
  return table;
}

void add_notes(const Calibration& calibration, const Device* known, Document& document) {
  std::vector<std::string>& notes = document.notes;
  if (known != nullptr) {
    notes.push_back(format("Datasheet: {} ({}); `rooflab devices {}` has the sources.", known->name,
                           known->id, known->id));
  } else if (!calibration.figures.empty()) {
    notes.emplace_back("No device of the catalog is known for it: nothing to hold the figures to.");
  }
  if (!calibration.vector_additions.empty()) {
    notes.emplace_back(
        "Vector addition: three arrays of N floats; 1x256 is one block of 256 threads, Nx256 as "
        "many"
        " blocks as the arrays need. Copies of managed memory: the host's first reading of the "
        "sums;"
        " its kernel waits for the pages that it touches.");
  }
  if (!calibration.links.empty()) {
    notes.emplace_back(
        "Links: median of the slowest rank; bus bandwidth as nccl-tests define it, 2 (n-1)/n bytes"
        " over the time of an all-reduce; the datasheet's is of one direction.");
  }
  const auto fitted = [](const auto& each) { return !each.second.curve.empty(); };
  if (std::ranges::any_of(calibration.ops, fitted)) {
    notes.emplace_back(
        "Model's error: one standard deviation of predicted over measured time, with whole regions"
        " of sizes left out and predicted.");
  }
  if (std::ranges::any_of(calibration.ops,
                          [](const auto& each) { return each.second.published.has_value(); })) {
    notes.emplace_back(
        "Published ops: held out is the mean of |predicted / published - 1| over a quarter of the"
        " shapes, predicted from all others and from those that are kept; times were divided by the"
        " factor, which is uncertain by the spread.");
  }
  for (const auto& [name, origin] : calibration.origins) {
    notes.push_back(format("Origin {}: {} ({}, {}); {}.", name, origin.title, origin.url,
                           origin.license, origin.environment));
  }
  if (!calibration.hosts.empty()) {
    notes.emplace_back("Host: time of the thread that issues the work, whatever the device does.");
  }
  if (!calibration.environment.empty()) {
    std::vector<std::string> parts;
    for (const auto& [key, value] : calibration.environment) {
      parts.push_back(format("{} {}", key, value));
    }
    notes.push_back(format("Environment: {}.", join(parts, ", ")));
  }
  notes.insert(notes.end(), calibration.notes.begin(), calibration.notes.end());
}

}  // namespace

Document probe_report(const Calibration& calibration, const Device* known) {
  Document document;
  document.title = format("Probe: {}", calibration.device_name);
  std::vector<Table> tables = {
      figure_table(calibration, known),
      product_table(calibration),
      vector_addition_table(calibration, "device", "Vector addition, cudaMalloc and copies"),
      vector_addition_table(calibration, "managed", "Vector addition, managed memory"),
      link_table(calibration, known),
      op_table(calibration),
      published_table(calibration)};
  for (const HostCosts& host : calibration.hosts) {
    tables.push_back(issue_table(host));
    tables.push_back(step_table(host));
  }
  for (Table& table : tables) {
    if (!table.rows.empty()) document.tables.push_back(std::move(table));
  }
  add_notes(calibration, known, document);
  document.json = probe_json(calibration, known);
  return document;
}

}  // namespace rooflab::report
