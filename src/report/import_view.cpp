#include <algorithm>
#include <cmath>
#include <iterator>
#include <ostream>
#include <string_view>
#include <utility>

#include "analyze/analyze_notes.hpp"
#include "analyze/counting_notes.hpp"
#include "counters/counters_notes.hpp"
#include "describe/fields.hpp"
#include "describe/schema.hpp"
#include "finding_part.hpp"
#include "groups_section.hpp"
#include "known_notes.hpp"
#include "modelled_section.hpp"
#include "page_head.hpp"
#include "page_parts.hpp"
#include "record/record_json.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/record/kernel_name.hpp"
#include "rooflab/report/views.hpp"
#include "row_table.hpp"
#include "samples_section.hpp"
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
FigureColumn with_bound(KernelFigure figure) {
  FigureColumn column{facts_of(figure).word};
  if (const auto part = record::collected_part_of(figure)) column.least = facts_of(*part).word;
  return column;
}

/// What every record is asked for.
void add_figures(std::vector<FigureColumn>& columns) {
  for (const KernelFigure figure : values_of<KernelFigure>) {
    if (facts_of(figure).shown == record::Shown::always) columns.push_back(with_bound(figure));
  }
}

/// Lower bounds, for CSV, which has them in columns of their own.
void add_bounds(std::vector<FigureColumn>& columns) {
  for (const KernelFigure figure : values_of<KernelFigure>) {
    if (const auto part = record::collected_part_of(figure)) {
      columns.push_back({facts_of(*part).word, Shown::csv});
    }
  }
  columns.push_back({"flop_is_bound", Shown::csv});
  columns.push_back({"flop_lacks", Shown::csv});
}

void add_roof_place(std::vector<FigureColumn>& columns) {
  columns.insert(columns.end(), {if_known("bound"), if_known("attainable_flop_per_s"),
                                 if_known("attainable_share")});
}

/// What some have.
void add_further_sums(std::vector<FigureColumn>& columns) {
  for (const KernelFigure figure : values_of<KernelFigure>) {
    const record::KernelFigureFacts& facts = facts_of(figure);
    if (facts.is_further_sum()) columns.push_back({facts.word, Shown::where_known});
  }
}

/// One row per launch, in the order of the file.
Table launch_table(const ImportedCase& imported) {
  std::vector<FigureColumn> columns = {{"process", Shown::csv},
                                       {"launch_id"},
                                       {"name", Shown::always, "kernel", true},
                                       {"device", Shown::csv},
                                       {"stream"},
                                       {"grid"},
                                       {"block"}};
  add_figures(columns);
  add_further_sums(columns);
  add_bounds(columns);
  const KernelTable& kernels = *imported.record.kernels;
  std::vector<Json> rows;
  for (std::size_t row = 0; row < kernels.size(); ++row) {
    const record::KernelEntry entry(kernels, row, imported.totals.tensor_cores);
    rows.push_back(to_json(entry.sums));
    rows.back().update(to_json(entry));
  }
  Table table = table_of(rows, columns);
  table.title = format("Launches of {}", imported.title);
  return table;
}

/// What stands before the record in JSON.
Json head_of(const ImportedCase& imported, Findings found) {
  Json head = with_head(file_kind_of(For<record::Record>{}), {{"command", "import"}});
  head.update(to_json(imported));
  head.update({{"findings", codec::encode(found)}});
  head.update({{"panes", codec::encode(imported.trace)}});
  return head;
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
    return format("check against {}: the log misses {:.1f} % of the work: {}{}", check.network,
                  100.0 * check.missing_share, figures, why);
  }
  return format(
      "check against {}: nothing is missing: {}, {:.1f} % more than the direct"
      " algorithms need (padding, split precision, index arithmetic)",
      check.network, figures, -100.0 * check.missing_share);
}

/// A row for each class of ops; below them the step with what the device waits.
Table check_table(const analyze::TraceCheck& check) {
  Table table = table_of(
      std::span<const analyze::ClassCheck>(check.classes),
      columns_of("op_class", titled("time_s", "kernels"), "limit_s", if_known("predicted_s")));
  table.title = format("A step beside {}", check.network);
  double kernels_s = 0.0;
  for (const analyze::ClassCheck& each : check.classes) kernels_s += each.time_s;
  table.totals = {{"kernels", si_cell(kernels_s, "s"), dash(), dash()},
                  {"step", si_cell(check.step_s, "s"), optional_si_cell(check.limit_s, "s"),
                   optional_si_cell(check.predicted_s, "s")}};
  return table;
}

