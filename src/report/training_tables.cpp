#include "training_tables.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/format.hpp"
#include "page/joined_row.hpp"
#include "page/row_table.hpp"

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

/// The group is shown where there are several.
page::Shown of_several(const TrainingSummary& summary) {
  return summary.groups.size() > 1 ? page::Shown::always : page::Shown::csv;
}

/// A figure of a group, with its statistics: these are in the figure's own unit.
struct GroupRow {
  const Figure* figure = nullptr;
  const RunFigure* values = nullptr;
  page::JoinedRow row;

  GroupRow(const TrainingGroup& group, const Figure& of, const RunFigure& from)
      : figure(&of), values(&from) {
    row.own("group", group.number).own("device", group.device).of(from);
  }
};

std::string interval_text(const Figure& figure, double low, const std::optional<double>& high) {
  const std::string from = page::cell_of(figure, low).text;
  return high ? format("{} to {}", from, page::cell_of(figure, *high).text)
              : format("from {}", from);
}

/// Two runs are shown themselves: statistics of two say nothing. CSV and JSON have them.
void show_pair(page::Table& table, std::size_t row, const Figure& figure, const RunFigure& values) {
  page::cell_at(table, row, "mean").text =
      format("{} and {}", page::cell_of(figure, values.values[0]).text,
             page::cell_of(figure, values.values[1]).text);
  for (const FigureKey key : {FigureKey("mean_low"), FigureKey("deviation"),
                              FigureKey("variation_share"), FigureKey("variation_low_share")}) {
    page::cell_at(table, row, key).text = page::dash().text;
  }
}

/// A table of group, device and `columns`, then the statistics.
page::Table group_figure_table(const TrainingSummary& summary, std::string title,
                               const std::vector<GroupRow>& rows,
                               std::span<const page::FigureColumn> own,
                               page::Shown variation_interval, std::string_view mean_title = {}) {
  const auto before =
      page::shown_as(of_several(summary), {"group"}, page::columns_of("group", "device"));
  auto statistics = page::shown_as(
      variation_interval, {"variation_low_share"},
      page::columns_of("mean", page::titled("mean_low", "95 % interval"), page::in_csv("mean_high"),
                       "median", "deviation", "variation_share",
                       page::titled("variation_low_share", "95 % interval"),
                       page::in_csv("variation_high_share")));
  statistics.front().title = mean_title;
  std::vector<page::FigureColumn> columns(before.begin(), before.end());
  columns.insert(columns.end(), own.begin(), own.end());
  columns.insert(columns.end(), statistics.begin(), statistics.end());
  std::vector<page::JoinedRow> objects;
  for (const GroupRow& each : rows) objects.push_back(each.row);
  page::Table table = page::table_of(objects, columns);
  table.title = std::move(title);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Figure& figure = *rows[i].figure;
    const RunFigure& values = *rows[i].values;
    page::cell_at(table, i, "mean") = page::cell_of(figure, values.statistics.mean);
    page::cell_at(table, i, "median") = page::cell_of(figure, values.statistics.median);
    page::cell_at(table, i, "deviation") = page::cell_of(figure, values.deviation());
    if (const auto& interval = values.mean_interval) {
      page::cell_at(table, i, "mean_low").text =
          interval_text(figure, interval->low, interval->high);
    }
    if (const auto& interval = values.variation_interval) {
      constexpr FigureKey low = "variation_low_share";
      page::cell_at(table, i, low).text =
          interval_text(low.figure(), interval->low, interval->high);
    }
    if (values.values.size() == 2) show_pair(table, i, figure, values);
  }
  return table;
}

}  // namespace

page::Table run_table(const TrainingSummary& summary) {
  page::Table table = page::table_of(
      std::span<const NamedTraining>(summary.runs),
      page::shown_as(
          of_several(summary), {"group"},
          page::columns_of(
              "run_name", "group", "model", "device_name", "batch", "phase", "precision", "seed",
              "epochs_trained", page::titled("final_accuracy_share", "accuracy"),
              "best_accuracy_share", page::if_known("target_accuracy_share"),
              page::if_known("time_to_target_s", "to target"), page::titled("elapsed_s", "time"),
              "samples_per_s", page::if_known("core_utilization_share", "core"),
              page::if_known("memory_utilization_share", "memory"), "outcome")));
  page::move_constants_to_title(table);
  return table;
}

page::Table statistics_table(const TrainingSummary& summary) {
  std::vector<GroupRow> rows;
  for (const TrainingGroup& group : summary.groups) {
    for (const training::GroupFigure& each : training::group_figures()) {
      const std::optional<RunFigure>& values = group.*each.values;
      if (values) {
        rows.emplace_back(group, *each.figure, *values).row.own("figure", each.figure->title);
      }
    }
  }
  return group_figure_table(summary, "Over the runs", rows,
                            page::columns_of("figure", page::titled("count", "n")),
                            page::Shown::always);
}

page::Table milestone_table(const TrainingSummary& summary) {
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
      rows.emplace_back(group, time.figure(), each.time_s)
          .row.own("accuracy_share", each.accuracy())
          .own("complete", group.complete)
          .own("reached", each.reached)
          .own("epochs_to_accuracy", each.epochs.statistics.mean);
    }
  }
  page::Table table =
      group_figure_table(summary, "Time to accuracy", rows,
                         page::columns_of("accuracy_share", "complete", "reached",
                                          page::titled("epochs_to_accuracy", "mean epochs")),
                         page::Shown::csv, "mean time");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    page::Cell& accuracy = page::cell_at(table, i, "accuracy_share");
    accuracy.text = format("{:g} %", 100.0 * *parse_number(accuracy.raw));
  }
  return table;
}

page::Table group_table(const TrainingSummary& summary) {
  page::Table table = page::table_of(
      std::span<const TrainingGroup>(summary.groups),
      page::shown_as(of_several(summary), {"group"},
                     page::columns_of("group", "device_name", "run_count", "complete",
                                      page::if_known("reached"), "wait_share", "issue_share",
                                      "validation_share")));
  table.title = "Where the epochs' time went";
  return table;
}

page::Table comparison_table(const TrainingSummary& summary) {
  page::Table table =
      page::table_of(std::span<const TrainingComparison>(summary.comparisons),
                     page::columns_of("compared_figure", "first_device", "second_device",
                                      "first_median", "second_median", "ratio", "p_value",
                                      page::titled("judgement", "difference")));
  table.title = "Between devices";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const TrainingComparison& c = summary.comparisons[i];
    page::cell_at(table, i, "compared_figure") = std::string(c.figure->title);
    page::cell_at(table, i, "first_median") = page::cell_of(*c.figure, c.median_a);
    page::cell_at(table, i, "second_median") = page::cell_of(*c.figure, c.median_b);
  }
  return table;
}

page::Table epoch_table(const TrainingRun& run) {
  return page::table_of(
      std::span<const EpochResult>(run.epochs),
      page::columns_of(page::titled("epoch", "epoch (from 0)"), "train_loss",
                       "train_accuracy_share", "validation_loss", "accuracy_share", "learning_rate",
                       "train_s", "wait_s", "validation_s", "elapsed_s"));
}

}  // namespace rooflab::report
