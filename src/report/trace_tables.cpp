#include "trace_tables.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "chart/time_unit.hpp"
#include "page/joined_row.hpp"
#include "page/row_table.hpp"
#include "record/trace_source.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/record/kernel_name.hpp"
#include "rooflab/record/kernel_table.hpp"

namespace rooflab::report {
namespace {

using analyze::ImportedCase;
using trace::TraceAnalysis;
using trace::TracePanes;

/// Whether the plugin for TensorBoard reads the trace too; for any other nothing can be compared
/// with ours.
bool has_plugin(const ImportedCase& imported) {
  return imported.record.trace && record::facts_of(*imported.record.trace).plugin;
}

/// Whether the trace can tell how long it went on.
bool is_recorded(trace::StepRole role, const ImportedCase& imported) {
  using enum trace::StepRole;
  const bool of_host = role == runtime || role == data_loader || role == cpu_op;
  if (!of_host || record::facts_of(*imported.record.trace).host_events) return true;
  const auto& kinds = imported.record.trace->ranges.kind;
  return role == runtime && std::ranges::find(kinds, record::RangeKind::runtime) != kinds.end();
}

std::string count_of_steps(const TracePanes& panes) {
  return format("{}{}", panes.steps.steps.size(),
                panes.steps.dropped > 0 ? format(" and {} left out", panes.steps.dropped) : "");
}

/// What went on in the mean step; `both`: by the plugin's rule too.
page::Table step_table(const ImportedCase& imported, bool both) {
  const TracePanes& plugin = imported.trace->plugin;
  const TracePanes& ours = imported.trace->ours;
  page::Table table;
  if (!has_plugin(imported) && !ours.steps.marked) {
    table.title = format("All of {}, from the first kernel or copy to the last", imported.title);
  } else if (!ours.steps.marked) {
    table.title = format("All of {}: no step is marked", imported.title);
  } else {
    table.title = format("Step of {}: mean of {} step{}", imported.title, count_of_steps(ours),
                         ours.steps.steps.size() == 1 ? "" : "s");
    if (both) table.title += format("; the plugin counts {}", count_of_steps(plugin));
  }
  table.columns = {{"role", "what went on", page::Align::left},
                   {"plugin_s", "plugin", page::Align::right, !both},
                   {"plugin_share", "share", page::Align::right, !both},
                   {"time_s", both ? "ours" : "time"},
                   {"share", "share"}};
  const trace::RoleTimes& theirs = plugin.breakdown.mean;
  const trace::RoleTimes& mine = ours.breakdown.mean;
  const auto row = [&](std::string_view role, double their_ns, double my_ns) {
    return std::vector<page::Cell>{
        std::string(role), page::si_cell(their_ns * seconds_per_ns, "s"),
        page::percent_cell(quotient(their_ns, theirs.total_ns).value_or(0.0)),
        page::si_cell(my_ns * seconds_per_ns, "s"),
        page::percent_cell(quotient(my_ns, mine.total_ns).value_or(0.0))};
  };
  for (const trace::StepRole role : values_of<trace::StepRole>) {
    const auto i = static_cast<std::size_t>(role);
    if (!is_recorded(role, imported)) continue;  // which is not 0 s
    table.rows.push_back(row(name_of(role), theirs.role_ns[i], mine.role_ns[i]));
  }
  table.totals.push_back(row(ours.steps.marked ? "step" : "all", theirs.total_ns, mine.total_ns));
  return table;
}

constexpr auto collective_columns =
    page::columns_of("collective", "dtype", page::titled("group_size", "ranks"), "calls", "time_s",
                     "bytes", "bytes_per_s", "bus_bytes_per_s");

/// The first `top` rows, 0: all; the title says how many there are.
template <class Row>
page::Table top_rows(std::string_view what, const ImportedCase& imported,
                     const std::vector<Row>& rows, std::size_t top,
                     std::span<const page::FigureColumn> columns,
                     std::initializer_list<FigureKey> grow_with_steps) {
  const std::size_t steps = imported.trace->step_tables.steps;
  const std::size_t shown = top == 0 ? rows.size() : std::min(top, rows.size());
  std::vector<page::JoinedRow> means;
  for (const Row& row : std::span(rows).first(shown)) {
    means.emplace_back().of(row).mean_of(steps, grow_with_steps);
  }
  page::Table table = page::table_of(means, columns);
  table.title = format("{} of {}{}", what, imported.title, of_a_step(imported));
  if (shown < rows.size()) table.title += format(": the first {} of {}", shown, rows.size());
  table.columns.front().cut = true;
  return table;
}

page::Table device_table(const ImportedCase& imported, bool both) {
  std::vector<page::JoinedRow> rows;
  const auto add = [&](const TracePanes& panes) {
    const std::size_t steps = panes.steps.marked ? panes.steps.steps.size() : 1;
    for (const trace::DeviceUse& use : panes.devices) {
      page::JoinedRow& row = rows.emplace_back().of(use);
      if (panes.steps.marked) row.own("kernels", use.kernels_in_steps);
      row.mean_of(steps, {"kernels"});
    }
  };
  if (both) add(imported.trace->plugin);
  add(imported.trace->ours);
  return page::table_of(
      rows,
      page::shown_as(both ? page::Shown::always : page::Shown::csv, {"rule"},
                     page::columns_of("device", "name", "rule", "kernels", "busy_share",
                                      page::titled("sm_efficiency_share", "est. SM efficiency"),
                                      page::titled("sm_efficiency_busy_share", "while busy"),
                                      page::titled("occupancy_share", "est. occupancy"),
                                      "tensor_core_share")));
}

/// With the time of all kernels, which is the step's on the device where none run side by side.
page::Table trace_kernel_table(const ImportedCase& imported, std::size_t top) {
  const trace::StepTables& work = imported.trace->step_tables;
  page::Table table = top_rows(
      "Kernels", imported, work.kernels.rows, top,
      page::columns_of(page::titled("name", "kernel"), "calls", page::titled("total_s", "time"),
                       "share", "mean_s", "shortest_s", "longest_s", "blocks_per_sm",
                       page::titled("occupancy_share", "est. occupancy"), "tensor_cores"),
      {"calls", "total_s"});
  shorten_kernel_names(table);
  trace::KernelRow all{.name = "all kernels"};
  for (const trace::KernelRow& row : work.kernels.rows) {
    all.calls += row.calls;
    all.total_ns += row.total_ns;
  }
  all.share = 1.0;
  std::vector<page::JoinedRow> total(1);
  total.front().of(all).mean_of(work.steps, {"calls", "total_s"});
  const page::Table cells = page::table_of(
      total, page::columns_of(page::titled("name", "kernel"), "calls", "total_s", "share"));
  std::vector<page::Cell>& row = table.totals.emplace_back(cells.rows.front());
  row.resize(table.columns.size(), page::Cell("", ""));
  return table;
}

}  // namespace

page::Table collectives_table(const ImportedCase& imported) {
  page::Table table =
      page::table_of<trace::CollectiveRow>(imported.collectives, collective_columns);
  table.title = format("Collectives of {}, a step", imported.title);
  return table;
}

void shorten_kernel_names(page::Table& table) {
  for (std::vector<page::Cell>& row : table.rows) {
    row.front().text = record::short_kernel_name(row.front().raw);
  }
}

std::string of_a_step(const ImportedCase& imported) {
  return imported.trace->ours.steps.marked ? ", a step" : "";
}

std::vector<page::Table> trace_tables(const ImportedCase& imported, std::size_t top, bool plugin) {
  const TraceAnalysis& trace = *imported.trace;
  const trace::StepTables& work = trace.step_tables;
  std::vector<page::Table> tables;
  const auto add = [&](std::string title, page::Table table) {
    table.title = std::move(title);
    tables.push_back(std::move(table));
  };
  const bool both = plugin && has_plugin(imported);
  if (!trace.ours.steps.steps.empty() || !trace.plugin.steps.steps.empty()) {
    tables.push_back(step_table(imported, both));
  }
  if (!trace.ours.devices.empty()) {
    add(format("Devices of {}{}", imported.title, of_a_step(imported)),
        device_table(imported, both));
  }
  if (trace.ours.overlap.has_communication || (both && trace.plugin.overlap.has_communication)) {
    std::vector<trace::OverlapTable> overlaps = {trace.ours.overlap};
    if (both) overlaps.insert(overlaps.begin(), trace.plugin.overlap);
    add(format("Communication and computation of {}{}", imported.title, of_a_step(imported)),
        page::table_of<trace::OverlapTable>(
            overlaps,
            page::shown_as(
                both ? page::Shown::always : page::Shown::csv, {"rule"},
                page::columns_of("rule", "computation_only_s", page::titled("hidden_s", "both"),
                                 "communication_only_s", "other_s", "hidden_share"))));
  }
  if (!work.collectives.empty()) {
    tables.push_back(top_rows("Collectives", imported, work.collectives, 0, collective_columns,
                              {"calls", "time_s", "bytes"}));
  }
  if (!trace.memory.empty()) {
    add(format("Memory of {}", imported.title),
        page::table_of<trace::MemoryCurve>(
            trace.memory,
            page::columns_of("device", "changes", "allocated_peak_bytes", "reserved_peak_bytes")));
  }
  if (!work.operators.empty()) {
    const page::Shown modelled = trace.has_shapes ? page::Shown::always : page::Shown::csv;
    tables.push_back(top_rows(
        "Operators", imported, work.operators, top,
        page::shown_as(modelled, {"modelled_flop_per_s", "modelled_bytes_per_s"},
                       page::columns_of(page::titled("name", "operator"), "calls", "device_self_s",
                                        "device_total_s", "host_self_s", "host_total_s",
                                        "modelled_flop_per_s", "modelled_bytes_per_s")),
        {"calls", "device_self_s", "device_total_s", "host_self_s", "host_total_s"}));
  }
  if (!work.kernels.rows.empty()) tables.push_back(trace_kernel_table(imported, top));
  return tables;
}

page::Table job_table(const trace::TraceJob& job, std::span<const ImportedCase> cases) {
  std::vector<page::JoinedRow> rows;
  for (const trace::RankRow& rank : job.ranks) {
    rows.emplace_back()
        .own("source", rank.record < cases.size() ? cases[rank.record].source : std::string())
        .of(rank.overlap)
        .of(rank);
  }
  static constexpr auto columns = page::columns_of(
      "rank", page::titled("source", "file"), "step_count", "step_s", "busy_share",
      "computation_only_s", page::titled("hidden_s", "both"), "communication_only_s", "other_s",
      "collective_s", page::titled("wait_s", "of it waiting"));
  page::Table table = page::table_of(rows, columns);
  table.title = "Ranks of one job";
  if (job.load_imbalance) {
    table.title += format(": computation {:.1f} % out of balance", 100.0 * *job.load_imbalance);
  }
  return table;
}

std::vector<chart::Chart> memory_charts(const ImportedCase& imported) {
  std::vector<chart::Chart> charts;
  for (const trace::MemoryCurve& curve : imported.trace->memory) {
    if (curve.points.size() < 2) continue;
    chart::Chart chart;
    chart.title = format("Memory of {}, {}{}", curve.label(), imported.title,
                         curve.relative ? ": changes since the trace began" : "");
    chart.x = {.label = "time", .unit = "s"};
    chart.y = {.label = "memory", .unit = "B", .numbers = chart::NumberStyle::si};
    const std::int64_t begin = curve.points.front().time_ns;
    const auto add = [&](const char* name, int color, auto value_of) {
      chart::Series series;
      series.name = name;
      series.color = color;
      series.joined = true;
      series.marked = false;
      for (const trace::MemoryPoint& point : chart::thinned(curve.points, value_of)) {
        const auto value = value_of(point);
        if (!value) continue;
        const double time_s = static_cast<double>(point.time_ns - begin) * seconds_per_ns;
        // What is allocated stays so until the next change: a step, not a slope.
        if (curve.points.size() <= chart::most_points && !series.points.empty()) {
          series.points.push_back({time_s, series.points.back().y, 0.1, "", {}});
        }
        series.points.push_back({time_s, static_cast<double>(*value), 0.1, "", {}});
      }
      if (!series.points.empty()) chart.series.push_back(std::move(series));
    };
    using Value = std::optional<std::int64_t>;
    add("allocated", 0, [](const trace::MemoryPoint& p) { return Value(p.allocated_bytes); });
    add("reserved", 1, [](const trace::MemoryPoint& p) { return p.reserved_bytes; });
    charts.push_back(std::move(chart));
  }
  return charts;
}

}  // namespace rooflab::report
