#include "rooflab/report/import_report.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <ostream>
#include <string_view>
#include <tuple>
#include <utility>

#include "cells.hpp"
#include "counted_section.hpp"
#include "import_json.hpp"
#include "page_parts.hpp"
#include "rooflab/base/fields.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/quotient.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/record/counter_metric.hpp"
#include "rooflab/record/kernel_work.hpp"
#include "rooflab/record/record_json.hpp"
#include "trace_tables.hpp"

namespace rooflab::report {
namespace {

using analyze::ImportedCase;
using analyze::KernelGroup;
using record::KernelFigure;
using record::KernelTable;

Cell extent_cell(const record::Extent& extent) {
  if (extent == record::Extent{}) return dash();
  return {format("{}x{}x{}", extent[0], extent[1], extent[2])};
}

/// One row a launch, in the order of the file.
Table launch_table(const ImportedCase& imported) {
  Table table;
  table.title = format("Launches of {}", imported.title);
  table.columns = {{"process", "process", Align::left, true},
                   {"launch", "launch"},
                   {"kernel", "kernel", Align::left},
                   {"device", "device", Align::right, true},
                   {"stream", "stream"},
                   {"grid", "grid"},
                   {"block", "block"},
                   {"time_s", "time"},
                   {"dram_bytes", "DRAM"},
                   {"fp64_flops", "FP64", Align::right, true},
                   {"fp32_flops", "FP32"},
                   {"fp16_flops", "FP16", Align::right, true},
                   {"tensor_flops", "tensor"},
                   {"flops", "FLOP"},
                   {"intensity", "FLOP/B"}};
  const KernelTable& kernels = *imported.record.kernels;
  const bool tensor_cores =
      record::may_have_tensor_cores(imported.record.environment.device.compute_capability);
  for (std::size_t row = 0; row < kernels.size(); ++row) {
    const record::KernelLaunch launch = kernels.launch(row);
    const record::KernelWork work = record::work_of(kernels, row);
    const std::optional<double> bytes = record::dram_bytes(kernels, row);
    const std::optional<double> flops = work.flops(tensor_cores);
    const std::optional<double> intensity = quotient(flops, bytes);
    table.rows.push_back(
        {std::string(kernels.process(row)), std::to_string(launch.launch),
         name_cell(kernels.names[launch.name]), std::to_string(launch.device),
         std::to_string(launch.stream), extent_cell(launch.grid), extent_cell(launch.block),
         optional_si_cell(kernels.at(KernelFigure::time_s, row), "s"), optional_si_cell(bytes, "B"),
         optional_si_cell(work.fp64, "FLOP"), optional_si_cell(work.fp32, "FLOP"),
         optional_si_cell(work.fp16, "FLOP"), optional_si_cell(work.tensor, "FLOP"),
         optional_si_cell(flops, "FLOP"), optional_number(intensity)});
  }
  return table;
}

std::string check_sentence(const ImportedCase& imported) {
  const analyze::WorkCheck& check = *imported.check;
  const std::string figures =
      format("{} of {} (matrix {}, vector {})", si(check.collected_flops, "FLOP"),
             si(check.model_flops, "FLOP"), si(check.model_matrix_flops, "FLOP"),
             si(check.model_vector_flops, "FLOP"));
  if (check.missing_share > 0.0) {
    std::string why;
    if (!check.passes()) {
      why = check.tensor_flops ? "; part of the run may not have been profiled, or it took"
                                 " algorithms with less arithmetic (Winograd, FFT)"
                               : "; tensor work was not collected";
    }
    return format("check against {}: the log misses {:.1f} % of the work: {}{}",
                  imported.checked_network, 100.0 * check.missing_share, figures, why);
  }
  return format(
      "check against {}: nothing is missing: {}, {:.1f} % more than the direct"
      " algorithms need (padding, split precision, index arithmetic)",
      imported.checked_network, figures, -100.0 * check.missing_share);
}

/// Totals of the kernels; of a whole step where the kernels have none of the figure. Steps are
/// counted whole because that costs less: their kernels have times only.
analyze::KernelTotals shown_totals(const ImportedCase& imported) {
  analyze::KernelTotals totals = imported.totals;
  const auto& counting = imported.record.counting;
  if (!counting || !counting->step || counting->step->empty()) return totals;
  if (totals.dram_bytes || totals.tensor_flops || totals.fp32_flops) return totals;
  const analyze::KernelTotals step = analyze::kernel_totals(
      *counting->step, imported.record.environment.device.compute_capability);
  totals.dram_bytes = step.dram_bytes;
  totals.tensor_flops = step.tensor_flops;
  totals.tensor_by_type = step.tensor_by_type;
  return totals;
}

/// Of steps without counters.
std::optional<double> median_step_s(const ImportedCase& imported) {
  const auto& counting = imported.record.counting;
  if (!counting || counting->steps_s.empty()) return std::nullopt;
  return quantile(counting->steps_s, 0.5);
}

/// What the chip does at most at the clock that the step was counted at: `.peak_sustained` is a
/// clock's, of instructions for CUDA cores (as in kernel_work.cpp) and operations for tensor cores.
std::string peaks_note(const record::Counting& counting) {
  if (!counting.step || counting.step->empty()) return {};
  const std::optional<double> clock_hz = counting.step->at(KernelFigure::sm_clock_hz, 0);
  if (!clock_hz) return {};
  constexpr std::array<std::tuple<std::string_view, std::string_view, double>, 3> cores = {
      {{"op_dfma", "fp64", 2.0}, {"op_ffma", "fp32", 2.0}, {"op_hfma", "fp16", 4.0}}};
  std::vector<std::string> parts;
  const auto add = [&](std::string_view what, double flops) {
    parts.push_back(format("{} {}", what, si(flops * *clock_hz, "FLOP/s")));
  };
  for (const auto& [instruction, type, flops] : cores) {
    for (const auto& [metric, peak] : counting.peaks) {
      if (metric.find(instruction) != std::string::npos) add(type, flops * peak);
    }
  }
  for (const auto& [metric, peak] : counting.peaks) {
    if (const auto figure = record::tensor_figure_of(metric)) add(name_of(*figure), peak);
  }
  if (parts.empty()) return {};
  return format("the chip at most, at this clock: {}", join(parts, ", "));
}

/// What the chip does at most, and how a step was counted.
void add_counting(const ImportedCase& imported, std::vector<std::string>& notes) {
  if (!imported.record.counting) return;
  const record::Counting& counting = *imported.record.counting;
  notes.push_back(counting_note(counting));
  if (const std::optional<double> step_s = median_step_s(imported)) {
    notes.push_back(format("a step takes {} without counters, the median of {} rounds; {} launches",
                           si(*step_s, "s"), counting.steps_s.size(), counting.launches_per_step));
  }
  if (counting.step && !counting.step->empty()) {
    const KernelTable& step = *counting.step;
    std::vector<std::string> parts;
    const auto add = [&parts](const std::optional<double>& value, std::string_view unit,
                              std::string_view what) {
      if (value) parts.push_back(format("{} {}", what, si(*value, unit)));
    };
    add(record::work_of(step, 0).tensor, "FLOP", "tensor cores");
    add(record::dram_bytes(step, 0), "B", "DRAM");
    add(step.at(KernelFigure::l2_bytes, 0), "B", "L2");
    if (const auto busy = step.at(KernelFigure::sm_busy, 0)) {
      parts.push_back(format("multiprocessors busy {:.1f} %", 100.0 * *busy));
    }
    if (const auto occupancy = step.at(KernelFigure::occupancy, 0)) {
      parts.push_back(format("occupancy {:.1f} %", 100.0 * *occupancy));
    }
    add(step.at(KernelFigure::sm_clock_hz, 0), "Hz", "SM clock");
    if (!parts.empty()) {
      notes.push_back(format(
          "a whole step, its kernels concurrent: {}{}", join(parts, ", "),
          imported.totals.fp32_flops ? "" : "; CUDA cores can be counted kernel by kernel only"));
    }
  }
  if (std::string peaks = peaks_note(counting); !peaks.empty()) notes.push_back(std::move(peaks));
  if (!counting.sets.empty()) notes.push_back(counting_conventions());
}

}  // namespace

std::string device_of(const record::Record& record) {
  const std::string& name = record.environment.device.name;
  return name.empty() ? record.identity.device : name;
}

PageCard card_of(const ImportedCase& imported) {
  PageCard card;
  card.title = format("{} on {}", imported.title, device_of(imported.record));
  const analyze::KernelTotals totals = shown_totals(imported);
  const std::string kernels =
      format("{} kernels", with_thousands(static_cast<std::int64_t>(totals.kernels)));
  if (imported.trace) {
    const double step_s = imported.trace->ours.breakdown.mean.total_ns * 1e-9;
    const bool steps = imported.trace->ours.steps.marked;
    card.value = step_s > 0.0 ? format("{}{}", si(step_s, "s"), steps ? " a step" : "") : kernels;
    card.remark = kernels;
    for (const trace::DeviceUse& use : imported.trace->ours.devices) {
      if (use.utilization) {
        card.remark += format("; cuda:{} in use {:.1f} %", use.device, 100.0 * *use.utilization);
      }
    }
  } else {
    card.value = totals.time_s ? si(*totals.time_s, "s") : kernels;
    card.remark = kernels;
    if (const std::optional<double> step_s = median_step_s(imported)) {
      card.value = format("{} a step", si(*step_s, "s"));
      if (totals.time_s) card.remark += format(", {}", si(*totals.time_s, "s"));
    }
    if (totals.flops) card.remark += format("; {}", si(*totals.flops, "FLOP"));
    if (!totals.flops && totals.tensor_flops) {
      card.remark += format("; tensor cores {}", si(*totals.tensor_flops, "FLOP"));
    }
    if (totals.dram_bytes) card.remark += format("; DRAM {}", si(*totals.dram_bytes, "B"));
    if (!totals.flops) {
      card.tone = "warning";
      card.remark += "; not all work was collected";
    }
  }
  if (imported.check && !imported.check->passes()) {
    card.tone = "warning";
    card.remark += format("; {:.1f} % of the work missing", 100.0 * imported.check->missing_share);
  }
  return card;
}

Table import_totals_table(std::span<const ImportedCase> cases) {
  Table table;
  table.columns = {{"source", "file", Align::left}, {"device", "device", Align::left},
                   {"kernels", "kernels"},          {"time_s", "time"},
                   {"dram_bytes", "DRAM"},          {"fp64_flops", "FP64"},
                   {"fp32_flops", "FP32"},          {"fp16_flops", "FP16"},
                   {"tensor_flops", "tensor"},      {"flops", "FLOP"},
                   {"intensity", "FLOP/B"},         {"flops_per_s", "FLOP/s"},
                   {"bytes_per_s", "B/s"}};
  for (const ImportedCase& imported : cases) {
    const analyze::KernelTotals totals = shown_totals(imported);
    table.rows.push_back(
        {imported.source, device_of(imported.record),
         count_cell(static_cast<std::int64_t>(totals.kernels)),
         optional_si_cell(totals.time_s, "s"), optional_si_cell(totals.dram_bytes, "B"),
         optional_si_cell(totals.fp64_flops, ""), optional_si_cell(totals.fp32_flops, ""),
         optional_si_cell(totals.fp16_flops, ""), optional_si_cell(totals.tensor_flops, ""),
         optional_si_cell(totals.flops, ""), optional_number(totals.intensity),
         optional_si_cell(quotient(totals.flops, totals.time_s), "FLOP/s"),
         optional_si_cell(quotient(totals.dram_bytes, totals.time_s), "B/s")});
  }
  return table;
}

Table kernel_table(const ImportedCase& imported, std::size_t top) {
  Table table;
  const std::size_t all = imported.kernels.size();
  const std::size_t shown = top == 0 ? all : std::min(top, all);
  table.title = shown < all ? format("Kernels of {}: the {} that take longest of {}",
                                     imported.title, shown, all)
                            : format("Kernels of {}", imported.title);
  table.columns = {{"kernel", "kernel", Align::left},
                   {"launches", "launches"},
                   {"time_s", "time"},
                   {"time_share", "share"},
                   {"mean_s", "mean"},
                   {"shortest_s", "shortest", Align::right, true},
                   {"longest_s", "longest", Align::right, true},
                   {"dram_bytes", "DRAM"},
                   {"cuda_core_flops", "CUDA cores"},
                   {"tensor_flops", "tensor cores"},
                   {"flops", "FLOP"},
                   {"intensity", "FLOP/B"},
                   {"flops_per_s", "FLOP/s"},
                   {"bytes_per_s", "B/s"},
                   {"occupancy", "occupancy"}};
  for (std::size_t i = 0; i < shown; ++i) {
    const KernelGroup& group = imported.kernels[i];
    table.rows.push_back(
        {name_cell(group.name), count_cell(static_cast<std::int64_t>(group.launches)),
         si_cell(group.time_s, "s"), percent_cell(group.time_share),
         si_cell(group.time_s / static_cast<double>(group.launches), "s"),
         si_cell(group.shortest_s, "s"), si_cell(group.longest_s, "s"),
         optional_si_cell(group.dram_bytes, "B"), optional_si_cell(group.cuda_core_flops(), ""),
         optional_si_cell(group.tensor_flops, ""), optional_si_cell(group.flops, ""),
         optional_number(group.intensity()), optional_si_cell(group.flops_per_s(), "FLOP/s"),
         optional_si_cell(group.bytes_per_s(), "B/s"), optional_percent(group.occupancy)});
  }
  return table;
}

std::vector<std::string> import_warnings(const ImportedCase& imported) {
  std::vector<std::string> notes;
  if (imported.check) notes.push_back(check_sentence(imported));
  if (!imported.totals.not_collected.empty()) {
    notes.push_back(format("not collected{}: {}",
                           imported.record.counting ? " kernel by kernel" : "",
                           join(imported.totals.not_collected, ", ")));
  }
  for (const auto& [key, share] : imported.totals.coverage) {
    if (share < 1.0) {
      notes.push_back(format("{} is of {:.1f} % of the kernels", key, 100.0 * share));
    }
  }
  for (const std::string& warning : imported.record.warnings) notes.push_back(warning);
  for (const record::Loss& loss : imported.record.lost) {
    notes.push_back(format("lost or not used in full: {}: {}{}", loss.what, loss.count,
                           loss.first.empty() ? "" : format(", the first at {}", loss.first)));
  }
  return notes;
}

std::vector<std::string> import_notes(const ImportedCase& imported) {
  std::vector<std::string> notes;
  add_counting(imported, notes);
  std::ranges::move(import_warnings(imported), std::back_inserter(notes));
  return notes;
}

Document import_report(std::span<const ImportedCase> cases,
                       const std::optional<trace::TraceJob>& job, const ImportView& view) {
  Document document;
  document.title = "Imported";
  if (view.per == ImportRow::file) document.tables.push_back(import_totals_table(cases));
  if (view.per == ImportRow::file && job) {
    document.tables.push_back(job_table(*job, cases));
  }
  for (const ImportedCase& imported : cases) {
    if (view.per == ImportRow::launch && imported.record.kernels) {
      document.tables.push_back(launch_table(imported));
    } else if (view.per == ImportRow::file && imported.trace) {
      for (Table& table : trace_tables(imported, view.top)) {
        document.tables.push_back(std::move(table));
      }
    } else if (!imported.kernels.empty()) {
      document.tables.push_back(kernel_table(imported, view.top));
    }
    for (const std::string& note : import_notes(imported)) {
      document.notes.push_back(cases.size() == 1 ? note : format("{}: {}", imported.source, note));
    }
  }
  document.write_json = [cases, job](std::ostream& stream) {
    if (cases.size() == 1) {
      record::write_json(stream, cases.front().record, import_head_json(cases.front()));
      return;
    }
    stream << "{\n\"schema_version\": " << schema_version << ",\n\"command\": \"import\",\n";
    if (job) stream << "\"job\": " << to_json(*job).dump() << ",\n";
    stream << "\"imports\": [\n";
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (i > 0) stream << ",\n";
      record::write_json(stream, cases[i].record, import_head_json(cases[i]));
    }
    stream << "]\n}\n";
  };
  return document;
}

}  // namespace rooflab::report
