// Accuracy over epochs says how a recipe learns, whatever the device; over time, which device gets
// there first. Colours go by run in the first, and by group where there are several: eleven runs of
// two devices are told apart by their device.

#include <algorithm>
#include <iterator>
#include <set>

#include "base/format.hpp"
#include "chart/name_list.hpp"
#include "chart/time_unit.hpp"
#include "describe/schema.hpp"
#include "page/row_table.hpp"
#include "rooflab/report/views.hpp"
#include "rooflab/training/training_advice.hpp"
#include "shown_findings.hpp"
#include "training_tables.hpp"

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

// ---- sentences ------------------------------------------------------------------------------

void add_run_notes(page::Remarks& notes, const NamedTraining& each) {
  const TrainingRun& run = each.run;
  if (run.status != record::Status::ok && !run.message.empty()) {
    notes.push_back(page::answers(format("{}: {}", each.name, run.message)));
  }
  if (!run.broken_data.empty()) {
    notes.push_back(format("{}: {} could not be read, the first: {}", each.name,
                           plural(run.broken_data.size(), "image"), run.broken_data.front()));
  }
  std::ranges::move(page::remarks_of(run.warnings, each.name + ": "), std::back_inserter(notes));
}

page::Remarks notes_of(const TrainingSummary& summary) {
  page::Remarks notes;
  for (const NamedTraining& each : summary.runs) add_run_notes(notes, each);
  for (const TrainingGroup& group : summary.groups) {
    const std::string who =
        summary.groups.size() < 2 ? "" : format("group {}, {}", group.number, group.device);
    for (const Note& note : group.notes) notes.push_back(page::remark_on(who, note));
  }
  for (const TrainingComparison& c : summary.comparisons)
    notes.push_back(page::answers(c.sentence));
  if (std::ranges::any_of(summary.groups, [](const TrainingGroup& group) {
        return group.samples_per_s && group.samples_per_s->mean_interval;
      })) {
    notes.push_back(page::explains(
        "intervals: of the mean by Student's t, of the coefficient of variation by the modified"
        " McKay method"));
  }
  if (std::ranges::any_of(summary.runs, [](const NamedTraining& each) {
        return training::device_samples(each.run).core_utilization.has_value();
      })) {
    notes.push_back(page::explains(
        "core: share of time in which at least one kernel ran, memory: in which device memory was"
        " read or written, means of the run"));
  }
  return notes;
}

// ---- charts ---------------------------------------------------------------------------------

chart::TimeUnit time_unit_of(const std::vector<NamedTraining>& runs) {
  double longest = 0.0;
  for (const NamedTraining& each : runs) {
    if (!each.run.epochs.empty()) longest = std::max(longest, each.run.epochs.back().elapsed_s);
  }
  return chart::time_unit_for(longest);
}

/// A chart of the accuracy, `x` saying where an epoch is.
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
void add_accuracy_charts(page::PageSection& section, const TrainingSummary& summary) {
  const chart::TimeUnit time = time_unit_of(summary.runs);
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

/// The samples of each group's last run that has any, as a separate recording.
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
  chart::Names devices;
  std::string target;
  for (const TrainingGroup& group : summary.groups) {
    chart::add_name(devices, group.device);
    if (group.target) target = format(" to {:g} %", *group.target * 100.0);
  }
  return format("Training of {}{} on {}", summary.runs.front().run.identity.model, target,
                join(devices, ", "));
}

page::PageSection epoch_section(const TrainingSummary& summary) {
  page::PageSection section{.heading = "Epochs"};
  for (const NamedTraining& each : summary.runs) {
    if (each.run.epochs.empty()) continue;
    section.details.push_back({.heading = format("{}, seed {}", each.name, each.run.seed),
                               .table = epoch_table(each.run),
                               .command = each.run.identity.command});
  }
  return section;
}

}  // namespace

page::Document training_view(const TrainingSummary& summary, std::string command, Findings found) {
  page::Document document{.title = title_of(summary), .command = std::move(command)};
  document.json = file_json(summary);
  show_findings(document, found, summary.groups.size() > 1);
  for (const TrainingGroup& group : summary.groups) {
    std::ranges::move(answer_of(group), std::back_inserter(document.answer));
  }

  page::PageSection accuracy{.heading = "Accuracy"};
  add_accuracy_charts(accuracy, summary);
  if (!summary.runs.empty()) accuracy.notes.push_back(what_was_trained(summary));

  page::PageSection figures{.heading = "Runs and statistics", .in_text = true};
  for (const auto table_for :
       {run_table, statistics_table, milestone_table, group_table, comparison_table}) {
    page::add_filled(figures.tables, table_for(summary));
  }
  figures.notes = notes_of(summary);

  document.sections = {std::move(accuracy), std::move(figures),
                       monitor_section("The device over time", recording_of(summary)),
                       epoch_section(summary)};
  return document;
}

page::Document trial_view(const training::TrialSummary& summary, std::string command) {
  page::Document document{.title = "Advice, tried", .command = std::move(command)};
  document.json = file_json(summary);
  document.tables.push_back(
      page::table_of(std::span<const training::TrainingTrial>(summary.trials),
                     page::columns_of("change", "limiter", "samples_per_s", "spread_samples_per_s",
                                      "gain_share", page::titled("core_utilization_share", "core"),
                                      page::titled("memory_utilization_share", "memory"),
                                      page::titled("wait_share", "waiting"), "judgement")));
  for (const training::TrainingTrial& trial : summary.trials) {
    if (trial.advice) {
      document.notes.push_back(
          format("{}: {}", name_of(trial.advice->limit), trial.advice->sentence));
    }
    if (!trial.failure.empty()) {
      document.notes.push_back(format("{}: {}", trial.change(), trial.failure));
    }
  }
  std::ranges::transform(summary.conclusion, std::back_inserter(document.notes), page::answers);
  return document;
}

}  // namespace rooflab::report
