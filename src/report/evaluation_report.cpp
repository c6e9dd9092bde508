#include "rooflab/base/schema.hpp"
#include "rooflab/report/evaluation_report.hpp"

#include <algorithm>
#include <filesystem>

#include "cells.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/training/evaluation_statistics.hpp"

namespace rooflab::report {
namespace {

using record::Evaluation;
using training::ClassAccuracy;
using training::EvaluationGroup;

constexpr std::size_t most_confusion_classes = 20;  ///< of a table that can be read
constexpr std::size_t most_confusions = 20;         ///< listed instead

Table model_table(std::span<const Evaluation> evaluations,
                  const std::vector<EvaluationGroup>& groups) {
  Table table;
  table.columns = {{"checkpoint", "checkpoint", Align::left},
                   {"model", "model", Align::left},
                   {"data", "data", Align::left},
                   {"images", "images"},
                   {"correct", "correct"},
                   {"accuracy", "accuracy"},
                   {"loss", "loss"}};
  for (const Evaluation& each : evaluations) {
    const bool any = each.images() > 0;
    std::int64_t correct = 0;
    for (std::size_t i = 0; i < each.confusion.size(); ++i) correct += each.confusion[i][i];
    table.rows.push_back(
        {each.checkpoint, each.model, each.data, count_cell(each.images()), count_cell(correct),
         accuracy_cell(any ? std::optional(each.accuracy()) : std::nullopt),
         any ? Cell(format("{:.4f}", each.loss), format("{}", each.loss)) : dash()});
  }
  if (evaluations.size() < 2) return table;
  for (const EvaluationGroup& group : groups) {
    if (!group.accuracy) continue;
    const Statistics& s = group.accuracy->statistics;
    const std::string of = groups.size() > 1 ? format(" of {} models", s.count) : "";
    const auto total = [&](const std::string& name, const std::string& text) {
      table.totals.push_back({name + of, "", "", "", "", text, ""});
    };
    total("mean", format("{:.2f} %", s.mean * 100.0));
    if (s.count > 1) total("standard deviation", format("{:.2f} %", s.deviation * 100.0));
  }
  return table;
}

Table class_table(const EvaluationGroup& group) {
  Table table;
  table.title = "Accuracy by class";
  table.columns = {{"class", "class", Align::left},
                   {"images", "images"},
                   {"correct", "correct"},
                   {"accuracy", "accuracy"}};
  for (const ClassAccuracy& each : group.by_class()) {
    if (!each.accuracy) continue;
    table.rows.push_back({each.name, count_cell(each.images), count_cell(each.correct),
                          accuracy_cell(each.accuracy)});
  }
  return table;
}

/// Labels down, predictions across; the most frequent pairs where that would be too wide.
Table confusion_table(const EvaluationGroup& group) {
  Table table;
  if (group.classes.size() > most_confusion_classes) {
    table.title = format("The {} most frequent confusions", most_confusions);
    table.columns = {{"label", "label", Align::left},
                     {"prediction", "taken for", Align::left},
                     {"images", "images"}};
    for (const training::Confusion& each : group.confusions()) {
      if (table.rows.size() == most_confusions) break;
      table.rows.push_back({each.label, each.prediction, count_cell(each.images)});
    }
    return table;
  }
  table.title = "Confusion: labels down, predictions across";
  table.columns = {{"label", "label", Align::left}};
  for (const std::string& name : group.classes) table.columns.push_back({name, name});
  const std::vector<ClassAccuracy> by_class = group.by_class();
  for (std::size_t label = 0; label < group.classes.size(); ++label) {
    if (by_class[label].images == 0) continue;
    std::vector<Cell> row = {group.classes[label]};
    for (const std::int64_t images : group.confusion[label]) row.push_back(count_cell(images));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> notes_of(std::span<const Evaluation> evaluations,
                                  const std::vector<EvaluationGroup>& groups) {
  std::vector<std::string> notes;
  for (const EvaluationGroup& group : groups) {
    std::vector<std::string> missing;
    for (const ClassAccuracy& each : group.by_class()) {
      if (!each.accuracy) missing.push_back(each.name);
    }
    if (!missing.empty()) {
      constexpr std::size_t most_named = 10;
      const std::size_t count = missing.size();
      if (count > most_named) {
        missing.resize(most_named);
        missing.emplace_back("...");
      }
      notes.push_back(format("{} of {} classes of the model{} have no images here: {}", count,
                             group.classes.size(), group.models.size() == 1 ? "" : "s",
                             join(missing, ", ")));
    }
    if (group.models.size() > 1) {
      notes.push_back(
          format("by class and confusion: summed over {} models, each image counts {}"
                 " times",
                 group.models.size(), group.models.size()));
    }
    if (group.accuracy && group.accuracy->mean_interval) {
      notes.push_back(
          format("the mean's 95 % interval, by Student's t over the models: {:.2f} to"
                 " {:.2f} %",
                 group.accuracy->mean_interval->low * 100.0,
                 *group.accuracy->mean_interval->high * 100.0));
    }
  }
  if (groups.size() > 1) {
    notes.emplace_back("models that know other classes are summed apart");
  }
  for (const Evaluation& each : evaluations) {
    if (each.broken_data.empty()) continue;
    notes.push_back(format("{} image{} could not be read, the first: {}", each.broken_data.size(),
                           each.broken_data.size() == 1 ? "" : "s", each.broken_data.front()));
    break;  // all models saw the same images
  }
  return notes;
}

Json json_of(std::span<const Evaluation> evaluations, const std::vector<EvaluationGroup>& groups) {
  Json json;
  json["schema_version"] = schema_version;
  json["command"] = "evaluate";
  json["evaluations"] = Json::array();
  for (const Evaluation& each : evaluations) {
    Json entry = file_json(each);
    entry["images"] = each.images();
    entry["accuracy"] = each.images() > 0 ? Json(each.accuracy()) : Json();
    json["evaluations"].push_back(std::move(entry));
  }
  json["groups"] = Json::array();
  for (const EvaluationGroup& group : groups) {
    Json entry;
    entry["models"] = group.models;
    entry["data"] = group.data;
    entry["classes"] = group.classes;
    if (group.accuracy) {
      const Statistics& s = group.accuracy->statistics;
      entry["accuracy"] = {{"n", s.count},
                           {"mean", s.mean},
                           {"deviation", s.count > 1 ? Json(s.deviation) : Json()}};
    } else {
      entry["accuracy"] = nullptr;
    }
    entry["confusion"] = group.confusion;
    json["groups"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace

Document evaluation_report(std::span<const Evaluation> evaluations) {
  const std::vector<EvaluationGroup> groups = training::evaluation_groups(evaluations);
  Document document;
  document.title = "Evaluation";
  document.tables.push_back(model_table(evaluations, groups));
  for (const EvaluationGroup& group : groups) {
    for (Table table : {class_table(group), confusion_table(group)}) {
      if (!table.rows.empty()) document.tables.push_back(std::move(table));
    }
  }
  document.notes = notes_of(evaluations, groups);
  document.json = json_of(evaluations, groups);
  return document;
}

Page evaluation_page(std::span<const Evaluation> evaluations, std::string command) {
  Page page;
  Document document = evaluation_report(evaluations);
  page.title = "Evaluation";
  page.subtitle = evaluations.empty() ? "" : evaluations.front().data;
  page.command = std::move(command);
  PageSection by_class{.heading = "By class", .bar_scale = BarScale::share};
  for (const EvaluationGroup& group : training::evaluation_groups(evaluations)) {
    if (group.accuracy) {
      const Statistics& s = group.accuracy->statistics;
      page.cards.push_back(
          {.title = format("accuracy of {} model{}", s.count, s.count == 1 ? "" : "s"),
           .value = format("{:.2f} %", s.mean * 100.0),
           .remark = s.count > 1
                         ? format("mean; standard deviation {:.2f} %, {:.2f} to {:.2f} %",
                                  s.deviation * 100.0, s.min * 100.0, s.max * 100.0)
                         : format("{} images", evaluations[group.models.front()].images())});
    }
    for (const ClassAccuracy& each : group.by_class()) {
      if (!each.accuracy) continue;
      const std::int64_t wrong = each.images - each.correct;
      by_class.bars.push_back(
          {.label = each.name,
           .text = format("{:.1f} %", *each.accuracy * 100.0),
           .parts = {{"right", static_cast<double>(each.correct), with_thousands(each.correct)},
                     {"wrong", static_cast<double>(wrong), with_thousands(wrong)}}});
    }
  }
  PageSection models{.heading = "Models", .notes = std::move(document.notes)};
  models.tables.push_back(std::move(document.tables.front()));
  for (std::size_t i = 1; i < document.tables.size(); ++i) {
    by_class.tables.push_back(std::move(document.tables[i]));
  }
  page.sections = {std::move(models), std::move(by_class)};
  return page;
}

}  // namespace rooflab::report
