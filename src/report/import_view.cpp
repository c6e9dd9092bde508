#include <algorithm>
#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "groups_section.hpp"
#include "modelled_section.hpp"
#include "page/joined_row.hpp"
#include "page/row_table.hpp"
#include "page_head.hpp"
#include "page_parts.hpp"
#include "record/record_json.hpp"
#include "rooflab/record/kernel_name.hpp"
#include "rooflab/report/views.hpp"
#include "samples_section.hpp"
#include "shown_findings.hpp"
#include "step_strips.hpp"
#include "trace_tables.hpp"

namespace rooflab::report {
namespace {

using analyze::ImportedCase;
using record::KernelFigure;
using record::KernelSums;
using record::KernelTable;
using enum record::KernelFigure;

/// A figure, or what was collected of it.
page::FigureColumn with_bound(KernelFigure figure) {
  page::FigureColumn column{facts_of(figure).word};
  if (const auto part = record::collected_part_of(figure)) column.least = facts_of(*part).word;
  return column;
}

/// What every record is asked for.
void add_figures(std::vector<page::FigureColumn>& columns) {
  for (const KernelFigure figure : values_of<KernelFigure>) {
    if (facts_of(figure).shown == record::Shown::always) columns.push_back(with_bound(figure));
  }
}

/// Lower bounds, for CSV, which has them in separate columns.
void add_bounds(std::vector<page::FigureColumn>& columns) {
  for (const KernelFigure figure : values_of<KernelFigure>) {
    if (const auto part = record::collected_part_of(figure)) {
      columns.push_back({facts_of(*part).word, page::Shown::csv});
    }
  }
  columns.push_back({"flop_is_bound", page::Shown::csv});
  columns.push_back({"flop_lacks", page::Shown::csv});
}

void add_roof_place(std::vector<page::FigureColumn>& columns) {
  columns.insert(columns.end(), {page::if_known("bound"), page::if_known("attainable_flop_per_s"),
                                 page::if_known("attainable_share")});
}

/// What some have.
void add_further_sums(std::vector<page::FigureColumn>& columns) {
  for (const KernelFigure figure : values_of<KernelFigure>) {
    const record::KernelFigureFacts& facts = facts_of(figure);
    if (facts.is_further_sum()) columns.push_back({facts.word, page::Shown::where_known});
  }
}

/// One row per launch, in the order of the file.
page::Table launch_table(const ImportedCase& imported) {
  std::vector<page::FigureColumn> columns = {{"process", page::Shown::csv},
                                             {"launch_id"},
                                             {"name", page::Shown::always, "kernel", true},
                                             {"device", page::Shown::csv},
                                             {"stream"},
                                             {"grid"},
                                             {"block"}};
  add_figures(columns);
  add_further_sums(columns);
  add_bounds(columns);
  const KernelTable& kernels = *imported.record.kernels;
  std::vector<page::JoinedRow> rows(kernels.size());
  for (std::size_t row = 0; row < kernels.size(); ++row) {
    const record::KernelEntry entry(kernels, row, imported.totals.tensor_cores);
    rows[row].keeping(entry).keeping(entry.sums);
  }
  page::Table table = page::table_of(rows, columns);
  table.title = format("Launches of {}", imported.title);
  return table;
}

/// A row for each class of ops; below them the step with what the device waits.
page::Table check_table(const analyze::TraceCheck& check) {
  page::Table table = page::table_of(std::span<const analyze::ClassCheck>(check.classes),
                                     page::columns_of("op_class", page::titled("time_s", "kernels"),
                                                      "limit_s", page::if_known("predicted_s")));
  table.title = format("A step against {}", check.network);
  double kernels_s = 0.0;
  for (const analyze::ClassCheck& each : check.classes) kernels_s += each.time_s;
  table.totals = {
      {"kernels", page::si_cell(kernels_s, "s"), page::dash(), page::dash()},
      {"step", page::si_cell(check.step_s, "s"), page::optional_si_cell(check.limit_s, "s"),
       page::optional_si_cell(check.predicted_s, "s")}};
  return table;
}

}  // namespace

std::string device_of(const record::Record& record) {
  const std::string& name = record.environment.device.name;
  return name.empty() ? record.identity.device : name;
}

namespace {

bool has_steps(const ImportedCase& imported) {
  return imported.trace && imported.trace->ours.steps.marked;
}

/// A trace with steps counts as its mean step, as in its other tables.
page::JoinedRow totals_row(const ImportedCase& imported) {
  page::JoinedRow row;
  row.own("device", device_of(imported.record)).own("model", imported.record.identity.model);
  row.keeping(imported.roof_place()).of(imported).keeping(imported.shown_totals());
  if (!has_steps(imported)) return row;
  const trace::StepTables& work = imported.trace->step_tables;
  const auto steps = static_cast<double>(work.steps);
  std::int64_t launches = 0;
  for (const trace::KernelRow& kernel : work.kernels.rows) launches += kernel.calls;
  row.own("step_count", work.steps)
      .own("step_s", imported.trace->ours.breakdown.mean.total_ns * seconds_per_ns)
      .own("launches", static_cast<double>(launches) / steps)
      .own("time_s", static_cast<double>(work.kernels.total_ns) * seconds_per_ns / steps);
  return row;
}

}  // namespace

page::Table import_totals_table(std::span<const ImportedCase> cases, bool models) {
  std::vector<page::FigureColumn> columns = {{"source", page::Shown::always, "file"}, {"device"}};
  if (models) columns.insert(columns.begin(), {"model"});
  if (std::ranges::any_of(cases, has_steps)) {
    columns.insert(columns.end(),
                   {{"step_count", page::Shown::always, "mean of steps"}, {"step_s"}});
  }
  columns.push_back({"launches"});
  add_figures(columns);
  columns.insert(columns.end(), {with_bound(flops_per_s), {"dram_bytes_per_s"}});
  add_roof_place(columns);
  add_further_sums(columns);
  add_bounds(columns);
  // What no file has is left for CSV.
  for (page::FigureColumn& column : std::span(columns).subspan(models ? 3 : 2)) {
    if (column.shown == page::Shown::always) column.shown = page::Shown::known;
  }
  std::vector<page::JoinedRow> rows;
  for (const ImportedCase& imported : cases) rows.push_back(totals_row(imported));
  return page::table_of(rows, columns);
}

page::Table kernel_table(const ImportedCase& imported, std::size_t top) {
  const std::size_t all = imported.kernels.size();
  const std::size_t shown = top == 0 ? all : std::min(top, all);
  page::Table table = page::table_of(
      std::span(imported.kernels).first(shown),
      page::columns_of(
          page::cut(page::titled("name", "kernel")), "launches", "time_s",
          page::in_bars("time_share"), "mean_s", page::in_csv("shortest_s"),
          page::in_csv("longest_s"), "dram_bytes", "cuda_core_flop",
          page::titled("tensor_flop", "tensor cores"), page::bounded("flop", "collected_flop"),
          page::bounded("intensity_flop_per_byte", "collected_intensity_flop_per_byte"),
          page::bounded("flop_per_s", "collected_flop_per_s"), "dram_bytes_per_s",
          page::if_known("bound"), page::if_known("attainable_share"),
          page::in_csv("attainable_flop_per_s"), page::if_known("occupancy_share"),
          page::where_known("l2_bytes"), page::if_known("pcie_bytes")));
  shorten_kernel_names(table);
  table.title =
      format("Kernels of {}{}", imported.title, imported.trace ? ", the whole trace" : "");
  if (shown < all) table.title += format(": the {} that take longest of {}", shown, all);
  return table;
}

namespace {

std::string launches_of(const KernelSums& sums) {
  return sums.launches == 1
             ? "1 launch"
             : format("{} launches", with_thousands(static_cast<std::int64_t>(sums.launches)));
}

/// `292 launches of 44 kernels take 1.744 ms; 12.9 % of it is in nchwToNhwcKernel<float>.` Empty
/// without times.
std::string kernel_sentence(const ImportedCase& imported) {
  const std::optional<double> time_s = imported.totals.known(KernelFigure::time_s);
  if (!time_s || imported.kernels.empty() || !imported.kernels.front().time_s) return {};
  const analyze::KernelGroup& longest = imported.kernels.front();
  return format("{} of {} kernels take {}; {:.1f} % of it is in {}.", launches_of(imported.totals),
                imported.kernels.size(), si(*time_s, "s"), 100.0 * *longest.time_s / *time_s,
                record::short_kernel_name(longest.name));
}

/// Title, answer and plot of what was recorded; of logs without steps their kernels in a sentence.
void add_head(page::Document& document, std::span<const ImportedCase> cases) {
  constexpr std::size_t most_told = 3;
  std::vector<HeadCase> heads;
  for (const ImportedCase& imported : cases) heads.push_back(head_case(imported));
  show_head(document, heads);
  for (std::size_t i = 0; i < cases.size() && i < most_told; ++i) {
    if (heads[i].measured_s) continue;
    std::string sentence =
        cases[i].sampled ? samples_sentence(cases[i]) : kernel_sentence(cases[i]);
    if (sentence.empty()) continue;
    if (cases.size() > 1) sentence = format("{}: {}", cases[i].title, sentence);
    document.answer.push_back(std::move(sentence));
  }
}

/// The tables of one file.
void add_tables(std::vector<page::Table>& tables, const ImportedCase& imported,
                const ImportView& view) {
  if (imported.time_check && view.per == ImportRow::file) {
    tables.push_back(check_table(*imported.time_check));
  }
  if (view.per == ImportRow::file) {
    page::add_filled(tables, groups_table(imported, view.top));
  }
  if (view.per == ImportRow::launch && imported.record.kernels) {
    tables.push_back(launch_table(imported));
  } else if (view.per == ImportRow::file && imported.trace) {
    for (page::Table& table : trace_tables(imported, view.top, view.plugin)) {
      tables.push_back(std::move(table));
    }
  } else if (!imported.kernels.empty()) {
    tables.push_back(kernel_table(imported, view.top));
  }
  if (view.per == ImportRow::file) page::add_filled(tables, collectives_table(imported));
  if (imported.modelled && view.per == ImportRow::file) {
    tables.push_back(modelled_table(imported, view.top));
  }
}

}  // namespace

page::Document import_view(std::span<const ImportedCase> cases,
                           const std::optional<trace::TraceJob>& job, const ImportView& view,
                           Findings found) {
  page::Document document;
  document.title = "Imported";
  add_head(document, cases);
  show_findings(document, found, cases.size() > 1);
  const bool sampled_only =
      std::ranges::all_of(cases, [](const ImportedCase& each) { return each.sampled.has_value(); });
  if (view.per == ImportRow::file) {
    if (!sampled_only) document.tables.push_back(import_totals_table(cases, view.models));
    page::add_filled(document.tables, samples_table(cases));
  }
  if (view.per == ImportRow::file && job) {
    document.tables.push_back(job_table(*job, cases));
  }
  for (const ImportedCase& imported : cases) {
    add_tables(document.tables, imported, view);
    for (page::Remark& note : import_remarks(imported)) {
      if (cases.size() > 1) note.text = format("{}: {}", imported.source, note.text);
      document.notes.push_back(std::move(note));
    }
    for (const page::CommandBlock& command : import_commands(imported)) {
      if (std::ranges::find(document.commands, command) == document.commands.end()) {
        document.commands.push_back(command);
      }
    }
  }
  if (view.charts) {
    document.sections.push_back(samples_section(cases));
    document.sections.push_back(strip_section(cases));
    document.sections.push_back(roofline_section({}, {}, cases));
  }
  return document;
}

}  // namespace rooflab::report
