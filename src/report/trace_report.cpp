#include "rooflab/report/trace_report.hpp"

#include <algorithm>

#include "cells.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/record/profiler_name.hpp"

namespace rooflab::report {
namespace {

using analyze::ImportedCase;
using trace::TraceAnalysis;
using trace::TracePanes;

double share_of(double part, double whole) { return whole > 0.0 ? part / whole : 0.0; }

std::string title_with_top(std::string_view what, const ImportedCase& imported, std::size_t shown,
                           std::size_t all) {
  return shown < all ? format("{} of {}: the first {} of {}", what, imported.title, shown, all)
                     : format("{} of {}", what, imported.title);
}

std::size_t shown_of(std::size_t top, std::size_t all) {
  return top == 0 ? all : std::min(top, all);
}

std::string device_label(int device) {
  return device < 0 ? std::string("host") : format("cuda:{}", device);
}

/// Of PyTorch's profiler, which the plugin for TensorBoard reads too; of any other there is nothing
/// to compare ours with.
bool has_plugin(const ImportedCase& imported) {
  return imported.record.trace && imported.record.trace->profiler != record::cupti_activity;
}

bool is_of_host(trace::StepRole role) {
  return role == trace::StepRole::runtime || role == trace::StepRole::data_loader ||
         role == trace::StepRole::cpu_op;
}

Table overlap_table(const ImportedCase& imported) {
  Table table;
  table.title = format("Communication and computation of {}, mean of a step", imported.title);
  table.columns = {{"rule", "rule", Align::left}, {"computation_only_s", "computation only"},
                   {"overlap_s", "both"},         {"communication_only_s", "communication only"},
                   {"other_s", "neither"},        {"overlap_share", "of communication overlapped"}};
  const auto add = [&](const char* rule, const trace::MeanStepOverlap& mean) {
    const double communication = mean.overlap_ns + mean.communication_only_ns;
    table.rows.push_back(
        {rule, duration_cell(mean.computation_only_ns), duration_cell(mean.overlap_ns),
         duration_cell(mean.communication_only_ns), duration_cell(mean.other_ns),
         communication > 0.0 ? percent_cell(mean.overlap_ns / communication) : dash()});
  };
  if (has_plugin(imported)) add("plugin", imported.trace->plugin.overlap.mean);
  add("ours", imported.trace->ours.overlap.mean);
  return table;
}

Table collective_table(const ImportedCase& imported) {
  Table table;
  table.title = format("Collectives of {}", imported.title);
  table.columns = {{"collective", "collective", Align::left},
                   {"dtype", "type", Align::left},
                   {"group_size", "ranks"},
                   {"calls", "calls"},
                   {"time_s", "time"},
                   {"bytes", "bytes"},
                   {"bytes_per_s", "B/s"},
                   {"bus_bytes_per_s", "bus B/s"}};
  for (const trace::CollectiveRow& row : imported.trace->collectives) {
    table.rows.push_back(
        {row.collective, row.dtype, row.group_size < 0 ? dash() : count_cell(row.group_size),
         count_cell(row.calls), duration_cell(static_cast<double>(row.time_ns)),
         optional_si_cell(row.bytes, "B"), optional_si_cell(row.bytes_per_s(), "B/s"),
         optional_si_cell(row.bus_bytes_per_s(), "B/s")});
  }
  return table;
}

std::optional<double> as_double(const std::optional<std::int64_t>& value) {
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

Table memory_table(const ImportedCase& imported) {
  Table table;
  table.title = format("Memory of {}", imported.title);
  table.columns = {{"device", "device", Align::left},
                   {"changes", "changes"},
                   {"peak_allocated_bytes", "allocated at most"},
                   {"peak_reserved_bytes", "reserved at most"}};
  for (const trace::MemoryCurve& curve : imported.trace->memory) {
    table.rows.push_back({device_label(curve.device),
                          count_cell(static_cast<std::int64_t>(curve.points.size())),
                          optional_si_cell(as_double(curve.peak_allocated_bytes), "B"),
                          optional_si_cell(as_double(curve.peak_reserved_bytes), "B")});
  }
  return table;
}

}  // namespace

Table step_table(const ImportedCase& imported) {
  const TracePanes& plugin = imported.trace->plugin;
  const TracePanes& ours = imported.trace->ours;
  Table table;
  const auto steps = [](const TracePanes& panes) {
    return format("{}{}", panes.steps.steps.size(),
                  panes.steps.dropped > 0 ? format(" and {} left out", panes.steps.dropped) : "");
  };
  const bool both = has_plugin(imported);
  table.title = both ? format("Step of {}: mean of {}; the plugin counts {}", imported.title,
                              steps(ours), steps(plugin))
                     : format("All of {}, from the first kernel to the last", imported.title);
  table.columns = {{"role", "what went on", Align::left},
                   {"plugin_s", "plugin", Align::right, !both},
                   {"plugin_share", "share", Align::right, !both},
                   {"time_s", both ? "ours" : "time"},
                   {"share", "share"}};
  const trace::MeanStepCosts& theirs = plugin.breakdown.mean;
  const trace::MeanStepCosts& mine = ours.breakdown.mean;
  for (const trace::StepRole role : values_of<trace::StepRole>) {
    const auto i = static_cast<std::size_t>(role);
    if (!both && is_of_host(role)) continue;  // not recorded, which is not 0 s
    table.rows.push_back({std::string(name_of(role)), duration_cell(theirs.role_ns[i]),
                          percent_cell(share_of(theirs.role_ns[i], theirs.total_ns)),
                          duration_cell(mine.role_ns[i]),
                          percent_cell(share_of(mine.role_ns[i], mine.total_ns))});
  }
  table.totals.push_back({both ? "step" : "all", duration_cell(theirs.total_ns), percent_cell(1.0),
                          duration_cell(mine.total_ns), percent_cell(1.0)});
  return table;
}

Table device_use_table(const ImportedCase& imported) {
  Table table;
  table.title = format("Devices of {}", imported.title);
  table.columns = {{"device", "device", Align::left},
                   {"name", "name", Align::left},
                   {"rule", "rule", Align::left, !has_plugin(imported)},
                   {"kernels", "kernels"},
                   {"utilization", "GPU in use"},
                   {"sm_efficiency", "est. SM efficiency"},
                   {"sm_efficiency_busy", "while busy"},
                   {"occupancy", "est. occupancy"},
                   {"tensor_core_share", "tensor cores, by name"}};
  const auto add = [&](const char* rule, const std::vector<trace::DeviceUse>& devices) {
    for (const trace::DeviceUse& use : devices) {
      table.rows.push_back({device_label(use.device), use.name, rule, count_cell(use.kernels),
                            optional_percent(use.utilization), optional_percent(use.sm_efficiency),
                            optional_percent(use.sm_efficiency_busy),
                            optional_percent(use.occupancy),
                            optional_percent(use.tensor_core_share)});
    }
  };
  if (has_plugin(imported)) add("plugin", imported.trace->plugin.devices);
  add("ours", imported.trace->ours.devices);
  return table;
}

Table operator_table(const ImportedCase& imported, std::size_t top) {
  const std::vector<trace::OperatorRow>& rows = imported.trace->ours.operators.by_name;
  const std::size_t shown = shown_of(top, rows.size());
  const bool shapes = imported.trace->has_shapes;
  Table table;
  table.title = title_with_top("Operators", imported, shown, rows.size());
  table.columns = {{"operator", "operator", Align::left},
                   {"calls", "calls"},
                   {"device_self_s", "device, itself"},
                   {"device_total_s", "device, all"},
                   {"host_self_s", "host, itself"},
                   {"host_total_s", "host, all"},
                   {"modelled_flops_per_s", "modelled FLOP/s", Align::right, !shapes},
                   {"modelled_bytes_per_s", "modelled B/s", Align::right, !shapes}};
  for (std::size_t i = 0; i < shown; ++i) {
    const trace::OperatorRow& row = rows[i];
    table.rows.push_back({name_cell(row.name), count_cell(row.calls),
                          duration_cell(static_cast<double>(row.device_self_ns)),
                          duration_cell(static_cast<double>(row.device_total_ns)),
                          duration_cell(static_cast<double>(row.host_self_ns)),
                          duration_cell(static_cast<double>(row.host_total_ns)),
                          optional_si_cell(row.flops_per_s(), "FLOP/s"),
                          optional_si_cell(row.bytes_per_s(), "B/s")});
  }
  return table;
}

Table trace_kernel_table(const ImportedCase& imported, std::size_t top) {
  const std::vector<trace::KernelRow>& rows = imported.trace->kernels.rows;
  const std::size_t shown = shown_of(top, rows.size());
  Table table;
  table.title = title_with_top("Kernels", imported, shown, rows.size());
  table.columns = {{"kernel", "kernel", Align::left},
                   {"calls", "calls"},
                   {"total_s", "time"},
                   {"share", "share"},
                   {"mean_s", "mean"},
                   {"min_s", "shortest"},
                   {"max_s", "longest"},
                   {"blocks_per_sm", "blocks per SM"},
                   {"occupancy", "est. occupancy"},
                   {"tensor_cores", "tensor cores, by name", Align::left}};
  for (std::size_t i = 0; i < shown; ++i) {
    const trace::KernelRow& row = rows[i];
    table.rows.push_back(
        {name_cell(row.name), count_cell(row.calls),
         duration_cell(static_cast<double>(row.total_ns)), percent_cell(row.share),
         duration_cell(row.mean_ns()), duration_cell(static_cast<double>(row.min_ns)),
         duration_cell(static_cast<double>(row.max_ns)),
         row.blocks_per_sm
             ? Cell(format("{:.2f}", *row.blocks_per_sm), format("{}", *row.blocks_per_sm))
             : dash(),
         optional_percent(row.occupancy), row.tensor_cores ? "yes" : "no"});
  }
  return table;
}

std::vector<Table> trace_tables(const ImportedCase& imported, std::size_t top) {
  const TraceAnalysis& trace = *imported.trace;
  std::vector<Table> tables;
  if (!trace.ours.steps.steps.empty() || !trace.plugin.steps.steps.empty()) {
    tables.push_back(step_table(imported));
  }
  if (!trace.ours.devices.empty()) tables.push_back(device_use_table(imported));
  if (trace.ours.overlap.has_communication || trace.plugin.overlap.has_communication) {
    tables.push_back(overlap_table(imported));
  }
  if (!trace.collectives.empty()) tables.push_back(collective_table(imported));
  if (!trace.memory.empty()) tables.push_back(memory_table(imported));
  if (!trace.ours.operators.by_name.empty()) tables.push_back(operator_table(imported, top));
  if (!trace.kernels.rows.empty()) tables.push_back(trace_kernel_table(imported, top));
  return tables;
}

Table job_table(const trace::TraceJob& job, std::span<const ImportedCase> cases) {
  Table table;
  table.title = format("Ranks of one job{}", job.load_imbalance
                                                 ? format(": computation {:.1f} % out of balance",
                                                          100.0 * *job.load_imbalance)
                                                 : "");
  table.columns = {{"rank", "rank"},
                   {"source", "file", Align::left},
                   {"steps", "steps"},
                   {"step_s", "step"},
                   {"utilization", "GPU in use"},
                   {"computation_only_s", "computation only"},
                   {"overlap_s", "both"},
                   {"communication_only_s", "communication only"},
                   {"other_s", "neither"},
                   {"collective_s", "collectives"},
                   {"wait_s", "of it waiting"}};
  for (const trace::RankRow& rank : job.ranks) {
    table.rows.push_back(
        {std::to_string(rank.rank), rank.record < cases.size() ? cases[rank.record].source : "",
         count_cell(static_cast<std::int64_t>(rank.steps)), duration_cell(rank.step_ns),
         optional_percent(rank.utilization), duration_cell(rank.overlap.computation_only_ns),
         duration_cell(rank.overlap.overlap_ns), duration_cell(rank.overlap.communication_only_ns),
         duration_cell(rank.overlap.other_ns),
         duration_cell(static_cast<double>(rank.collective_ns)),
         duration_cell(static_cast<double>(rank.wait_ns))});
  }
  return table;
}

std::vector<chart::Chart> memory_charts(const ImportedCase& imported) {
  // A chart has room for some hundreds of changes: of each stretch its lowest and highest.
  constexpr std::size_t stretches = 600;
  std::vector<chart::Chart> charts;
  for (const trace::MemoryCurve& curve : imported.trace->memory) {
    if (curve.points.size() < 2) continue;
    chart::Chart chart;
    chart.title = format("Memory of {}, {}{}", device_label(curve.device), imported.title,
                         curve.relative ? ": changes since the trace began" : "");
    chart.x = {"time", "s", chart::Scale::linear, chart::NumberStyle::plain, std::nullopt};
    chart.y = {"memory", "B", chart::Scale::linear, chart::NumberStyle::si, std::nullopt};
    const std::int64_t begin = curve.points.front().time_ns;
    const std::size_t stride = std::max<std::size_t>(1, curve.points.size() / stretches);
    const auto add = [&](const char* name, int color, auto value_of) {
      chart::Series series;
      series.name = name;
      series.color = color;
      series.joined = true;
      series.marked = false;
      const auto put = [&](const trace::MemoryPoint& point) {
        const auto value = value_of(point);
        if (!value) return;
        const double time_s = static_cast<double>(point.time_ns - begin) * seconds_per_ns;
        // What is allocated stays so until the next change: a step, not a slope.
        if (stride == 1 && !series.points.empty()) {
          series.points.push_back({time_s, series.points.back().y, 0.1, "", {}});
        }
        series.points.push_back({time_s, static_cast<double>(*value), 0.1, "", {}});
      };
      for (std::size_t i = 0; i < curve.points.size(); i += stride) {
        const auto first = curve.points.begin() + static_cast<std::ptrdiff_t>(i);
        const auto last = curve.points.begin() +
                          static_cast<std::ptrdiff_t>(std::min(i + stride, curve.points.size()));
        const auto [low, high] = std::minmax_element(
            first, last, [&](const auto& a, const auto& b) { return value_of(a) < value_of(b); });
        put(*std::min(low, high));
        if (low != high) put(*std::max(low, high));
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
