#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "analyze/counting_notes.hpp"
#include "base/format.hpp"
#include "groups_section.hpp"
#include "modelled_section.hpp"
#include "notes/analyze_notes.hpp"
#include "notes/counters_notes.hpp"
#include "notes/known_notes.hpp"
#include "rooflab/record/kernel_sums.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {
namespace {

using analyze::ImportedCase;
using record::KernelFigure;
using record::KernelSums;
using enum record::KernelFigure;

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

/// Why the times of a trace do not fit the network.
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
void add_counting(const ImportedCase& imported, page::Remarks& notes) {
  if (!imported.record.counting) return;
  const record::Counting& counting = *imported.record.counting;
  std::ranges::move(page::remarks_of(analyze::counting_notes(counting)), std::back_inserter(notes));
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

/// What was not collected, but for work that nothing can do and figures with a lower bound.
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

page::Remarks import_warnings(const ImportedCase& imported) {
  page::Remarks notes;
  if (imported.check) notes.push_back(page::answers(check_sentence(imported)));
  if (imported.time_check)
    notes.push_back(page::answers(time_check_sentence(*imported.time_check)));
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

page::Remarks import_remarks(const ImportedCase& imported) {
  page::Remarks notes;
  add_counting(imported, notes);
  std::ranges::move(modelled_notes(imported), std::back_inserter(notes));
  std::ranges::move(groups_notes(imported), std::back_inserter(notes));
  std::ranges::move(import_warnings(imported), std::back_inserter(notes));
  return notes;
}

std::vector<page::CommandBlock> import_commands(const ImportedCase& imported) {
  std::vector<page::CommandBlock> commands;
  for (const Note& warning : imported.record.warnings) {
    if (std::string command = notes::command_of(warning); !command.empty()) {
      commands.push_back({"collects what is missing", std::move(command)});
    }
  }
  return commands;
}

}  // namespace rooflab::report
