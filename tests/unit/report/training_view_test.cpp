#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "../page/parts.hpp"
#include "../training/training_runs.hpp"
#include "rooflab/findings/findings.hpp"
#include "rooflab/page/document.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {
namespace {

using record::TrainingRun;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using training::training_run;
using training::TrainingTrial;

training::TrainingSummary two_devices() {
  std::vector<TrainingRun> runs = {
      training_run(1, {0.5, 0.92}, 0.9), training_run(2, {0.5, 0.7, 0.93}, 0.9),
      training_run(1, {0.5, 0.92}, 0.9, 20.0), training_run(2, {0.1, 0.2}, 0.9, 20.0)};
  runs[2].environment.device.name = runs[3].environment.device.name = "GPU B";
  runs[3].status = record::Status::failed;
  runs[3].message = "the loss is not a number";
  record::SampleSeries series{.device = "cuda:0", .name = "GPU A"};
  for (int i = 0; i < 5; ++i) {
    record::Sample sample;
    sample.time_s = i;
    sample.core_utilization = 0.6;
    sample.memory_utilization = 0.3;
    series.samples.push_back(sample);
  }
  runs[0].samples = {series};
  return training::summarize_training(
      {{"a/run-1", runs[0]}, {"a/run-2", runs[1]}, {"b/run-1", runs[2]}, {"b/run-2", runs[3]}});
}

TEST(TrainingView, CsvHasARowForEachRun) {
  const std::vector<std::vector<std::string>> rows =
      page::read_csv(page::render(training_view(two_devices()), page::Format::csv));
  ASSERT_EQ(rows.size(), 5U);
  const auto column = [&rows](const std::string& key) {
    return static_cast<std::size_t>(std::ranges::find(rows[0], key) - rows[0].begin());
  };
  EXPECT_EQ(rows[2][column("run_name")], "a/run-2");
  EXPECT_EQ(rows[2][column("seed")], "2");
  EXPECT_EQ(rows[2][column("time_to_target_s")], "33");
  EXPECT_EQ(rows[1][column("core_utilization_share")], "0.6");
  EXPECT_EQ(rows[2][column("core_utilization_share")], "");
  EXPECT_EQ(rows[3][column("samples_per_s")], "50");
  EXPECT_EQ(rows[4][column("time_to_target_s")], "");
  EXPECT_EQ(rows[4][column("outcome")], "failed");
}

TEST(TrainingView, SaysWhatTheRunsSayTogether) {
  const training::TrainingSummary summary = two_devices();
  const page::Document document = training_view(summary, "", findings::findings_of(summary));
  const page::Table& statistics = shown_table(document, "Over the runs");
  // Of GPU A: 22 and 33 s.
  EXPECT_EQ(page::shown_texts(statistics, 0)[1], "GPU A");
  EXPECT_EQ(page::shown_texts(statistics, 0)[2], "time to target");
  EXPECT_EQ(page::shown_texts(statistics, 0)[3], "2");
  EXPECT_EQ(page::shown_texts(statistics, 0)[4], "22 s and 33 s");
  EXPECT_EQ(page::shown_texts(statistics, 0)[6], "27.5 s");
  EXPECT_EQ(page::shown_texts(statistics, 0)[7], "-");
  // Of GPU B one: no spread.
  EXPECT_EQ(page::shown_texts(statistics, 4)[1], "GPU B");
  EXPECT_EQ(page::shown_texts(statistics, 4)[3], "1");
  EXPECT_EQ(page::shown_texts(statistics, 4)[7], "-");
  EXPECT_EQ(page::shown_table(document, "Between devices").rows[0].back().text, "too few runs");
  EXPECT_THAT(document.text_notes(), Contains("b/run-2: the loss is not a number"));
  ASSERT_FALSE(document.findings.empty());
  EXPECT_EQ(
      document.findings[0].text,
      "group 1, GPU A: training waits 10.0 % of its time for images, decoded by 4 threads; more"
      " --data-workers help where there are processors for them");
}

TEST(TrainingView, JsonHoldsTheFigures) {
  const Json json = training_view(two_devices()).json;
  EXPECT_EQ(json["schema_version"], schema_version);
  EXPECT_EQ(json["runs"].size(), 4U);
  EXPECT_EQ(json["runs"][1]["run_name"], "a/run-2");
  EXPECT_EQ(json["runs"][0]["sample_series"][0]["samples"].size(), 5U);
  EXPECT_EQ(json["groups"][0]["reached"], 2);
  EXPECT_EQ(json["groups"][0]["time_to_target_s"]["values"], Json::parse("[22.0, 33.0]"));
  EXPECT_TRUE(json["groups"][1]["time_to_target_s"]["deviation"].is_null());
  EXPECT_EQ(json["groups"][0]["training_advice"][0]["limiter"], "data-bound");
  EXPECT_EQ(json["comparisons"][0]["judgement"], "too few runs");
}

// To the target of 90 % and below it: GPU A in 22 and 33 s, of GPU B one run in 42 s. 33 - 22 over
// the root of two is 7.778.
TEST(TrainingView, SaysWhenAccuraciesWereReached) {
  const page::Document document = training_view(two_devices());
  const page::Table& milestones = page::shown_table(document, "Time to accuracy");
  ASSERT_EQ(milestones.rows.size(), 2U);  // below the target nothing else is known
  EXPECT_FALSE(milestones.columns.front().only_in_csv);
  EXPECT_EQ(page::shown_texts(milestones, 0),
            (std::vector<std::string>{"1", "GPU A", "90 %", "2", "2", "2.5", "22 s and 33 s", "-",
                                      "27.5 s", "-", "-"}));
  EXPECT_EQ(milestones.rows[0][2].raw, "0.9");
  EXPECT_EQ(page::shown_texts(milestones, 1),
            (std::vector<std::string>{"2", "GPU B", "90 %", "1", "1", "2", "42 s", "-", "42 s", "-",
                                      "-"}));
  // All came to the target, and of one run all is nothing to say.
  EXPECT_THAT(document.text_notes(), Not(Contains(HasSubstr("highest whole per cent"))));
  const Json json = document.json["groups"][0]["accuracy_milestones"];
  ASSERT_EQ(json.size(), 5U);
  EXPECT_EQ(json[0]["accuracy_share"], 0.9);
  EXPECT_EQ(json[0]["reached"], 2);
  EXPECT_EQ(json[0]["time_to_accuracy_s"]["values"], Json::parse("[22.0, 33.0]"));
  EXPECT_EQ(json[0]["epochs_to_accuracy"]["mean"], 2.5);
  EXPECT_THAT(page::render_html(training_view(two_devices()), "plotly"),
              HasSubstr("Time to accuracy"));
}

TEST(TrainingView, SaysHowFarAllRunsCame) {
  const std::vector<double> reaches = {0.1, 0.5, 0.7, 0.8, 0.9};
  const std::vector<double> misses = {0.1, 0.5, 0.7, 0.8, 0.85};
  const TrainingRun one = training_run(1, reaches, 0.9);
  const TrainingRun two = training_run(2, misses, 0.9);
  TrainingRun elsewhere = training_run(3, reaches, 0.9);
  elsewhere.environment.device.name = "GPU B";
  const page::Document alone =
      training_view(training::summarize_training({{"1", one}, {"2", two}}));
  EXPECT_TRUE(page::shown_table(alone, "Time to accuracy").columns.front().only_in_csv);
  EXPECT_THAT(
      alone.text_notes(),
      Contains("the highest whole per cent that each of the 2 complete runs reached is 85 %"));
  EXPECT_THAT(page::render_html(alone, "plotly"),
              HasSubstr("All 2 runs on GPU A reached 85 %, in "));
  const page::Document beside = training_view(
      training::summarize_training({{"1", one}, {"2", two}, {"3", two}, {"4", elsewhere}}));
  EXPECT_THAT(beside.text_notes(),
              Contains("group 1, GPU A: the highest whole per cent that each of the"
                       " 3 complete runs reached is 85 %"));
  EXPECT_THAT(beside.text_notes(), Not(Contains(HasSubstr("group 2, GPU B: the highest"))));
}

TEST(TrainingView, HasNoTimesToAccuraciesOfRunsThatWereCut) {
  const page::Document document =
      training_view(training::summarize_training({{"1", training_run(1, {0.5, 0.6}, 0.9)}}));
  const std::vector<const page::Table*> tables = document.text_tables();
  EXPECT_EQ(std::ranges::find(tables, "Time to accuracy", &page::Table::title), tables.end());
  EXPECT_EQ(document.json["groups"][0]["accuracy_milestones"], Json::array());
}

TEST(TrainingView, PageHasAccuracyTargetsAndUtilisation) {
  const page::Document document = training_view(two_devices(), "rooflab train");
  ASSERT_EQ(document.sections[0].heading, "Accuracy");
  ASSERT_EQ(document.sections[0].charts.size(), 2U);
  const chart::Chart& by_epoch = document.sections[0].charts[0].chart;
  const chart::Chart& by_time = document.sections[0].charts[1].chart;
  ASSERT_EQ(by_epoch.series.size(), 4U);
  EXPECT_EQ(by_epoch.series[1].points[2].x, 3.0);
  EXPECT_NEAR(by_epoch.series[1].points[2].y, 93.0, 1e-9);
  EXPECT_EQ(by_time.series[1].points[2].x, 33.0);
  ASSERT_EQ(by_epoch.guides.size(), 1U);
  EXPECT_EQ(by_epoch.guides[0].label, "target 90 %");
  const std::string html = page::render_html(document, "plotly");
  EXPECT_THAT(html, HasSubstr("Accuracy over time"));
  EXPECT_THAT(html, HasSubstr("a/run-1 cuda:0 core, mean 60 %"));
  EXPECT_THAT(html, HasSubstr("1 of 2 runs on GPU B reached 90 %"));
}

TEST(TrainingView, OfRunsThatNeverBeganIsATableOfReasons) {
  TrainingRun run = training_run(1, {}, 0.9);
  run.status = record::Status::crashed;
  run.message = "killed";
  const page::Document document = training_view(training::summarize_training({{"run-1", run}}));
  EXPECT_EQ(document.text_tables().size(), 2U);  // the run, and a group whose shares are unknown
  EXPECT_THAT(document.text_notes(), Contains("run-1: killed"));
  EXPECT_TRUE(document.sections[0].charts.empty());
  EXPECT_THAT(page::render_html(document, "plotly"), HasSubstr("0 of 1 run on GPU A reached 90 %"));
}

TEST(TrialView, SaysWhichAdviceHelped) {
  TrainingTrial given{.command = "train", .samples_per_s = {100, 102}};
  TrainingTrial workers{
      .advice = training::TrainingAdvice{.sentence = "waits",
                                         .changes = {{ChangedMember::data_workers, "8"}}},
      .command = "train --data-workers 8",
      .samples_per_s = {200, 204},
      .kept = true};
  TrainingTrial batch{
      .advice =
          training::TrainingAdvice{.sentence = "few", .changes = {{ChangedMember::batch, "256"}}},
      .samples_per_s = {202, 202}};
  const auto view = [](std::vector<TrainingTrial> trials) {
    return trial_view(training::summarize_trials(std::move(trials)));
  };
  const page::Document document = view({given, workers, batch});
  EXPECT_EQ(document.text_tables()[0]->rows[1][4].text, "+100.0 %");
  EXPECT_EQ(document.text_tables()[0]->rows[2][4].text, "+0.0 %");
  EXPECT_EQ(document.text_tables()[0]->rows[1].back().text, "helped, kept");
  EXPECT_EQ(document.text_tables()[0]->rows[2].back().text, "no gain beyond the spread");
  EXPECT_THAT(document.text_notes(),
              Contains("--data-workers 8 helped: 101 samples/s before, 202 after"
                       " (+100.0 %)"));
  EXPECT_THAT(document.text_notes(), Contains("faster: train --data-workers 8"));
  EXPECT_THAT(view({given, batch}).notes, Contains("nothing that was tried helped"));
  batch.failure = "interrupted";
  EXPECT_EQ(view({given, batch}).tables[0].rows[1].back().text, "cut short");
  batch.samples_per_s.clear();
  EXPECT_EQ(view({given, batch}).tables[0].rows[1].back().text, "failed");
}

record::Evaluation evaluation(std::string checkpoint, std::int64_t right) {
  return {.checkpoint = std::move(checkpoint),
          .model = "resnet18",
          .data = "folder:wild",
          .classes = {"cat", "dog", "eel"},
          .confusion = {{right, 10 - right, 0}, {2, 8, 0}, {0, 0, 0}},
          .loss = 0.5};
}

TEST(EvaluationView, SumsOverTheModels) {
  const std::vector<record::Evaluation> evaluations = {evaluation("a.pt", 8),
                                                       evaluation("b.pt", 10)};
  const page::Document document = evaluation_view(training::summarize_evaluations(evaluations));
  const std::vector<std::vector<std::string>> rows =
      page::read_csv(page::render(document, page::Format::csv));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1], (std::vector<std::string>{"a.pt", "resnet18", "folder:wild", "20", "16", "0.8",
                                               "0.5"}));
  EXPECT_EQ(document.text_tables()[0]->totals[0][5].text, "85.00 %");
  // Two speak for themselves; the deviation of 70, 80 and 90 % is 10 %.
  EXPECT_EQ(document.text_tables()[0]->totals.size(), 1U);
  EXPECT_EQ(document.answer.at(0), "2 models recognise 80.00 % and 90.00 % of the images.");
  const page::Document three = evaluation_view(training::summarize_evaluations(
      {evaluation("a.pt", 6), evaluation("b.pt", 8), evaluation("c.pt", 10)}));
  EXPECT_EQ(three.text_tables()[0]->totals.at(1)[5].text, "10.00 %");
  const page::Table& confusion =
      page::shown_table(document, "Confusion: labels down, predictions across");
  ASSERT_EQ(confusion.rows.size(), 2U);
  EXPECT_EQ(confusion.rows[0][1].text, "18");
  EXPECT_EQ(confusion.rows[1][1].text, "4");
  EXPECT_THAT(document.text_notes(),
              Contains("1 of 3 classes of the models have no images here: eel"));
  EXPECT_EQ(document.json["groups"][0]["confusion"], Json::parse("[[18,2,0],[4,16,0],[0,0,0]]"));
  EXPECT_NEAR(document.json["groups"][0]["models_accuracy_share"]["mean"].get<double>(), 0.85,
              1e-12);
  EXPECT_THAT(page::render_html(document, "plotly"), HasSubstr("90.0 %"));
}

TEST(EvaluationView, ListsTheMostFrequentConfusionsOfManyClasses) {
  record::Evaluation many{.checkpoint = "a.pt", .model = "resnet18", .data = "folder:wild"};
  many.confusion.assign(30, std::vector<std::int64_t>(30, 0));
  for (std::size_t i = 0; i < 30; ++i) {
    many.classes.push_back("class" + std::to_string(i));
    many.confusion[i][i] = 10;
    many.confusion[i][(i + 1) % 30] = static_cast<std::int64_t>(i + 1);
  }
  const page::Document document = evaluation_view(training::summarize_evaluations({many}));
  const page::Table& confusions = page::shown_table(document, "The 20 most frequent confusions");
  ASSERT_EQ(confusions.rows.size(), 20U);
  EXPECT_EQ(confusions.rows[0][0].text, "class29");
  EXPECT_EQ(confusions.rows[0][1].text, "class0");
  EXPECT_EQ(confusions.rows[0][2].text, "30");
}

}  // namespace
}  // namespace rooflab::report