/// What the times of a trace are beside.
std::string misfit_sentence(const analyze::Misfit& misfit, const analyze::TraceCheck& check) {
  using Reason = analyze::Misfit::Reason;
  constexpr std::string_view verdict =
      "this is not that network, or not in that batch, phase and precision";
  switch (misfit.reason) {
    case Reason::below_limit:
      return format("the step of {} is below its limit of {}: {}", si(check.step_s, "s"),
                    si(*check.limit_s, "s"), verdict);
    case Reason::below_interval:
      return format("the step of {} is far below the predicted interval of {} to {}: {}",
                    si(check.step_s, "s"), si(*check.predicted_low_s, "s"),
                    si(*check.predicted_high_s, "s"), verdict);
    case Reason::kernels_alone:
      return format("kernels of the class {} run, which the network lacks: {}",
                    name_of(misfit.work_class), verdict);
    case Reason::network_alone:
      return format("no kernel of the class {} runs, which takes time in the network: {}",
                    name_of(misfit.work_class), verdict);
  }
  return std::string(verdict);
}

std::string time_check_sentence(const analyze::TraceCheck& check) {
  std::string text = format("check against {}: {:.1f} % of kernel time is in ops of a known class",
                            check.network, 100.0 * check.kernel_share);
  if (const auto misfit = check.misfit()) return text + "; " + misfit_sentence(*misfit, check);
  if (check.predicted_low_s && !check.assumes) {
    const bool inside =
        check.step_s >= *check.predicted_low_s && check.step_s <= *check.predicted_high_s;
    text += format("; the step of {} is {} the predicted interval of {} to {}",
                   si(check.step_s, "s"), inside ? "within" : "outside",
                   si(*check.predicted_low_s, "s"), si(*check.predicted_high_s, "s"));
  }
  return text;
}

/// What the times and sums are of: `a step`, `the backward pass of a step`.
std::string measured_part(const record::Counting& counting) {
  if (!counting.window) return "a step";
  const bool both = *counting.window == record::StepPart::both;
  return format("the {} pass of a step", both ? "forward and backward" : name_of(*counting.window));
}

