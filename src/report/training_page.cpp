// Accuracy over epochs says how a recipe learns, whatever the device; over time, which device gets
// there first. Colours go by run in the first, and by group where there are several: eleven runs of
// two devices are told apart by their device.

#include <algorithm>
#include <set>

#include "cells.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/report/monitor_view.hpp"
#include "rooflab/report/training_report.hpp"
#include "time_unit.hpp"

namespace rooflab::report {
namespace {

using record::EpochResult;
using record::TrainingRun;
using training::TrainingGroup;
using training::TrainingSummary;

constexpr chart::Size tall = {1200, 560};
constexpr chart::Size low = {1200, 420};
constexpr std::size_t most_sampled_runs = 3;  ///< whose utilisation is drawn

std::size_t group_of(const TrainingSummary& summary, std::size_t run) {
  for (std::size_t i = 0; i < summary.groups.size(); ++i) {
    if (std::ranges::find(summary.groups[i].runs, run) != summary.groups[i].runs.end()) return i;
  }
  return 0;
}

TimeUnit time_unit_of(const std::vector<TrainingRun>& runs) {
  double longest = 0.0;
  for (const TrainingRun& run : runs) {
    if (!run.epochs.empty()) longest = std::max(longest, run.epochs.back().elapsed_s);
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
    const TrainingRun& run = summary.runs[i];
    const std::size_t group = group_of(summary, i);
    chart::Series line;
    line.color = static_cast<int>(by_group ? group : i);
    line.joined = true;
    for (const EpochResult& epoch : run.epochs) {
      if (!epoch.accuracy) continue;
      right = std::max(right, x(epoch));
      line.points.push_back({.x = x(epoch),
                             .y = *epoch.accuracy * 100.0,
                             .weight = 0.0,
                             .details = {format("{}, seed {}", summary.names[i], run.seed),
                                         format("epoch {}", epoch.epoch + 1)}});
    }
    if (line.points.empty()) continue;
    if (!by_group) {
      line.name = format("{}, seed {}", summary.names[i], run.seed);
    } else if (named.insert(group).second) {
      line.name = format("group {}: {}, {} run{}", group + 1, summary.groups[group].device,
                         summary.groups[group].runs.size(),
                         summary.groups[group].runs.size() == 1 ? "" : "s");
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

/// The samples of each group's last run that has any, as a recording of its own.
record::Record recording_of(const TrainingSummary& summary) {
  record::Record record;
  if (!summary.runs.empty()) record.identity.model = summary.runs.front().identity.model;
  for (const TrainingGroup& group : summary.groups) {
    for (auto place = group.runs.rbegin(); place != group.runs.rend(); ++place) {
      const TrainingRun& run = summary.runs[*place];
      const auto own =
          std::ranges::find(run.samples, run.identity.device, &record::SampleSeries::device);
      if (own == run.samples.end()) continue;
      record.samples.push_back(*own);
      record.samples.back().device = format("{} {}", summary.names[*place], own->device);
      break;
    }
    if (record.samples.size() == most_sampled_runs) break;
  }
  return record;
}

std::string interval_remark(const training::RunFigure& figure) {
  if (!figure.mean_interval) return "one run: no interval";
  return format("mean {}, 95 % interval {} to {}", plain_number(figure.statistics.mean),
                plain_number(figure.mean_interval->low), plain_number(*figure.mean_interval->high));
}

void add_cards(Page& page, const TrainingSummary& summary) {
  for (std::size_t i = 0; i < summary.groups.size(); ++i) {
    const TrainingGroup& group = summary.groups[i];
    const training::AccuracyMilestone* of_all = reached_by_all(group, summary.milestones[i]);
    if (group.target) {
      const bool all = group.reached == group.runs.size();
      PageCard card{.title = format("{}: reached {:g} %", group.device, *group.target * 100.0),
                    .value = format("{} of {} runs", group.reached, group.runs.size()),
                    .tone = all ? "good" : "warning"};
      if (group.time_to_target_s) {
        card.remark =
            format("median {}, {:.1f} epochs", si(group.time_to_target_s->statistics.median, "s"),
                   group.epochs_to_target ? group.epochs_to_target->statistics.median : 0.0);
      }
      page.cards.push_back(std::move(card));
    }
    if (of_all != nullptr && group.complete > 1 && group.reached < group.complete) {
      page.cards.push_back(
          {.title = format("{}: reached by all {}", group.device, group.complete),
           .value = format("{} %", of_all->percent),
           .remark = format("median {}, {:.1f} epochs", si(of_all->time_s.statistics.median, "s"),
                            of_all->epochs.statistics.median)});
    }
    if (group.final_accuracy) {
      const Statistics& s = group.final_accuracy->statistics;
      page.cards.push_back({.title = format("{}: final accuracy", group.device),
                            .value = format("{:.2f} %", s.mean * 100.0),
                            .remark = format("mean of {}, {:.2f} to {:.2f} %", s.count,
                                             s.min * 100.0, s.max * 100.0)});
    }
    if (group.images_per_s) {
      page.cards.push_back({.title = format("{}: images/s", group.device),
                            .value = plain_number(group.images_per_s->statistics.median),
                            .remark = interval_remark(*group.images_per_s)});
    }
  }
}

std::string subtitle_of(const TrainingSummary& summary) {
  if (summary.runs.empty()) return "";
  const TrainingRun& run = summary.runs.front();
  return format("{}{}, batch {}, {}, data {}, {} images; {}", run.identity.model,
                run.identity.variant.empty() ? "" : format(" ({})", run.identity.variant),
                run.identity.batch, name_of(run.identity.precision), run.identity.data,
                with_thousands(run.train_images), run.environment.date);
}

}  // namespace

std::vector<chart::Chart> training_charts(const TrainingSummary& summary) {
  const TimeUnit time = time_unit_of(summary.runs);
  std::vector<chart::Chart> charts;
  charts.push_back(accuracy_chart(
      summary, "Accuracy over epochs", {.label = "epochs trained"},
      [](const EpochResult& epoch) { return static_cast<double>(epoch.epoch + 1); }));
  charts.push_back(accuracy_chart(
      summary, "Accuracy over time", {.label = "time since the first step", .unit = time.name},
      [&time](const EpochResult& epoch) { return epoch.elapsed_s / time.seconds; }));
  std::erase_if(charts, [](const chart::Chart& chart) { return chart.series.empty(); });
  return charts;
}

Page training_page(const TrainingSummary& summary, std::string command) {
  Page page;
  Document document = training_report(summary);
  page.title = "Training to accuracy";
  page.subtitle = subtitle_of(summary);
  page.command = std::move(command);
  add_cards(page, summary);
  PageSection accuracy{.heading = "Accuracy"};
  for (chart::Chart& chart : training_charts(summary)) {
    accuracy.charts.push_back({"", std::move(chart), tall});
  }
  PageSection figures{.heading = "Runs and statistics",
                      .tables = std::move(document.tables),
                      .notes = std::move(document.notes)};
  PageSection over_time{.heading = "The device over time"};
  const record::Record recording = recording_of(summary);
  for (chart::Chart& chart : monitor_charts(recording)) {
    over_time.charts.push_back({"", std::move(chart), low});
  }
  PageSection epochs{.heading = "Epochs"};
  for (std::size_t i = 0; i < summary.runs.size(); ++i) {
    const TrainingRun& run = summary.runs[i];
    if (run.epochs.empty()) continue;
    Table table;
    table.columns = {{"epoch", "epoch"},
                     {"train_loss", "loss"},
                     {"train_accuracy", "trained accuracy"},
                     {"validation_loss", "validation loss"},
                     {"accuracy", "accuracy"},
                     {"learning_rate", "learning rate"},
                     {"train_s", "training"},
                     {"wait_s", "waiting"},
                     {"validation_s", "validation"},
                     {"elapsed_s", "since the start"}};
    for (const EpochResult& epoch : run.epochs) {
      const auto number = [](double value) {
        return Cell(format("{:.4g}", value), format("{}", value));
      };
      table.rows.push_back({count_cell(epoch.epoch + 1), number(epoch.train_loss),
                            percent_cell(epoch.train_accuracy),
                            optional_number(epoch.validation_loss),
                            optional_percent(epoch.accuracy), number(epoch.learning_rate),
                            si_cell(epoch.train_s, "s"), si_cell(epoch.wait_s, "s"),
                            si_cell(epoch.validation_s, "s"), si_cell(epoch.elapsed_s, "s")});
    }
    epochs.details.push_back({.heading = format("{}, seed {}", summary.names[i], run.seed),
                              .table = std::move(table),
                              .command = run.identity.command});
  }
  page.sections = {std::move(accuracy), std::move(figures), std::move(over_time),
                   std::move(epochs)};
  return page;
}

}  // namespace rooflab::report
