#include "rooflab/report/training_report.hpp"

#include <algorithm>
#include <set>

#include "case_columns.hpp"
#include "cells.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/record/sample_summary.hpp"
#include "training_json.hpp"

namespace rooflab::report {
namespace {

using record::EpochResult;
using record::SampleSummary;
using record::TrainingRun;
using training::AccuracyMilestone;
using training::RunFigure;
using training::TrainingComparison;
using training::TrainingGroup;
using training::TrainingSummary;

std::optional<double> final_accuracy(const TrainingRun& run) {
  for (auto epoch = run.epochs.rbegin(); epoch != run.epochs.rend(); ++epoch) {
    if (epoch->validated) return epoch->accuracy;
  }
  return std::nullopt;
}

std::optional<double> best_accuracy(const TrainingRun& run) {
  std::optional<double> best;
  for (const EpochResult& epoch : run.epochs) {
    if (epoch.validated) best = std::max(best.value_or(0.0), epoch.accuracy);
  }
  return best;
}

/// Of the device that trained; empty without samples.
SampleSummary device_summary(const TrainingRun& run) {
  for (const record::SampleSeries& series : run.samples) {
    if (series.device == run.identity.device && series.device != "cpu") {
      return record::summarize(series);
    }
  }
  return {};
}

/// How the run ended: `reached`, `not reached`, `ok` without a target, else its status.
std::string outcome_of(const TrainingRun& run) {
  if (run.status != record::Status::ok) return std::string(name_of(run.status));
  if (!training::is_complete(run)) return "stopped early";
  if (!run.target_accuracy) return "ok";
  return run.reached_s ? "reached" : "not reached";
}

Table run_table(const TrainingSummary& summary) {
  Table table;
  table.columns = {{"run", "run", Align::left}, {"group", "group"}};
  table.columns.back().only_in_csv = summary.groups.size() < 2;
  std::vector<std::size_t> groups(summary.runs.size());
  for (std::size_t i = 0; i < summary.groups.size(); ++i) {
    for (const std::size_t place : summary.groups[i].runs) groups[place] = i + 1;
  }
  for (Column& column : case_columns({{"seed", "seed"},
                                      {"epochs", "epochs"},
                                      {"accuracy", "accuracy"},
                                      {"best_accuracy", "best"},
                                      {"target_accuracy", "target"},
                                      {"time_to_target_s", "to target"},
                                      {"elapsed_s", "time"},
                                      {"images_per_s", "images/s"},
                                      {"mean_core_utilization", "core"},
                                      {"mean_memory_utilization", "memory"},
                                      {"status", "status", Align::left}})) {
    table.columns.push_back(std::move(column));
  }
  for (std::size_t i = 0; i < summary.runs.size(); ++i) {
    const TrainingRun& run = summary.runs[i];
    const SampleSummary device = device_summary(run);
    const auto elapsed =
        run.epochs.empty() ? std::nullopt : std::optional(run.epochs.back().elapsed_s);
    table.rows.push_back(
        {summary.names[i], Cell(std::to_string(groups[i])), run.identity.model,
         training::device_name(run), Cell(std::to_string(run.identity.batch)),
         std::string(name_of(run.identity.phase)), std::string(name_of(run.identity.precision)),
         Cell(std::to_string(run.seed)), count_cell(static_cast<std::int64_t>(run.epochs.size())),
         accuracy_cell(final_accuracy(run)), accuracy_cell(best_accuracy(run)),
         accuracy_cell(run.target_accuracy), optional_si_cell(run.reached_s, "s"),
         optional_si_cell(elapsed, "s"), plain_number_cell(training::images_per_s(run)),
         optional_percent(record::mean_of(device.core_utilization)),
         optional_percent(record::mean_of(device.memory_utilization)), outcome_of(run)});
  }
  move_constants_to_title(table);
  hide_without_figures(table, {"target_accuracy", "time_to_target_s", "mean_core_utilization",
                               "mean_memory_utilization"});
  return table;
}

/// In which unit a figure of a group is shown.
enum class FigureUnit : std::uint8_t { seconds, percent, number };

std::string value_text(double value, FigureUnit unit) {
  switch (unit) {
    case FigureUnit::seconds:
      return si(value, "s");
    case FigureUnit::percent:
      return format("{:.2f} %", value * 100.0);
    case FigureUnit::number:
      break;
  }
  return plain_number(value);
}

Cell value_cell(double value, FigureUnit unit) {
  return {value_text(value, unit), format("{}", value)};
}

Cell mean_interval_cell(const RunFigure& figure, FigureUnit unit) {
  if (!figure.mean_interval) return dash();
  const double low = figure.mean_interval->low;
  const double high = *figure.mean_interval->high;
  return {format("{} to {}", value_text(low, unit), value_text(high, unit)),
          format("{} {}", low, high)};
}

Cell variation_interval_cell(const RunFigure& figure) {
  if (!figure.variation_interval) return dash();
  const training::ConfidenceInterval& interval = *figure.variation_interval;
  if (!interval.high) {
    return {format("from {:.1f} %", interval.low * 100.0), format("{}", interval.low)};
  }
  return {format("{:.1f} to {:.1f} %", interval.low * 100.0, *interval.high * 100.0),
          format("{} {}", interval.low, *interval.high)};
}

Table statistics_table(const TrainingSummary& summary) {
  Table table;
  table.title = "Over the runs";
  table.columns = {{"group", "group"},
                   {"device", "device", Align::left},
                   {"figure", "figure", Align::left},
                   {"n", "n"},
                   {"mean", "mean"},
                   {"mean_interval", "95 % interval"},
                   {"median", "median"},
                   {"deviation", "deviation"},
                   {"variation", "variation"},
                   {"variation_interval", "95 % interval"}};
  table.columns.front().only_in_csv = summary.groups.size() < 2;
  for (std::size_t i = 0; i < summary.groups.size(); ++i) {
    const TrainingGroup& group = summary.groups[i];
    const auto add = [&](const char* name, const std::optional<RunFigure>& figure,
                         FigureUnit unit) {
      if (!figure) return;
      const Statistics& s = figure->statistics;
      const bool spread = s.count > 1;
      table.rows.push_back(
          {Cell(std::to_string(i + 1)), group.device, name, Cell(std::to_string(s.count)),
           value_cell(s.mean, unit), mean_interval_cell(*figure, unit), value_cell(s.median, unit),
           spread ? value_cell(s.deviation, unit) : dash(),
           spread ? percent_cell(s.variation) : dash(), variation_interval_cell(*figure)});
    };
    add("time to target", group.time_to_target_s, FigureUnit::seconds);
    add("epochs to target", group.epochs_to_target, FigureUnit::number);
    add("final accuracy", group.final_accuracy, FigureUnit::percent);
    add("images/s", group.images_per_s, FigureUnit::number);
  }
  return table;
}

Table milestone_table(const TrainingSummary& summary) {
  Table table;
  table.title = "Time to accuracy";
  table.columns = {{"group", "group"},        {"device", "device", Align::left},
                   {"accuracy", "accuracy"},  {"complete", "complete"},
                   {"reached", "reached"},    {"mean_epochs", "mean epochs"},
                   {"mean_s", "mean time"},   {"mean_interval_s", "95 % interval"},
                   {"median_s", "median"},    {"deviation_s", "deviation"},
                   {"variation", "variation"}};
  table.columns.front().only_in_csv = summary.groups.size() < 2;
  const auto count = [](std::size_t value) { return count_cell(static_cast<std::int64_t>(value)); };
  for (std::size_t i = 0; i < summary.groups.size(); ++i) {
    const TrainingGroup& group = summary.groups[i];
    for (const AccuracyMilestone& each : summary.milestones[i]) {
      const Statistics& time = each.time_s.statistics;
      const bool spread = time.count > 1;
      table.rows.push_back({Cell(std::to_string(i + 1)), group.device,
                            Cell(format("{} %", each.percent), format("{}", each.percent / 100.0)),
                            count(group.complete), count(each.reached),
                            value_cell(each.epochs.statistics.mean, FigureUnit::number),
                            value_cell(time.mean, FigureUnit::seconds),
                            mean_interval_cell(each.time_s, FigureUnit::seconds),
                            value_cell(time.median, FigureUnit::seconds),
                            spread ? value_cell(time.deviation, FigureUnit::seconds) : dash(),
                            spread ? percent_cell(time.variation) : dash()});
    }
  }
  return table;
}

/// How far all runs of a group came; nothing of one run, nor where all came to their target.
std::optional<std::string> milestone_note(const TrainingGroup& group,
                                          const std::vector<AccuracyMilestone>& milestones) {
  if (group.complete < 2 || (group.target && group.reached == group.complete)) return std::nullopt;
  const AccuracyMilestone* of_all = training::reached_by_all(group, milestones);
  if (of_all == nullptr) return std::nullopt;
  return format("the highest whole per cent that {} complete runs reached is {} %",
                group.complete == 2 ? "both" : format("all {}", group.complete), of_all->percent);
}

Table group_table(const TrainingSummary& summary) {
  Table table;
  table.title = "Where the epochs' time went";
  table.columns = {{"group", "group"},         {"device", "device", Align::left},
                   {"runs", "runs"},           {"complete", "complete"},
                   {"reached", "reached"},     {"wait_share", "waiting for data"},
                   {"issue_share", "issuing"}, {"validation_share", "validation"}};
  table.columns.front().only_in_csv = summary.groups.size() < 2;
  for (std::size_t i = 0; i < summary.groups.size(); ++i) {
    const TrainingGroup& group = summary.groups[i];
    const auto share = [&group](double training::EpochShares::*member) {
      return group.shares ? std::optional(*group.shares.*member) : std::nullopt;
    };
    const auto count = [](std::size_t value) {
      return count_cell(static_cast<std::int64_t>(value));
    };
    table.rows.push_back({Cell(std::to_string(i + 1)), group.device, count(group.runs.size()),
                          count(group.complete), group.target ? count(group.reached) : dash(),
                          optional_percent(share(&training::EpochShares::wait)),
                          optional_percent(share(&training::EpochShares::issue)),
                          optional_percent(share(&training::EpochShares::validation))});
  }
  hide_without_figures(table, {"reached"});
  return table;
}

Table comparison_table(const TrainingSummary& summary) {
  Table table;
  table.title = "Between devices";
  table.columns = {{"figure", "figure", Align::left},
                   {"a", "A", Align::left},
                   {"b", "B", Align::left},
                   {"median_a", "median A"},
                   {"median_b", "median B"},
                   {"ratio", "B / A"},
                   {"p_value", "p"},
                   {"verdict", "difference", Align::left}};
  for (const TrainingComparison& c : summary.comparisons) {
    const FigureUnit unit = c.figure == "time to target"   ? FigureUnit::seconds
                            : c.figure == "final accuracy" ? FigureUnit::percent
                                                           : FigureUnit::number;
    const auto median = [unit](std::optional<double> value) {
      return value ? value_cell(*value, unit) : dash();
    };
    table.rows.push_back(
        {c.figure, c.a, c.b, median(c.median_a), median(c.median_b), plain_number_cell(c.ratio),
         c.test ? Cell(format("{:.2g}", c.test->p_value), format("{}", c.test->p_value)) : dash(),
         std::string(name_of(c.verdict))});
  }
  return table;
}

/// `on NVIDIA H200`, or nothing where there is but one group.
std::string group_prefix(const TrainingSummary& summary, std::size_t group) {
  if (summary.groups.size() < 2) return "";
  return format("group {}, {}: ", group + 1, summary.groups[group].device);
}

std::string flag_text(const training::TrainingAdvice& advice) {
  std::vector<std::string> words;
  for (const auto& [flag, value] : advice.flags) {
    words.push_back(value.empty() ? flag : format("{} {}", flag, value));
  }
  return words.empty() ? "" : format("; try {}", join(words, " "));
}

std::vector<std::string> notes_of(const TrainingSummary& summary) {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < summary.runs.size(); ++i) {
    const TrainingRun& run = summary.runs[i];
    if (run.status != record::Status::ok && !run.message.empty()) {
      notes.push_back(format("{}: {}", summary.names[i], run.message));
    }
    if (!run.broken_data.empty()) {
      notes.push_back(format("{}: {} image{} could not be read, the first: {}", summary.names[i],
                             run.broken_data.size(), run.broken_data.size() == 1 ? "" : "s",
                             run.broken_data.front()));
    }
    for (const std::string& warning : run.warnings) {
      notes.push_back(format("{}: {}", summary.names[i], warning));
    }
  }
  bool intervals = false;
  bool utilization = false;
  for (const TrainingGroup& group : summary.groups) {
    intervals = intervals || (group.final_accuracy && group.final_accuracy->mean_interval) ||
                (group.images_per_s && group.images_per_s->mean_interval);
  }
  for (const TrainingRun& run : summary.runs) {
    utilization = utilization || device_summary(run).core_utilization.has_value();
  }
  for (std::size_t i = 0; i < summary.groups.size(); ++i) {
    for (const std::string& note : summary.groups[i].notes) {
      notes.push_back(group_prefix(summary, i) + note);
    }
    if (const auto note = milestone_note(summary.groups[i], summary.milestones[i])) {
      notes.push_back(group_prefix(summary, i) + *note);
    }
  }
  for (const TrainingComparison& c : summary.comparisons) notes.push_back(c.sentence);
  for (const training::GroupAdvice& each : summary.advice) {
    for (const training::TrainingAdvice& advice : each.advice) {
      notes.push_back(format("{}{}: {}{}", group_prefix(summary, each.group), name_of(advice.limit),
                             advice.sentence, flag_text(advice)));
    }
  }
  if (intervals) {
    notes.emplace_back(
        "intervals: of the mean by Student's t, of the coefficient of variation by the modified"
        " McKay method");
  }
  if (utilization) {
    notes.emplace_back(
        "core: share of time in which at least one kernel ran, memory: in which device memory was"
        " read or written, means of the run");
  }
  return notes;
}

}  // namespace

Document training_report(const TrainingSummary& summary) {
  Document document;
  document.title = "Training";
  document.tables.push_back(run_table(summary));
  const bool any_trained =
      std::ranges::any_of(summary.runs, [](const TrainingRun& run) { return !run.epochs.empty(); });
  if (any_trained) {
    document.tables.push_back(statistics_table(summary));
    Table milestones = milestone_table(summary);
    if (!milestones.rows.empty()) document.tables.push_back(std::move(milestones));
    document.tables.push_back(group_table(summary));
  }
  if (!summary.comparisons.empty()) document.tables.push_back(comparison_table(summary));
  document.notes = notes_of(summary);
  document.json = training_json(summary);
  return document;
}

}  // namespace rooflab::report
