#include "rooflab/report/import_report.hpp"

#include <algorithm>
#include <iterator>
#include <ostream>
#include <string_view>
#include <utility>

#include "cells.hpp"
#include "counted_section.hpp"
#include "import_json.hpp"
#include "page_parts.hpp"
#include "rooflab/base/fields.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/record/record_json.hpp"
#include "sum_table.hpp"
#include "trace_tables.hpp"

namespace rooflab::report {
namespace {

using analyze::ImportedCase;
using analyze::KernelGroup;
using record::KernelFigure;
using record::KernelSums;
using record::KernelTable;
using enum record::KernelFigure;

Cell extent_cell(const record::Extent& extent) {
  if (extent == record::Extent{}) return dash();
  return {format("{}x{}x{}", extent[0], extent[1], extent[2])};
}

struct LaunchRow {
  std::string_view process;
  record::KernelLaunch launch;
  const std::string* kernel = nullptr;
  KernelSums sums;
};

/// One row a launch, in the order of the file.
Table launch_table(const ImportedCase& imported) {
  const KernelTable& kernels = *imported.record.kernels;
  std::vector<LaunchRow> rows;
  for (std::size_t row = 0; row < kernels.size(); ++row) {
    rows.push_back({kernels.process(row), kernels.launch(row), &kernels.name(row),
                    KernelSums{.tensor_cores = imported.totals.tensor_cores}});
    rows.back().sums.add(kernels, row);
  }
  SumTable<LaunchRow> table;
  table.column({"process", "process", Align::left, true},
               [](const LaunchRow& row) { return Cell(std::string(row.process)); });
  table.column({"launch", "launch"},
               [](const LaunchRow& row) { return Cell(std::to_string(row.launch.launch)); });
  table.column({"kernel", "kernel", Align::left},
               [](const LaunchRow& row) { return name_cell(*row.kernel); });
  table.column({"device", "device", Align::right, true},
               [](const LaunchRow& row) { return Cell(std::to_string(row.launch.device)); });
  table.column({"stream", "stream"},
               [](const LaunchRow& row) { return Cell(std::to_string(row.launch.stream)); });
  table.column({"grid", "grid"}, [](const LaunchRow& row) { return extent_cell(row.launch.grid); });
  table.column({"block", "block"},
               [](const LaunchRow& row) { return extent_cell(row.launch.block); });
  table.figures({fp64_flops, fp16_flops});
  table.collected(rows, true);
  return table.table(format("Launches of {}", imported.title), rows);
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

/// What the chip does at most, and how a step was counted.
void add_counting(const ImportedCase& imported, std::vector<std::string>& notes) {
  if (!imported.record.counting) return;
  const record::Counting& counting = *imported.record.counting;
  notes.push_back(counting_note(counting));
  if (imported.step_s) {
    notes.push_back(format("a step takes {} without counters, the median of {} rounds; {} launches",
                           si(*imported.step_s, "s"), counting.steps_s.size(),
                           counting.launches_per_step));
  }
  const std::string step = imported.step ? step_note(*imported.step) : std::string();
  if (!step.empty()) {
    notes.push_back(step + (imported.totals.at(fp32_flops)
                                ? ""
                                : "; CUDA cores can be counted kernel by kernel only"));
  }
  std::vector<std::string> peaks;
  for (const analyze::ChipPeak& peak : imported.peaks) {
    peaks.push_back(format("{} {}", peak.what, si(peak.flops_per_s, "FLOP/s")));
  }
  if (!peaks.empty()) {
    notes.push_back(format("the chip at most, at this clock: {}", join(peaks, ", ")));
  }
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
  const KernelSums totals = imported.shown_totals();
  const std::string kernels =
      format("{} kernels", with_thousands(static_cast<std::int64_t>(totals.launches)));
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
    const std::optional<double> time = totals.at(time_s);
    card.value = time ? si(*time, "s") : kernels;
    card.remark = kernels;
    if (imported.step_s) {
      card.value = format("{} a step", si(*imported.step_s, "s"));
      if (time) card.remark += format(", {}", si(*time, "s"));
    }
    const std::optional<double> work = totals.at(flops);
    if (work) card.remark += format("; {}", si(*work, "FLOP"));
    if (const auto tensor = totals.at(tensor_flops); tensor && !work) {
      card.remark += format("; tensor cores {}", si(*tensor, "FLOP"));
    }
    if (const auto bytes = totals.at(dram_bytes)) {
      card.remark += format("; DRAM {}", si(*bytes, "B"));
    }
    if (!work) {
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
  struct FileRow {
    const ImportedCase* file;
    KernelSums sums;
  };
  std::vector<FileRow> rows;
  for (const ImportedCase& imported : cases) rows.push_back({&imported, imported.shown_totals()});
  SumTable<FileRow> table;
  table.column({"source", "file", Align::left},
               [](const FileRow& row) { return Cell(row.file->source); });
  table.column({"device", "device", Align::left},
               [](const FileRow& row) { return Cell(device_of(row.file->record)); });
  table.launches("kernels");
  table.figures();
  table.figure(flops_per_s);
  table.figure(bytes_per_s);
  table.collected(rows, true);
  return table.table("", rows);
}

Table kernel_table(const ImportedCase& imported, std::size_t top) {
  const std::size_t all = imported.kernels.size();
  const std::size_t shown = top == 0 ? all : std::min(top, all);
  const auto seconds = [](double value) { return si_cell(value, "s"); };
  SumTable<KernelGroup> table;
  table.column({"kernel", "kernel", Align::left},
               [](const KernelGroup& group) { return name_cell(group.name); });
  table.launches("launches");
  table.column({"time_s", "time"}, [=](const KernelGroup& group) { return seconds(group.time_s); });
  table.column({"time_share", "share"},
               [](const KernelGroup& group) { return percent_cell(group.time_share); });
  table.column({"mean_s", "mean"},
               [=](const KernelGroup& group) { return seconds(group.mean_s()); });
  table.column({"shortest_s", "shortest", Align::right, true},
               [=](const KernelGroup& group) { return seconds(group.sums.shortest_s); });
  table.column({"longest_s", "longest", Align::right, true},
               [=](const KernelGroup& group) { return seconds(group.sums.longest_s); });
  table.figure(dram_bytes);
  table.figure(cuda_core_flops);
  table.figure(tensor_flops).title = "tensor cores";
  table.figure(flops);
  for (const KernelFigure ratio : {intensity, flops_per_s, bytes_per_s}) table.figure(ratio);
  table.figure(occupancy);
  table.collected(imported.kernels, true);
  return table.table(shown < all ? format("Kernels of {}: the {} that take longest of {}",
                                          imported.title, shown, all)
                                 : format("Kernels of {}", imported.title),
                     std::span(imported.kernels).first(shown));
}

std::vector<std::string> import_warnings(const ImportedCase& imported) {
  std::vector<std::string> notes;
  if (imported.check) notes.push_back(check_sentence(imported));
  if (const auto missing = imported.totals.not_collected(); !missing.empty()) {
    notes.push_back(format("not collected{}: {}",
                           imported.record.counting ? " kernel by kernel" : "",
                           join(missing, ", ")));
  }
  for (const auto& [key, share] : imported.totals.coverage()) {
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
