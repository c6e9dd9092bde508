#include "study/published/published_figure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study_cases.hpp"

namespace rooflab::study {
namespace {

using testing::ElementsAre;

/// One row of a T4 that prints a time and parameters.
Study printed(double time, double parameters) {
  PublishedRow row;
  row.source = "a paper";
  row.where = {{"model", "resnet18"}, {"device", "t4"}};
  row.values = {{"parameters", parameters}, {"time", time}};
  Study study;
  study.published = {row};
  return study;
}

StudyCase own(const std::string& mode, std::vector<Figure> figures) {
  return made({{"mode", mode}, {"model", "resnet18"}, {"device", "t4"}}, std::move(figures));
}

/// The time of a study that prints it, and ours.
PublishedFigure time_of(const Study& study, const std::vector<StudyCase>& cases) {
  return published_figures(study, cases, {}).at(1);
}

TEST(PublishedFigure, AgreesWithinTenPerCentOrInTheInterval) {
  const std::vector<StudyCase> cases = {own("predict", {{"time", 1.0, 0.5, 1.5}, {"flops", 1.0}})};
  for (const auto& [time, agrees] :
       {std::pair(1.09, true), {1.4, true}, {0.5, true}, {1.6, false}, {0.4, false}, {1.0, true}}) {
    const Study study = printed(time, 1e6);
    EXPECT_EQ(time_of(study, cases).agrees(), agrees) << time;
  }
  const std::vector<StudyCase> exact = {own("predict", {{"time", 1.0}})};
  for (const auto& [time, agrees] :
       {std::pair(1.09, true), {1.11, false}, {0.92, true}, {0.9, false}}) {
    const Study study = printed(time, 1e6);
    EXPECT_EQ(time_of(study, exact).agrees(), agrees) << time;
  }
}

TEST(PublishedFigure, IsComparedWithTheMeasuredOneWhereThereIsOne) {
  const std::vector<StudyCase> cases = {own("predict", {{"time", 1.0}}),
                                        own("measure", {{"time", 4.0}})};
  const Study study = printed(2.0, 1e6);
  const PublishedFigure figure = time_of(study, cases);
  EXPECT_EQ(ratio_to(figure.value, figure.predicted), 2.0);
  EXPECT_EQ(figure.ratio(), 0.5);
  EXPECT_EQ(figure.error_factor(), 2.0);
  // Nothing of ours, or nothing above zero, has no ratio.
  EXPECT_EQ(published_figures(study, cases, {}).at(0).ratio(), std::nullopt);
  EXPECT_FALSE(published_figures(study, cases, {}).at(0).agrees());
  EXPECT_EQ(ratio_to(0.0, figure.predicted), std::nullopt);
}

TEST(PublishedFigure, HasTheFirstOneThatExplainsIt) {
  const Study study = printed(2.0, 1e6);
  const std::vector<StudyCase> cases = {own("predict", {{"time", 1.0}})};
  const std::vector<Explanation> explanations = {
      {.kind = Explanation::Kind::slip, .figures = {{0, "parameters"}, {1, "time"}}},
      {.kind = Explanation::Kind::set_up, .figures = {{0, "time"}}}};
  const auto figures = published_figures(study, cases, explanations);
  EXPECT_EQ(figures.at(0).explanation, &explanations[0]);
  EXPECT_EQ(figures.at(1).explanation, &explanations[1]);
}

// 2 is 2 times too large, 0.1 is 10 times too small; what agrees or has nothing of ours is last.
TEST(PublishedFigure, ExplanationsAreSortedWorstFirst) {
  Study study = printed(2.0, 1e6);
  study.published.push_back(study.published.front());
  study.published[1].values["time"] = 0.1;
  const std::vector<StudyCase> cases = {own("predict", {{"time", 1.0}})};
  std::vector<Explanation> explanations = {
      {.subject = "parameters", .figures = {{0, "parameters"}}},
      {.subject = "none"},
      {.subject = "2x", .figures = {{0, "time"}}},
      {.subject = "10x", .figures = {{0, "time"}, {1, "time"}}}};
  const auto figures = published_figures(study, cases, explanations);
  EXPECT_EQ(error_factor_of(explanations[3], study, figures), 10.0);
  EXPECT_EQ(error_factor_of(explanations[1], study, figures), std::nullopt);
  sort_worst_first(explanations, study, cases);
  std::vector<std::string> subjects;
  for (const Explanation& each : explanations) subjects.push_back(each.subject);
  EXPECT_THAT(subjects, ElementsAre("10x", "2x", "parameters", "none"));
}

}  // namespace
}  // namespace rooflab::study
