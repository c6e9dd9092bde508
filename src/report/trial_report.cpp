#include "rooflab/report/trial_report.hpp"

#include "cells.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/base/text.hpp"
#include "training_json.hpp"

namespace rooflab::report {
namespace {

using training::TrainingTrial;

std::string change_of(const TrainingTrial& trial) {
  if (!trial.advice) return "as given";
  std::vector<std::string> words;
  for (const auto& [flag, value] : trial.advice->flags) {
    words.push_back(value.empty() ? flag : format("{} {}", flag, value));
  }
  return join(words, " ");
}

Cell number_cell(const TrainingTrial& trial, double value) {
  if (trial.images_per_s.empty()) return dash();
  return {plain_number(value), format("{}", value)};
}

std::string verdict_of(const TrainingTrial& trial) {
  if (!trial.failure.empty()) return trial.images_per_s.empty() ? "failed" : "cut short";
  if (!trial.advice) return "start";
  return trial.kept ? "helped, kept" : "no gain beyond the spread";
}

/// The trial that this one was added to: the last kept one before it.
const TrainingTrial& before(std::span<const TrainingTrial> trials, std::size_t place) {
  while (--place > 0) {
    if (trials[place].kept) break;
  }
  return trials[place];
}

Json trial_json(const TrainingTrial& trial) {
  return {{"change", change_of(trial)},
          {"advice", trial.advice ? advice_json({*trial.advice}).front() : Json()},
          {"command", trial.command},
          {"images_per_s", trial.images_per_s},
          {"core_utilization", json_or_null(trial.core_utilization)},
          {"memory_utilization", json_or_null(trial.memory_utilization)},
          {"wait_share", json_or_null(trial.wait_share)},
          {"failure", trial.failure},
          {"kept", trial.kept}};
}

}  // namespace

Document trial_report(std::span<const TrainingTrial> trials) {
  Document document;
  document.title = "Advice, tried";
  Table table;
  table.columns = {{"change", "change", Align::left},
                   {"limit", "because", Align::left},
                   {"images_per_s", "images/s"},
                   {"spread", "spread"},
                   {"gain", "gain"},
                   {"core_utilization", "core"},
                   {"memory_utilization", "memory"},
                   {"wait_share", "waiting"},
                   {"verdict", "verdict", Align::left}};
  const TrainingTrial* last = nullptr;
  std::vector<std::string> helped;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const TrainingTrial& trial = trials[i];
    Cell gain("", "");
    if (i > 0 && !trial.images_per_s.empty() && before(trials, i).mean() > 0.0) {
      const double ratio = trial.mean() / before(trials, i).mean() - 1.0;
      gain = Cell(format("{:+.1f} %", ratio * 100.0), format("{}", ratio));
    }
    table.rows.push_back(
        {change_of(trial), trial.advice ? std::string(name_of(trial.advice->limit)) : std::string(),
         number_cell(trial, trial.mean()), number_cell(trial, trial.spread()), gain,
         optional_percent(trial.core_utilization), optional_percent(trial.memory_utilization),
         optional_percent(trial.wait_share), verdict_of(trial)});
    if (trial.advice && trial.kept) helped.push_back(change_of(trial));
    if (i == 0 || trial.kept) last = &trial;
    if (trial.advice) {
      document.notes.push_back(
          format("{}: {}", name_of(trial.advice->limit), trial.advice->sentence));
    }
    if (!trial.failure.empty()) {
      document.notes.push_back(format("{}: {}", change_of(trial), trial.failure));
    }
  }
  document.tables.push_back(std::move(table));
  if (last != nullptr && !trials.front().images_per_s.empty()) {
    document.notes.push_back(trials.size() == 1 ? "there is no advice that a flag could follow"
                             : helped.empty()
                                 ? "nothing that was tried helped"
                                 : format("{} helped: {} images/s before, {} after ({:+.1f} %)",
                                          join(helped, ", "), plain_number(trials.front().mean()),
                                          plain_number(last->mean()),
                                          (last->mean() / trials.front().mean() - 1.0) * 100.0));
    document.notes.push_back(format("faster: {}", last->command));
    if (helped.empty()) document.notes.pop_back();
  }
  document.json["schema_version"] = schema_version;
  document.json["command"] = "train --try";
  document.json["trials"] = Json::array();
  for (const TrainingTrial& trial : trials) document.json["trials"].push_back(trial_json(trial));
  return document;
}

}  // namespace rooflab::report
