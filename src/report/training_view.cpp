// Accuracy over epochs says how a recipe learns, whatever the device; over time, which device gets
// there first. Colours go by run in the first, and by group where there are several: eleven runs of
// two devices are told apart by their device.

#include <algorithm>
#include <iterator>
#include <set>

#include "describe/schema.hpp"
#include "finding_part.hpp"
#include "name_list.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/report/views.hpp"
#include "rooflab/training/training_advice.hpp"
#include "row_table.hpp"
#include "time_unit.hpp"

namespace rooflab::report {
namespace {

using record::EpochResult;
using record::TrainingRun;
using training::AccuracyMilestone;
using training::NamedTraining;
using training::RunFigure;
using training::TrainingComparison;
using training::TrainingGroup;
using training::TrainingSummary;

constexpr chart::Size tall = {1200, 560};
constexpr std::size_t most_sampled_runs = 3;  ///< whose utilisation is drawn

// ---- tables ---------------------------------------------------------------------------------

/// The group is shown where there are several.
Shown of_several(const TrainingSummary& summary) {
  return summary.groups.size() > 1 ? Shown::always : Shown::csv;
}

Table run_table(const TrainingSummary& summary) {
  Table table = table_of(
      std::span<const NamedTraining>(summary.runs),
      shown_as(of_several(summary), {"group"},
               columns_of("run", "group", "model", "device", "batch", "phase", "precision", "seed",
                          "epochs_trained", titled("final_accuracy_share", "accuracy"),
                          "best_accuracy_share", if_known("target_accuracy_share"),
                          if_known("time_to_target_s", "to target"), titled("elapsed_s", "time"),
                          "samples_per_s", if_known("core_utilization_share", "core"),
                          if_known("memory_utilization_share", "memory"), "outcome")));
  move_constants_to_title(table);
  return table;
}

/// A figure of a group, with its statistics: these are in the figure's own unit.
struct GroupRow {
  const Figure* figure = nullptr;
  const RunFigure* values = nullptr;
  Json row;

  GroupRow(const TrainingGroup& group, const Figure& of, const RunFigure& from, const Json& more)
      : figure(&of), values(&from), row(to_json(from)) {
    row.update({{"group", group.number}, {"device", group.device}});
    row.update(more);
  }
};

std::string interval_text(const Figure& figure, double low, const std::optional<double>& high) {
  const std::string from = cell_of(figure, low).text;
  return high ? format("{} to {}", from, cell_of(figure, *high).text) : format("from {}", from);
}

/// Two runs are shown themselves: statistics of two say nothing. CSV and JSON have them.
void show_pair(Table& table, std::size_t row, const Figure& figure, const RunFigure& values) {
  cell_at(table, row, "mean").text = format("{} and {}", cell_of(figure, values.values[0]).text,
                                            cell_of(figure, values.values[1]).text);
  for (const FigureKey key : {FigureKey("mean_low"), FigureKey("deviation"),
                              FigureKey("variation_share"), FigureKey("variation_low_share")}) {
    cell_at(table, row, key).text = dash().text;
  }
}

/// A table of group, device and `columns`, then the statistics.
Table group_figure_table(const TrainingSummary& summary, std::string title,
                         const std::vector<GroupRow>& rows, std::span<const FigureColumn> own,
                         Shown variation_interval, std::string_view mean_title = {}) {
  const auto before = shown_as(of_several(summary), {"group"}, columns_of("group", "device"));
  auto statistics = shown_as(
      variation_interval, {"variation_low_share"},
      columns_of("mean", titled("mean_low", "95 % interval"), in_csv("mean_high"), "median",
                 "deviation", "variation_share", titled("variation_low_share", "95 % interval"),
                 in_csv("variation_high_share")));
  statistics.front().title = mean_title;
  std::vector<FigureColumn> columns(before.begin(), before.end());
  columns.insert(columns.end(), own.begin(), own.end());
  columns.insert(columns.end(), statistics.begin(), statistics.end());
  std::vector<Json> objects;
  for (const GroupRow& each : rows) objects.push_back(each.row);
  Table table = table_of(objects, columns);
  table.title = std::move(title);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Figure& figure = *rows[i].figure;
    const RunFigure& values = *rows[i].values;
    cell_at(table, i, "mean") = cell_of(figure, values.statistics.mean);
    cell_at(table, i, "median") = cell_of(figure, values.statistics.median);
    cell_at(table, i, "deviation") = cell_of(figure, values.deviation());
    if (const auto& interval = values.mean_interval) {
      cell_at(table, i, "mean_low").text = interval_text(figure, interval->low, interval->high);
    }
    if (const auto& interval = values.variation_interval) {
      constexpr FigureKey low = "variation_low_share";
      cell_at(table, i, low).text = interval_text(low.figure(), interval->low, interval->high);
    }
    if (values.values.size() == 2) show_pair(table, i, figure, values);
  }
  return table;
}

Table statistics_table(const TrainingSummary& summary) {
  std::vector<GroupRow> rows;
  for (const TrainingGroup& group : summary.groups) {
    for (const training::GroupFigure& each : training::group_figures()) {
      const std::optional<RunFigure>& values = group.*each.values;
      if (values)
        rows.emplace_back(group, *each.figure, *values, Json{{"figure", each.figure->title}});
    }
  }
  return group_figure_table(summary, "Over the runs", rows,
                            columns_of("figure", titled("count", "n")), Shown::always);
}

Table milestone_table(const TrainingSummary& summary) {
  constexpr FigureKey time = "time_to_accuracy_s";
  std::vector<GroupRow> rows;
  for (const TrainingGroup& group : summary.groups) {
    const AccuracyMilestone* before = nullptr;
    for (const AccuracyMilestone& each : group.milestones) {
      // The runs went past it in the epoch of a higher one.
      const bool is_known = before != nullptr && before->reached == each.reached &&
                            before->time_s.values == each.time_s.values;
      before = &each;
      if (is_known) continue;
      rows.emplace_back(group, time.figure(), each.time_s,
                        Json{{"accuracy_share", each.accuracy()},
                             {"complete", group.complete},
                             {"reached", each.reached},
                             {"epochs_to_accuracy", each.epochs.statistics.mean}});
    }
  }
  Table table = group_figure_table(summary, "Time to accuracy", rows,
                                   columns_of("accuracy_share", "complete", "reached",
                                              titled("epochs_to_accuracy", "mean epochs")),
                                   Shown::csv, "mean time");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Cell& accuracy = cell_at(table, i, "accuracy_share");
    accuracy.text = format("{:g} %", 100.0 * *parse_number(accuracy.raw));
  }
  return table;
}

