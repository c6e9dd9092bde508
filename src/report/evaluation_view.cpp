#include <algorithm>
#include <span>

#include "base/format.hpp"
#include "chart/name_list.hpp"
#include "describe/schema.hpp"
#include "page/row_table.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {
namespace {

using record::Evaluation;
using training::ClassAccuracy;
using training::EvaluationGroup;
using training::EvaluationSummary;

constexpr std::size_t most_confusion_classes = 20;  ///< a larger table cannot be read
constexpr std::size_t least_for_statistics = 3;     ///< models: two speak for themselves
constexpr std::size_t most_confusions = 20;         ///< listed instead
constexpr std::size_t most_missing_classes = 10;    ///< named

std::string percent(double share) { return format("{:.2f} %", share * 100.0); }

page::Table model_table(const EvaluationSummary& summary) {
  page::Table table = page::table_of(std::span<const Evaluation>(summary.evaluations),
                                     page::columns_of("checkpoint", "model", "data", "images",
                                                      "correct_images", "accuracy_share", "loss"));
  if (summary.evaluations.size() < 2) return table;
  for (const EvaluationGroup& group : summary.groups) {
    if (!group.accuracy) continue;
    const Statistics& s = group.accuracy->statistics;
    const std::string of = summary.groups.size() > 1 ? format(" of {} models", s.count) : "";
    table.totals.push_back({"mean" + of, "", "", "", "", percent(s.mean), ""});
    if (s.count < least_for_statistics) continue;
    table.totals.push_back({"standard deviation" + of, "", "", "", "", percent(s.deviation), ""});
  }
  return table;
}

std::vector<ClassAccuracy> classes_with_images(const EvaluationGroup& group) {
  std::vector<ClassAccuracy> classes = group.by_class();
  std::erase_if(classes, [](const ClassAccuracy& each) { return each.images == 0; });
  return classes;
}

page::Table class_table(const EvaluationGroup& group) {
  page::Table table =
      page::table_of(std::span<const ClassAccuracy>(classes_with_images(group)),
                     page::columns_of("class", "images", "correct_images", "accuracy_share"));
  table.title = "Accuracy by class";
  return table;
}

/// Labels down, predictions across; the most frequent pairs where that would be too wide.
page::Table confusion_table(const EvaluationGroup& group) {
  if (group.classes.size() > most_confusion_classes) {
    std::vector<training::Confusion> frequent = group.confusions();
    frequent.resize(std::min(frequent.size(), most_confusions));
    page::Table table = page::table_of(std::span<const training::Confusion>(frequent),
                                       page::columns_of("label", "predicted_class", "images"));
    table.title = format("The {} most frequent confusions", most_confusions);
    return table;
  }
  page::Table table{.title = "Confusion: labels down, predictions across",
                    .columns = {{"label", "label", page::Align::left}}};
  for (const std::string& name : group.classes) {
    table.columns.push_back({.key = name, .title = name, .heat = true});
  }
  const std::vector<ClassAccuracy> by_class = group.by_class();
  for (std::size_t label = 0; label < group.classes.size(); ++label) {
    if (by_class[label].images == 0) continue;
    std::vector<page::Cell>& row = table.rows.emplace_back();
    row.emplace_back(group.classes[label]);
    for (const std::int64_t images : group.confusion[label])
      row.push_back(page::count_cell(images));
  }
  return table;
}

void add_group_notes(page::Remarks& notes, const EvaluationGroup& group) {
  const std::size_t models = group.models.size();
  if (std::vector<std::string> missing = group.missing(); !missing.empty()) {
    const std::size_t count = missing.size();
    if (count > most_missing_classes) {
      missing.resize(most_missing_classes);
      missing.emplace_back("...");
    }
    notes.push_back({format("{} of {} classes of the model{} have no images here: {}", count,
                            group.classes.size(), models == 1 ? "" : "s", join(missing, ", ")),
                     NoteRank::changes});
  }
  if (models > 1) {
    notes.push_back(
        format("by class and confusion: summed over {} models, each image counts {} times", models,
               models));
  }
  if (models >= least_for_statistics && group.accuracy && group.accuracy->mean_interval) {
    notes.push_back(page::answers(
        format("the mean's 95 % interval, by Student's t over the models: {:.2f} to {}",
               group.accuracy->mean_interval->low * 100.0,
               percent(*group.accuracy->mean_interval->high))));
  }
}

page::Remarks notes_of(const EvaluationSummary& summary) {
  page::Remarks notes;
  for (const EvaluationGroup& group : summary.groups) add_group_notes(notes, group);
  if (summary.groups.size() > 1) {
    notes.emplace_back("models that know other classes are summed apart");
  }
  // All models saw the same images.
  const auto broken = std::ranges::find_if_not(
      summary.evaluations, [](const Evaluation& each) { return each.broken_data.empty(); });
  if (broken != summary.evaluations.end()) {
    notes.push_back(
        {format("{} could not be read, the first: {}", plural(broken->broken_data.size(), "image"),
                broken->broken_data.front()),
         NoteRank::changes});
  }
  return notes;
}

std::string answer_of(const EvaluationSummary& summary, const EvaluationGroup& group) {
  const Statistics& s = group.accuracy->statistics;
  const Evaluation& first = summary.evaluations[group.models.front()];
  if (s.count == 1) {
    return format("{} recognises {} of {} images.", first.checkpoint, percent(s.mean),
                  with_thousands(first.images()));
  }
  if (s.count == 2) {
    return format("2 models recognise {} and {} of the images.", percent(s.min), percent(s.max));
  }
  return format(
      "{} models recognise {} of the images on average, {:.2f} to {}; standard deviation {}.",
      s.count, percent(s.mean), s.min * 100.0, percent(s.max), percent(s.deviation));
}

/// The class that is recognised worst, and what it is taken for most often.
std::string weakness_of(const EvaluationGroup& group) {
  const std::vector<ClassAccuracy> classes = classes_with_images(group);
  const std::vector<training::Confusion> confusions = group.confusions();
  if (classes.size() < 2 || confusions.empty()) return {};
  const auto worst = std::ranges::min_element(
      classes, {}, [](const ClassAccuracy& each) { return each.accuracy().value_or(1.0); });
  const training::Confusion& most = confusions.front();
  return format(
      "The weakest class is {}, {:.1f} %; the most frequent confusion is {} taken for {}.",
      worst->name, 100.0 * worst->accuracy().value_or(0.0), most.label, most.prediction);
}

chart::Bar bar_of(const ClassAccuracy& each) {
  const std::int64_t wrong = each.images - each.correct;
  return {.label = each.name,
          .text = format("{:.1f} %", each.accuracy().value_or(0.0) * 100.0),
          .parts = {
              {"right", static_cast<double>(each.correct), with_thousands(each.correct), 0},
              {"wrong", static_cast<double>(wrong), with_thousands(wrong), chart::neutral_color}}};
}

/// `Evaluation of resnet18 on cifar10`.
std::string title_of(const EvaluationSummary& summary) {
  chart::Names models;
  chart::Names data;
  for (const Evaluation& each : summary.evaluations) {
    chart::add_name(models, each.model);
    chart::add_name(data, each.data);
  }
  return format("Evaluation of {} on {}", join(models, ", "), join(data, ", "));
}

}  // namespace

page::Document evaluation_view(const EvaluationSummary& summary, std::string command) {
  page::Document document{.title = title_of(summary), .command = std::move(command)};
  document.json = file_json(summary);
  page::PageSection models{.heading = "Models",
                           .in_text = true,
                           .tables = {model_table(summary)},
                           .notes = notes_of(summary)};
  page::PageSection by_class{.heading = "By class", .in_text = true};
  for (const EvaluationGroup& group : summary.groups) {
    if (group.accuracy) document.answer.push_back(answer_of(summary, group));
    if (std::string weakness = weakness_of(group); !weakness.empty()) {
      document.answer.push_back(std::move(weakness));
    }
    for (const ClassAccuracy& each : classes_with_images(group)) {
      by_class.bars.push_back(bar_of(each));
    }
    page::add_filled(by_class.tables, class_table(group));
    page::add_filled(by_class.tables, confusion_table(group));
  }
  document.sections = {std::move(models), std::move(by_class)};
  return document;
}

}  // namespace rooflab::report
