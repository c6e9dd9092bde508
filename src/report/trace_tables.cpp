#include "trace_tables.hpp"

#include <algorithm>

#include "rooflab/base/statistics.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/record/kernel_table.hpp"
#include "row_table.hpp"
#include "time_unit.hpp"

namespace rooflab::report {
namespace {

using analyze::ImportedCase;
using trace::TraceAnalysis;
using trace::TracePanes;

/// Whether PyTorch's profiler made it, which the plugin for TensorBoard reads too; for any other
/// nothing can be compared with ours.
bool has_plugin(const ImportedCase& imported) {
  return imported.record.trace && imported.record.trace->profiler != record::cupti_activity;
}

bool is_of_host(trace::StepRole role) {
  return role == trace::StepRole::runtime || role == trace::StepRole::data_loader ||
         role == trace::StepRole::cpu_op;
}

/// What went on in the mean step, by both rules.
Table step_table(const ImportedCase& imported) {
  const auto steps = [](const TracePanes& panes) {
    return format("{}{}", panes.steps.steps.size(),
                  panes.steps.dropped > 0 ? format(" and {} left out", panes.steps.dropped) : "");
  };
  const bool both = has_plugin(imported);
  const TracePanes& plugin = imported.trace->plugin;
  const TracePanes& ours = imported.trace->ours;
  Table table;
  table.title = both ? format("Step of {}: mean of {}; the plugin counts {}", imported.title,
                              steps(ours), steps(plugin))
                     : format("All of {}, from the first kernel to the last", imported.title);
  table.columns = {{"role", "what went on", Align::left},
                   {"plugin_s", "plugin", Align::right, !both},
                   {"plugin_share", "share", Align::right, !both},
                   {"time_s", both ? "ours" : "time"},
                   {"share", "share"}};
  const trace::RoleTimes& theirs = plugin.breakdown.mean;
  const trace::RoleTimes& mine = ours.breakdown.mean;
  const auto row = [&](std::string_view role, double their_ns, double my_ns) {
    return std::vector<Cell>{std::string(role), si_cell(their_ns * seconds_per_ns, "s"),
                             percent_cell(quotient(their_ns, theirs.total_ns).value_or(0.0)),
                             si_cell(my_ns * seconds_per_ns, "s"),
                             percent_cell(quotient(my_ns, mine.total_ns).value_or(0.0))};
  };
  for (const trace::StepRole role : values_of<trace::StepRole>) {
    const auto i = static_cast<std::size_t>(role);
    if (!both && is_of_host(role)) continue;  // not recorded, which is not 0 s
    table.rows.push_back(row(name_of(role), theirs.role_ns[i], mine.role_ns[i]));
  }
  table.totals.push_back(row(both ? "step" : "all", theirs.total_ns, mine.total_ns));
  return table;
}

/// The first `top` rows, 0: all; the title says how many there are.
template <class Row>
Table top_rows(std::string_view what, const ImportedCase& imported, const std::vector<Row>& rows,
               std::size_t top, std::span<const FigureColumn> columns) {
  const std::size_t shown = top == 0 ? rows.size() : std::min(top, rows.size());
  Table table = table_of(std::span(rows).first(shown), columns);
  table.title = format("{} of {}", what, imported.title);
  if (shown < rows.size()) table.title += format(": the first {} of {}", shown, rows.size());
  table.columns.front().cut = true;
  return table;
}

}  // namespace

std::vector<Table> trace_tables(const ImportedCase& imported, std::size_t top) {
  const TraceAnalysis& trace = *imported.trace;
  std::vector<Table> tables;
  const auto add = [&](std::string title, Table table) {
    table.title = std::move(title);
    tables.push_back(std::move(table));
  };
  const bool both = has_plugin(imported);
  if (!trace.ours.steps.steps.empty() || !trace.plugin.steps.steps.empty()) {
    tables.push_back(step_table(imported));
  }
  if (!trace.ours.devices.empty()) {
    std::vector<trace::DeviceUse> devices = trace.ours.devices;
    if (both)
      devices.insert(devices.begin(), trace.plugin.devices.begin(), trace.plugin.devices.end());
    add(format("Devices of {}", imported.title),
        table_of<trace::DeviceUse>(
            devices, shown_as(both ? Shown::always : Shown::csv, {"rule"},
                              columns_of("device", "name", "rule", "kernels", "busy_share",
                                         titled("sm_efficiency_share", "est. SM efficiency"),
                                         titled("sm_efficiency_busy_share", "while busy"),
                                         titled("occupancy_share", "est. occupancy"),
                                         "tensor_core_share"))));
  }
  if (trace.ours.overlap.has_communication || trace.plugin.overlap.has_communication) {
    std::vector<trace::OverlapTable> overlaps = {trace.ours.overlap};
    if (both) overlaps.insert(overlaps.begin(), trace.plugin.overlap);
    add(format("Communication and computation of {}, mean of a step", imported.title),
        table_of<trace::OverlapTable>(
            overlaps, columns_of("rule", "computation_only_s", titled("hidden_s", "both"),
                                 "communication_only_s", "other_s", "hidden_share")));
  }
  if (!trace.collectives.empty()) {
    add(format("Collectives of {}", imported.title),
        table_of<trace::CollectiveRow>(
            trace.collectives,
            columns_of("collective", "dtype", titled("group_size", "ranks"), "calls", "time_s",
                       "bytes", "bytes_per_s", "bus_bytes_per_s")));
  }
  if (!trace.memory.empty()) {
    add(format("Memory of {}", imported.title),
        table_of<trace::MemoryCurve>(
            trace.memory,
            columns_of("device", "changes", "allocated_peak_bytes", "reserved_peak_bytes")));
  }
  if (!trace.ours.operators.by_name.empty()) {
    const Shown modelled = trace.has_shapes ? Shown::always : Shown::csv;
    tables.push_back(
        top_rows("Operators", imported, trace.ours.operators.by_name, top,
                 shown_as(modelled, {"modelled_flop_per_s", "modelled_bytes_per_s"},
                          columns_of(titled("name", "operator"), "calls", "device_self_s",
                                     "device_total_s", "host_self_s", "host_total_s",
                                     "modelled_flop_per_s", "modelled_bytes_per_s"))));
  }
  if (!trace.kernels.rows.empty()) {
    tables.push_back(
        top_rows("Kernels", imported, trace.kernels.rows, top,
                 columns_of(titled("name", "kernel"), "calls", titled("total_s", "time"), "share",
                            "mean_s", "shortest_s", "longest_s", "blocks_per_sm",
                            titled("occupancy_share", "est. occupancy"), "tensor_cores")));
  }
  return tables;
}

Table job_table(const trace::TraceJob& job, std::span<const ImportedCase> cases) {
  std::vector<Json> rows;
  for (const trace::RankRow& rank : job.ranks) {
    rows.push_back(to_json(rank));
    rows.back().update(
        {{"source", rank.record < cases.size() ? cases[rank.record].source : std::string()}});
  }
  static constexpr auto columns =
      columns_of("rank", titled("source", "file"), "step_count", "step_s", "busy_share",
                 "computation_only_s", titled("hidden_s", "both"), "communication_only_s",
                 "other_s", "collective_s", titled("wait_s", "of it waiting"));
  Table table = table_of(rows, columns);
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
      for (const trace::MemoryPoint& point : thinned(curve.points, value_of)) {
        const auto value = value_of(point);
        if (!value) continue;
        const double time_s = static_cast<double>(point.time_ns - begin) * seconds_per_ns;
        // What is allocated stays so until the next change: a step, not a slope.
        if (curve.points.size() <= most_points && !series.points.empty()) {
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