Table group_table(const TrainingSummary& summary) {
  Table table =
      table_of(std::span<const TrainingGroup>(summary.groups),
               shown_as(of_several(summary), {"group"},
                        columns_of("group", "device", "run_count", "complete", if_known("reached"),
                                   "wait_share", "issue_share", "validation_share")));
  table.title = "Where the epochs' time went";
  return table;
}

Table comparison_table(const TrainingSummary& summary) {
  Table table =
      table_of(std::span<const TrainingComparison>(summary.comparisons),
               columns_of("figure", "first_device", "second_device", "first_median",
                          "second_median", "ratio", "p_value", titled("verdict", "difference")));
  table.title = "Between devices";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const TrainingComparison& c = summary.comparisons[i];
    cell_at(table, i, "figure") = std::string(c.figure->title);
    cell_at(table, i, "first_median") = cell_of(*c.figure, c.median_a);
    cell_at(table, i, "second_median") = cell_of(*c.figure, c.median_b);
  }
  return table;
}

Table epoch_table(const TrainingRun& run) {
  return table_of(std::span<const EpochResult>(run.epochs),
                  columns_of(titled("epoch", "epoch (from 0)"), "train_loss",
                             "train_accuracy_share", "validation_loss", "accuracy_share",
                             "learning_rate", "train_s", "wait_s", "validation_s", "elapsed_s"));
}

// ---- sentences ------------------------------------------------------------------------------

void add_run_notes(Remarks& notes, const NamedTraining& each) {
  const TrainingRun& run = each.run;
  if (run.status != record::Status::ok && !run.message.empty()) {
    notes.push_back(answers(format("{}: {}", each.name, run.message)));
  }
  if (!run.broken_data.empty()) {
    notes.push_back(format("{}: {} could not be read, the first: {}", each.name,
                           plural(run.broken_data.size(), "image"), run.broken_data.front()));
  }
  std::ranges::move(remarks_of(run.warnings, each.name + ": "), std::back_inserter(notes));
}

Remarks notes_of(const TrainingSummary& summary) {
  Remarks notes;
  for (const NamedTraining& each : summary.runs) add_run_notes(notes, each);
  for (const TrainingGroup& group : summary.groups) {
    const std::string who =
        summary.groups.size() < 2 ? "" : format("group {}, {}", group.number, group.device);
    for (const Note& note : group.notes) notes.push_back(remark_on(who, note));
  }
  for (const TrainingComparison& c : summary.comparisons) notes.push_back(answers(c.sentence));
  if (std::ranges::any_of(summary.groups, [](const TrainingGroup& group) {
        return group.samples_per_s && group.samples_per_s->mean_interval;
      })) {
    notes.push_back(explains(
        "intervals: of the mean by Student's t, of the coefficient of variation by the modified"
        " McKay method"));
  }
  if (std::ranges::any_of(summary.runs, [](const NamedTraining& each) {
        return training::device_samples(each.run).core_utilization.has_value();
      })) {
    notes.push_back(explains(
        "core: share of time in which at least one kernel ran, memory: in which device memory was"
        " read or written, means of the run"));
  }
  return notes;
}