/// What the chip does at most, and how a step was counted.
void add_counting(const ImportedCase& imported, Remarks& notes) {
  if (!imported.record.counting) return;
  const record::Counting& counting = *imported.record.counting;
  std::ranges::move(remarks_of(analyze::counting_notes(counting)), std::back_inserter(notes));
  if (imported.step_s) {
    notes.push_back(format("{} takes {} without counters, the median of {} rounds; {} launches",
                           measured_part(counting), si(*imported.step_s, "s"),
                           counting.steps_s.size(), counting.launches_per_step));
  }
  if (const auto step = imported.step ? analyze::step_note(*imported.step) : std::nullopt) {
    notes.push_back(step->text() + (imported.totals.at(fp32_flops)
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
  if (!counting.sets.empty()) notes.push_back(Note{analyze::says.counting_conventions}.text());
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
Json totals_row(const ImportedCase& imported) {
  Json row = to_json(imported.shown_totals());
  row.update(to_json(imported));
  row.update({{"device", device_of(imported.record)}, {"model", imported.record.identity.model}});
  if (!has_steps(imported)) return row;
  const trace::StepTables& work = imported.trace->step_tables;
  const auto steps = static_cast<double>(work.steps);
  std::int64_t launches = 0;
  for (const trace::KernelRow& kernel : work.kernels.rows) launches += kernel.calls;
  row.update({{"step_count", work.steps},
              {"step_s", imported.trace->ours.breakdown.mean.total_ns * seconds_per_ns},
              {"launches", static_cast<double>(launches) / steps},
              {"time_s", static_cast<double>(work.kernels.total_ns) * seconds_per_ns / steps}});
  return row;
}

}  // namespace

Table import_totals_table(std::span<const ImportedCase> cases, bool models) {
  std::vector<FigureColumn> columns = {{"source", Shown::always, "file"}, {"device"}};
  if (models) columns.insert(columns.begin(), {"model"});
  if (std::ranges::any_of(cases, has_steps)) {
    columns.insert(columns.end(), {{"step_count", Shown::always, "mean of steps"}, {"step_s"}});
  }
  columns.push_back({"launches"});
  add_figures(columns);
  columns.insert(columns.end(), {with_bound(flops_per_s), {"dram_bytes_per_s"}});
  add_roof_place(columns);
  add_further_sums(columns);
  add_bounds(columns);
  // What no file has is left for CSV.
  for (FigureColumn& column : std::span(columns).subspan(models ? 3 : 2)) {
    if (column.shown == Shown::always) column.shown = Shown::known;
  }
  std::vector<Json> rows;
  for (const ImportedCase& imported : cases) rows.push_back(totals_row(imported));
  return table_of(rows, columns);
}

Table kernel_table(const ImportedCase& imported, std::size_t top) {
  const std::size_t all = imported.kernels.size();
  const std::size_t shown = top == 0 ? all : std::min(top, all);
  Table table = table_of(
      std::span(imported.kernels).first(shown),
      columns_of(cut(titled("name", "kernel")), "launches", "time_s", in_bars("time_share"),
                 "mean_s", in_csv("shortest_s"), in_csv("longest_s"), "dram_bytes",
                 "cuda_core_flop", titled("tensor_flop", "tensor cores"),
                 bounded("flop", "collected_flop"),
                 bounded("intensity_flop_per_byte", "collected_intensity_flop_per_byte"),
                 bounded("flop_per_s", "collected_flop_per_s"), "dram_bytes_per_s",
                 if_known("bound"), if_known("attainable_share"), in_csv("attainable_flop_per_s"),
                 if_known("occupancy_share"), where_known("l2_bytes"), if_known("pcie_bytes")));
  shorten_kernel_names(table);
  table.title =
      format("Kernels of {}{}", imported.title, imported.trace ? ", the whole trace" : "");
  if (shown < all) table.title += format(": the {} that take longest of {}", shown, all);
  return table;
}

namespace {

/// What was not collected, but for work that nothing can do and figures that a lower bound stands
/// for.
std::vector<std::string> missing_parts(const ImportedCase& imported) {
  const auto not_wanted = [](const Note& note) {
    return note.code == counters::says.counters_not_wanted;
  };
  if (std::ranges::any_of(imported.record.warnings, not_wanted)) return {};
  std::vector<std::string> missing = imported.totals.not_collected();
  if (!imported.totals.tensor_cores) std::erase(missing, name_of(tensor_flops));
  if (imported.totals.flop_is_bound()) {
    std::erase_if(missing, [&](const std::string& key) {
      const auto figure = from_name<KernelFigure>(key);
      const auto part = figure ? record::collected_part_of(*figure) : std::nullopt;
      return part && imported.totals.at(*part);
    });
  }
  return missing;
}

/// What the FLOPs are a lower bound of; empty where they are all.
std::string bound_sentence(const KernelSums& totals) {
  if (!totals.flop_is_bound() || totals.at(flops)) return {};
  std::vector<std::string> parts;
  for (const std::string& key : totals.flop_lacks()) {
    const Figure& figure = facts_of(*from_name<KernelFigure>(key)).word.figure();
    parts.emplace_back(key == name_of(tensor_flops) ? "tensor cores" : figure.title);
  }
  return format(">= marks a lower bound: FLOPs of {} were not counted in full", join(parts, ", "));
}

}  // namespace

Remarks import_warnings(const ImportedCase& imported) {
  Remarks notes;
  if (imported.check) notes.push_back(answers(check_sentence(imported)));
  if (imported.time_check) notes.push_back(answers(time_check_sentence(*imported.time_check)));
  const auto missing = imported.sampled ? std::vector<std::string>() : missing_parts(imported);
  if (!missing.empty()) {
    notes.push_back(
        {format("not collected{}: {}", imported.record.counting ? " kernel by kernel" : "",
                join(missing, ", ")),
         NoteRank::changes});
  }
  if (std::string sentence = bound_sentence(imported.totals); !sentence.empty()) {
    notes.push_back({std::move(sentence), NoteRank::changes});
  }
  for (const auto& [key, share] : imported.totals.coverage()) {
    if (share < 1.0) {
      notes.push_back(
          {format("{} is of {:.1f} % of the kernels", key, 100.0 * share), NoteRank::changes});
    }
  }
  for (const Note& warning : imported.record.warnings) notes.emplace_back(warning);
  for (const record::Loss& loss : imported.record.lost) {
    notes.push_back({format("lost or not used in full: {}: {}{}", loss.what, loss.count,
                            loss.first.empty() ? "" : format(", the first at {}", loss.first)),
                     NoteRank::changes});
  }
  return notes;
}

Remarks import_notes(const ImportedCase& imported) {
  Remarks notes;
  add_counting(imported, notes);
  std::ranges::move(modelled_notes(imported), std::back_inserter(notes));
  std::ranges::move(groups_notes(imported), std::back_inserter(notes));
  std::ranges::move(import_warnings(imported), std::back_inserter(notes));
  return notes;
}

std::vector<CommandBlock> import_commands(const ImportedCase& imported) {
  std::vector<CommandBlock> commands;
  for (const Note& warning : imported.record.warnings) {
    if (std::string command = command_of(warning); !command.empty()) {
      commands.push_back({"collects what is missing", std::move(command)});
    }
  }
  return commands;
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
void add_head(Document& document, std::span<const ImportedCase> cases) {
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

}  // namespace

Document import_view(std::span<const ImportedCase> cases, const std::optional<trace::TraceJob>& job,
                     const ImportView& view, const findings::ImportedFindings& found) {
  Document document;
  document.title = "Imported";
  add_head(document, cases);
  show_findings(document, found.all, cases.size() > 1);
  const bool sampled_only =
      std::ranges::all_of(cases, [](const ImportedCase& each) { return each.sampled.has_value(); });
  if (view.per == ImportRow::file) {
    if (!sampled_only) document.tables.push_back(import_totals_table(cases, view.models));
    add_filled(document.tables, samples_table(cases));
  }
  if (view.per == ImportRow::file && job) {
    document.tables.push_back(job_table(*job, cases));
  }
  for (const ImportedCase& imported : cases) {
    if (imported.time_check && view.per == ImportRow::file) {
      document.tables.push_back(check_table(*imported.time_check));
    }
    if (view.per == ImportRow::file) {
      add_filled(document.tables, groups_table(imported, view.top));
    }
    if (view.per == ImportRow::launch && imported.record.kernels) {
      document.tables.push_back(launch_table(imported));
    } else if (view.per == ImportRow::file && imported.trace) {
      for (Table& table : trace_tables(imported, view.top, view.plugin)) {
        document.tables.push_back(std::move(table));
      }
    } else if (!imported.kernels.empty()) {
      document.tables.push_back(kernel_table(imported, view.top));
    }
    if (view.per == ImportRow::file) add_filled(document.tables, collectives_table(imported));
    if (imported.modelled && view.per == ImportRow::file) {
      document.tables.push_back(modelled_table(imported, view.top));
    }
    for (Remark& note : import_notes(imported)) {
      if (cases.size() > 1) note.text = format("{}: {}", imported.source, note.text);
      document.notes.push_back(std::move(note));
    }
    for (const CommandBlock& command : import_commands(imported)) {
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
  document.write_json = [cases, job, of_each = std::span(found.of_each)](std::ostream& stream) {
    const auto write = [&](std::size_t i) {
      const Findings own = i < of_each.size() ? Findings(of_each[i]) : Findings();
      record::write_json(stream, cases[i].record, head_of(cases[i], own));
    };
    if (cases.size() == 1) return write(0);
    Json head = command_json("import", Json::object());
    if (job) head.update({{"job", to_json(*job)}});
    std::string text = head.dump();
    text.back() = ',';  // the records come last
    stream << text << "\n\"imports\": [\n";
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (i > 0) stream << ",\n";
      write(i);
    }
    stream << "]\n}\n";
  };
  return document;
}

}  // namespace rooflab::report
