#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../training/training_runs.hpp"
#include "base/format.hpp"
#include "result_figures.hpp"
#include "rooflab/training/training_summary.hpp"

namespace rooflab::study {
namespace {

using record::TrainingRun;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using training::training_run;

training::TrainingSummary summary_of(const std::vector<TrainingRun>& runs) {
  std::vector<training::NamedTraining> named;
  for (const TrainingRun& run : runs) {
    named.push_back({.name = format("run-{}", named.size() + 1), .run = run});
  }
  return training::summarize_training(std::move(named));
}

/// Two that reach 80 % after 33 s and 22 s, and one that crashed.
std::vector<TrainingRun> three_runs() {
  std::vector<TrainingRun> runs = {training_run(1, {0.5, 0.7, 0.81}, 0.8),
                                   training_run(2, {0.6, 0.83}, 0.8), training_run(3, {0.1}, 0.8)};
  runs[0].setup_s = 0.5;
  runs[1].setup_s = 1.0;
  runs[2].setup_s = 7.0;
  runs[2].status = record::Status::crashed;
  return runs;
}

TEST(TrainingFigures, AreMeansOverTheRuns) {
  const training::TrainingSummary summary = summary_of(three_runs());
  const std::string trained = file_json(summary).dump();
  EXPECT_THAT(values_in(Mode::train, trained),
              UnorderedElementsAre(
                  value("accuracy", 0.82), value("accuracy_deviation", 0.02 / M_SQRT2),
                  value("time_to_accuracy", 27.5), value("variation", 0.4 / M_SQRT2),
                  value("samples_per_s", 100.0), value("epochs", 2.5), value("setup", 0.75)));
  // Student's t of one degree of freedom: 12.7062 times 0.01, and 5.5 s.
  EXPECT_EQ(interval_in(Mode::train, trained, "accuracy"), "0.6929 to 0.9471");
  EXPECT_EQ(interval_in(Mode::train, trained, "time_to_accuracy"), "0 to 97.38");
  const auto& variation = summary.groups.front().time_to_target_s->variation_interval;
  ASSERT_TRUE(variation && variation->high);
  EXPECT_EQ(interval_in(Mode::train, trained, "variation"),
            format("{:.4g} to {:.4g}", variation->low, *variation->high));
  EXPECT_EQ(interval_in(Mode::train, trained, "epochs"), "exact");
}

TEST(TrainingFigures, OfOneRunHaveNoSpread) {
  const std::string result =
      file_json(summary_of({training_run(1, {0.1, 0.2, 0.3, 0.4, 0.5}, 0.8)})).dump();
  EXPECT_THAT(values_in(Mode::train, result),
              UnorderedElementsAre(value("accuracy", 0.5), value("samples_per_s", 100.0),
                                   value("epochs", 5.0), value("setup", 0.0)));
  EXPECT_EQ(interval_in(Mode::train, result, "accuracy"), "exact");
}

// A crashed run is in no mean, so the case's note tells of it.
TEST(TrainingFigures, ACaseTellsOfARunThatFailed) {
  std::vector<TrainingRun> runs = three_runs();
  runs[2].message = "the worker died of signal 6";
  PlannedCase planned;
  planned.mode = Mode::train;
  CaseOutcome outcome;
  outcome.result = parse_json(file_json(summary_of(runs)).dump(), "x.json");
  const std::vector<std::optional<CaseOutcome>> outcomes = {outcome};
  const std::vector<StudyCase> cases = cases_of(Study{}, std::vector{planned}, outcomes);
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_EQ(cases.front().reason, "");
  EXPECT_EQ(cases.front().note,
            "1 run stopped early and contributes only to samples/s; one of its runs: crashed: the "
            "worker died of signal 6");
}

TEST(TrainingFigures, AreNoneWhereNoRunCameToItsEnd) {
  std::vector<TrainingRun> runs = three_runs();
  for (TrainingRun& run : runs) run.status = record::Status::crashed;
  EXPECT_THAT(values_in(Mode::train, file_json(summary_of(runs)).dump()), IsEmpty());
}

TEST(TrainingFigures, OfAnEvaluationAreTheModelsTogether) {
  const auto evaluated = [](std::vector<std::vector<std::int64_t>> confusion) {
    return record::Evaluation{.model = "resnet18",
                              .data = "folder:wild",
                              .classes = {"cat", "dog"},
                              .confusion = std::move(confusion)};
  };
  const std::vector<record::Evaluation> evaluations = {evaluated({{8, 2}, {1, 9}}),
                                                       evaluated({{10, 0}, {6, 4}})};
  const std::string result = file_json(training::summarize_evaluations(evaluations)).dump();
  EXPECT_THAT(
      values_in(Mode::evaluate, result),  // 17 and 14 of 20
      UnorderedElementsAre(value("accuracy", 0.775), value("accuracy_deviation", 0.15 / M_SQRT2)));
}

}  // namespace
}  // namespace rooflab::study