// ---- charts ---------------------------------------------------------------------------------

TimeUnit time_unit_of(const std::vector<NamedTraining>& runs) {
  double longest = 0.0;
  for (const NamedTraining& each : runs) {
    if (!each.run.epochs.empty()) longest = std::max(longest, each.run.epochs.back().elapsed_s);
  }
  return time_unit_for(longest);
}

/// A chart of the accuracy, `x` saying where an epoch stands.
template <class Place>
chart::Chart accuracy_chart(const TrainingSummary& summary, std::string title, chart::Axis x_axis,
                            Place x) {
  chart::Chart chart;
  chart.title = std::move(title);
  chart.x = std::move(x_axis);
  chart.y = {.label = "validation accuracy", .unit = "%"};
  const bool by_group = summary.groups.size() > 1;
  std::set<std::size_t> named;
  double right = 0.0;
  for (std::size_t i = 0; i < summary.runs.size(); ++i) {
    const NamedTraining& each = summary.runs[i];
    const std::string name = format("{}, seed {}", each.name, each.run.seed);
    chart::Series line;
    line.color = static_cast<int>(by_group ? each.group - 1 : i);
    line.joined = true;
    for (const EpochResult& epoch : each.run.epochs) {
      if (!epoch.accuracy) continue;
      right = std::max(right, x(epoch));
      line.points.push_back({.x = x(epoch),
                             .y = *epoch.accuracy * 100.0,
                             .weight = 0.0,
                             .details = {name, format("epoch {}", epoch.epoch + 1)}});
    }
    if (line.points.empty()) continue;
    if (!by_group) {
      line.name = name;
    } else if (named.insert(each.group).second) {
      const TrainingGroup& group = summary.groups[each.group - 1];
      line.name =
          format("group {}: {}, {}", group.number, group.device, plural(group.runs.size(), "run"));
    }
    chart.series.push_back(std::move(line));
  }
  std::set<double> targets;
  for (const TrainingGroup& group : summary.groups) {
    if (group.target) targets.insert(*group.target);
  }
  for (const double target : targets) {
    chart.guides.push_back({.label = format("target {:g} %", target * 100.0),
                            .line = {{0.0, target * 100.0}, {right, target * 100.0}},
                            .style = chart::LineStyle::dashed});
  }
  chart.x.range = {0.0, right * 1.02};
  return chart;
}

/// Nothing for runs without a validation.
void add_accuracy_charts(PageSection& section, const TrainingSummary& summary) {
  const TimeUnit time = time_unit_of(summary.runs);
  for (const chart::Chart& chart :
       {accuracy_chart(summary, "Accuracy over epochs", {.label = "epochs trained", .whole = true},
                       [](const EpochResult& epoch) { return double(epoch.epoch + 1); }),
        accuracy_chart(
            summary, "Accuracy over time",
            {.label = "time since the first step", .unit = time.name},
            [&time](const EpochResult& epoch) { return epoch.elapsed_s / time.seconds; })}) {
    if (!chart.series.empty()) section.charts.push_back({"", chart, tall});
  }
}

/// The samples of each group's last run that has any, as a recording of its own.
record::Record recording_of(const TrainingSummary& summary) {
  record::Record record;
  if (!summary.runs.empty()) record.identity.model = summary.runs.front().run.identity.model;
  for (const TrainingGroup& group : summary.groups) {
    for (auto place = group.runs.rbegin(); place != group.runs.rend(); ++place) {
      const auto& [name, run, number] = summary.runs[*place];
      const auto own =
          std::ranges::find(run.samples, run.identity.device, &record::SampleSeries::device);
      if (own == run.samples.end()) continue;
      record.samples.push_back(*own);
      record.samples.back().device = format("{} {}", name, own->device);
      break;
    }
    if (record.samples.size() == most_sampled_runs) break;
  }
  return record;
}

// ---- the page -------------------------------------------------------------------------------

std::string medians(const RunFigure& time_s, const RunFigure& epochs) {
  return format("in {} and {:.1f} epochs in the median", si(time_s.statistics.median, "s"),
                epochs.statistics.median);
}

