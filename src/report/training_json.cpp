#include "training_json.hpp"

#include "rooflab/base/json_fields.hpp"
#include "rooflab/record/record_json.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {
namespace {

using training::AccuracyMilestone;
using training::RunFigure;
using training::TrainingComparison;
using training::TrainingGroup;
using training::TrainingSummary;

constexpr std::size_t most_samples = 600;  ///< of a series: ten minutes, one a second

Json interval_json(const std::optional<training::ConfidenceInterval>& interval) {
  if (!interval) return nullptr;
  return {{"low", interval->low}, {"high", json_or_null(interval->high)}};
}

Json figure_json(const std::optional<RunFigure>& figure) {
  if (!figure) return nullptr;
  const Statistics& s = figure->statistics;
  const bool spread = s.count > 1;
  return {{"n", s.count},
          {"values", figure->values},
          {"mean", s.mean},
          {"mean_interval", interval_json(figure->mean_interval)},
          {"median", s.median},
          {"min", s.min},
          {"max", s.max},
          {"deviation", spread ? Json(s.deviation) : Json()},
          {"variation", spread ? Json(s.variation) : Json()},
          {"variation_interval", interval_json(figure->variation_interval)}};
}

Json milestones_json(const std::vector<AccuracyMilestone>& milestones) {
  Json list = Json::array();
  for (const AccuracyMilestone& each : milestones) {
    list.push_back({{"accuracy", each.percent / 100.0},
                    {"reached", each.reached},
                    {"time_s", figure_json(each.time_s)},
                    {"epochs", figure_json(each.epochs)}});
  }
  return list;
}

Json group_json(const TrainingGroup& group, const TrainingSummary& summary) {
  Json json;
  json["device"] = group.device;
  json["configuration"] = Json::object();
  for (const auto& [name, value] : group.configuration) {
    if (name != "network") json["configuration"][name] = value;
  }
  json["target_accuracy"] = json_or_null(group.target);
  json["runs"] = Json::array();
  for (const std::size_t place : group.runs) json["runs"].push_back(summary.names[place]);
  json["complete"] = group.complete;
  json["reached"] = group.target ? Json(group.reached) : Json();
  json["time_to_target_s"] = figure_json(group.time_to_target_s);
  json["epochs_to_target"] = figure_json(group.epochs_to_target);
  json["final_accuracy"] = figure_json(group.final_accuracy);
  json["images_per_s"] = figure_json(group.images_per_s);
  json["shares"] = group.shares ? Json{{"wait", group.shares->wait},
                                       {"issue", group.shares->issue},
                                       {"validation", group.shares->validation}}
                                : Json();
  json["notes"] = group.notes;
  json["advice"] = Json::array();
  return json;
}

Json comparison_json(const TrainingComparison& c) {
  return {{"figure", c.figure},
          {"a", c.a},
          {"b", c.b},
          {"median_a", json_or_null(c.median_a)},
          {"median_b", json_or_null(c.median_b)},
          {"ratio", json_or_null(c.ratio)},
          {"p_value", c.test ? Json(c.test->p_value) : Json()},
          {"least_p_value", json_or_null(c.least_p)},
          {"verdict", name_of(c.verdict)},
          {"sentence", c.sentence},
          {"differences", c.differences}};
}

}  // namespace

Json advice_json(const std::vector<training::TrainingAdvice>& advice) {
  Json list = Json::array();
  for (const training::TrainingAdvice& each : advice) {
    Json flags = Json::array();
    for (const auto& [flag, value] : each.flags)
      flags.push_back({{"flag", flag}, {"value", value}});
    list.push_back(
        {{"limit", name_of(each.limit)}, {"sentence", each.sentence}, {"flags", std::move(flags)}});
  }
  return list;
}

Json training_json(const TrainingSummary& summary) {
  Json json;
  json["schema_version"] = schema_version;
  json["command"] = "train";
  json["runs"] = Json::array();
  for (std::size_t i = 0; i < summary.runs.size(); ++i) {
    Json run = record::to_json(summary.runs[i]);
    run["samples"] = record::to_json(record::thinned(summary.runs[i].samples, most_samples));
    run["name"] = summary.names[i];
    json["runs"].push_back(std::move(run));
  }
  json["groups"] = Json::array();
  for (std::size_t i = 0; i < summary.groups.size(); ++i) {
    Json group = group_json(summary.groups[i], summary);
    group["accuracy_milestones"] = milestones_json(summary.milestones[i]);
    json["groups"].push_back(std::move(group));
  }
  for (const training::GroupAdvice& each : summary.advice) {
    json["groups"][each.group]["advice"] = advice_json(each.advice);
  }
  json["comparisons"] = Json::array();
  for (const TrainingComparison& c : summary.comparisons) {
    json["comparisons"].push_back(comparison_json(c));
  }
  return json;
}

}  // namespace rooflab::report
