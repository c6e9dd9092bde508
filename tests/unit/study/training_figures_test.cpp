// What train and evaluate wrote, cut down by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "result_figures.hpp"

namespace rooflab::study {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

// rooflab train resnet18 --variant cifar --data folder:d --device cuda --batch 4
// --until accuracy=0.8 --runs 3 -o runs -o x.json, by the worker of the tests; the third crashed
constexpr std::string_view trained = R"({"schema_version": 1, "command": "train",
  "runs": [
    {"name": "run-1", "status": "ok", "message": "", "setup_s": 0.5,
     "epochs": [{"epoch": 0}, {"epoch": 1}, {"epoch": 2}]},
    {"name": "run-2", "status": "ok", "setup_s": 1.0, "epochs": [{"epoch": 0}, {"epoch": 1}]},
    {"name": "run-3", "status": "crashed", "message": "the worker died of signal 6",
     "setup_s": 7.0, "epochs": [{"epoch": 0}]},
    {"name": "other", "status": "ok", "setup_s": 9.0, "epochs": []}],
  "groups": [{"device": "NVIDIA H200", "target_accuracy": 0.8, "runs": ["run-1", "run-2", "run-3"],
    "complete": 2, "reached": 2,
    "time_to_target_s": {"n": 2, "mean": 60.5, "mean_interval": {"low": 53.25, "high": 67.75},
      "median": 60.0, "variation": 0.074, "variation_interval": {"low": 0.042, "high": 0.28}},
    "epochs_to_target": {"n": 2, "mean": 5.25},
    "final_accuracy": {"n": 2, "mean": 0.82125, "mean_interval": {"low": 0.81, "high": 0.835},
      "median": 0.8225, "deviation": 0.0085, "variation": 0.01},
    "images_per_s": {"n": 3, "mean": 1.5, "mean_interval": {"low": 1.25, "high": 1.75}},
    "notes": ["1 run did not come to its end and counts only in images/s"]}],
  "comparisons": []})";

TEST(TrainingFigures, AreMeansOverTheRuns) {
  EXPECT_THAT(values_in(Mode::train, trained),
              UnorderedElementsAre(value("accuracy", 0.82125), value("accuracy_deviation", 0.0085),
                                   value("time_to_accuracy", 60.5), value("variation", 0.074),
                                   value("samples_per_s", 1.5), value("epochs", 2.5),
                                   value("setup", 0.75)));
  EXPECT_EQ(interval_in(Mode::train, trained, "accuracy"), "0.81 to 0.835");
  EXPECT_EQ(interval_in(Mode::train, trained, "time_to_accuracy"), "53.25 to 67.75");
  EXPECT_EQ(interval_in(Mode::train, trained, "variation"), "0.042 to 0.28");
  EXPECT_EQ(interval_in(Mode::train, trained, "samples_per_s"), "1.25 to 1.75");
  EXPECT_EQ(interval_in(Mode::train, trained, "epochs"), "exact");
}

TEST(TrainingFigures, OfOneRunHaveNoSpread) {
  // ... --runs 1: what needs two is null
  constexpr std::string_view result = R"({"runs": [], "groups": [{"runs": ["run-1"], "complete": 1,
    "time_to_target_s": null,
    "final_accuracy": {"n": 1, "mean": 0.5, "mean_interval": null, "deviation": null}}]})";
  EXPECT_THAT(values_in(Mode::train, result), UnorderedElementsAre(value("accuracy", 0.5)));
  EXPECT_EQ(interval_in(Mode::train, result, "accuracy"), "exact");
}

TEST(TrainingFigures, AreNoneWhereNoRunCameToItsEnd) {
  Json json = parse_json(trained, "x.json");
  json["groups"][0]["complete"] = 0;
  json["groups"][0]["final_accuracy"] = nullptr;
  json["groups"][0]["time_to_target_s"] = nullptr;
  EXPECT_THAT(values_in(Mode::train, json.dump()), IsEmpty());
}

TEST(TrainingFigures, OfAnEvaluationAreTheModelsTogether) {
  // rooflab evaluate runs --data folder:wild -o x.json
  constexpr std::string_view result = R"({"command": "evaluate",
    "evaluations": [{"accuracy": 0.8}, {"accuracy": 0.7}],
    "groups": [{"models": [0, 1], "accuracy": {"n": 2, "mean": 0.75, "deviation": 0.0707}}]})";
  EXPECT_THAT(values_in(Mode::evaluate, result),
              UnorderedElementsAre(value("accuracy", 0.75), value("accuracy_deviation", 0.0707)));
}

}  // namespace
}  // namespace rooflab::study