/// What the runs of a group came to, in sentences.
std::vector<std::string> answer_of(const TrainingGroup& group) {
  std::vector<std::string> answer;
  if (group.target) {
    std::string sentence =
        format("{} of {} on {} reached {:g} %", group.reached, plural(group.runs.size(), "run"),
               group.device, *group.target * 100.0);
    if (group.time_to_target_s && group.epochs_to_target) {
      sentence += " " + medians(*group.time_to_target_s, *group.epochs_to_target);
    }
    answer.push_back(sentence + ".");
  }
  const AccuracyMilestone* const of_all = group.reached_by_all();
  if (of_all != nullptr && group.complete > 1 && group.reached < group.complete) {
    answer.push_back(format("All {} runs on {} reached {} %, {}.", group.complete, group.device,
                            of_all->percent, medians(of_all->time_s, of_all->epochs)));
  }
  std::vector<std::string> figures;
  if (group.final_accuracy) {
    const Statistics& s = group.final_accuracy->statistics;
    figures.push_back(
        s.count == 1 ? format("an accuracy of {:.2f} %", s.mean * 100.0)
                     : format("an accuracy of {:.2f} to {:.2f} %", s.min * 100.0, s.max * 100.0));
  }
  if (group.samples_per_s) {
    figures.push_back(format("{} samples/s", plain_number(group.samples_per_s->statistics.median)));
  }
  if (!figures.empty()) answer.push_back(format("{}: {}.", group.device, join(figures, ", ")));
  return answer;
}

std::string what_was_trained(const TrainingSummary& summary) {
  const TrainingRun& run = summary.runs.front().run;
  return format("{}{}, batch {}, {}, data {}, {} images; {}", run.identity.model,
                run.identity.variant.empty() ? "" : format(" ({})", run.identity.variant),
                run.identity.batch.value(), name_of(run.identity.precision),
                run.identity.data.value(), with_thousands(run.train_images), run.environment.date);
}

/// `Training of resnet18 to 94 % on H200, T4`.
std::string title_of(const TrainingSummary& summary) {
  if (summary.runs.empty()) return "Training";
  Names devices;
  std::string target;
  for (const TrainingGroup& group : summary.groups) {
    add_name(devices, group.device);
    if (group.target) target = format(" to {:g} %", *group.target * 100.0);
  }
  return format("Training of {}{} on {}", summary.runs.front().run.identity.model, target,
                join(devices, ", "));
}

PageSection epoch_section(const TrainingSummary& summary) {
  PageSection section{.heading = "Epochs"};
  for (const NamedTraining& each : summary.runs) {
    if (each.run.epochs.empty()) continue;
    section.details.push_back({.heading = format("{}, seed {}", each.name, each.run.seed),
                               .table = epoch_table(each.run),
                               .command = each.run.identity.command});
  }
  return section;
}

}  // namespace

Document training_view(const TrainingSummary& summary, std::string command, Findings found) {
  Document document{.title = title_of(summary), .command = std::move(command)};
  document.json = file_json(summary);
  show_findings(document, found, summary.groups.size() > 1);
  for (const TrainingGroup& group : summary.groups) {
    std::ranges::move(answer_of(group), std::back_inserter(document.answer));
  }

  PageSection accuracy{.heading = "Accuracy"};
  add_accuracy_charts(accuracy, summary);
  if (!summary.runs.empty()) accuracy.notes.push_back(what_was_trained(summary));

  PageSection figures{.heading = "Runs and statistics", .in_text = true};
  for (const auto table_for :
       {run_table, statistics_table, milestone_table, group_table, comparison_table}) {
    add_filled(figures.tables, table_for(summary));
  }
  figures.notes = notes_of(summary);

  document.sections = {std::move(accuracy), std::move(figures),
                       monitor_section("The device over time", recording_of(summary)),
                       epoch_section(summary)};
  return document;
}

Document trial_view(const training::TrialSummary& summary, std::string command) {
  Document document{.title = "Advice, tried", .command = std::move(command)};
  document.json = file_json(summary);
  document.tables.push_back(
      table_of(std::span<const training::TrainingTrial>(summary.trials),
               columns_of("change", "limiter", "samples_per_s", "spread_samples_per_s",
                          "gain_share", titled("core_utilization_share", "core"),
                          titled("memory_utilization_share", "memory"),
                          titled("wait_share", "waiting"), "verdict")));
  for (const training::TrainingTrial& trial : summary.trials) {
    if (trial.advice) {
      document.notes.push_back(
          format("{}: {}", name_of(trial.advice->limit), trial.advice->sentence));
    }
    if (!trial.failure.empty()) {
      document.notes.push_back(format("{}: {}", trial.change(), trial.failure));
    }
  }
  std::ranges::transform(summary.conclusion, std::back_inserter(document.notes), answers);
  return document;
}

}  // namespace rooflab::report
