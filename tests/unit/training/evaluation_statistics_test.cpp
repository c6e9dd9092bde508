#include <gtest/gtest.h>

#include "rooflab/training/training_summary.hpp"

namespace rooflab::training {
namespace {

using record::Evaluation;

Evaluation evaluation(std::vector<std::vector<std::int64_t>> confusion) {
  return {.model = "resnet18",
          .data = "folder:wild",
          .classes = {"cat", "dog", "eel"},
          .confusion = std::move(confusion)};
}

TEST(EvaluationGroups, SumTheConfusionOverTheModels) {
  const std::vector<Evaluation> evaluations = {evaluation({{8, 2, 0}, {1, 9, 0}, {0, 0, 0}}),
                                               evaluation({{10, 0, 0}, {5, 4, 1}, {0, 0, 0}})};
  const std::vector<EvaluationGroup> groups = summarize_evaluations(evaluations).groups;
  ASSERT_EQ(groups.size(), 1U);
  const EvaluationGroup& group = groups.front();
  EXPECT_EQ(group.confusion,
            (std::vector<std::vector<std::int64_t>>{{18, 2, 0}, {6, 13, 1}, {0, 0, 0}}));
  // 17 and 14 of 20: mean 0.775, deviation 0.15 / sqrt(2).
  EXPECT_NEAR(group.accuracy->statistics.mean, 0.775, 1e-12);
  EXPECT_NEAR(group.accuracy->statistics.deviation, 0.106066, 1e-6);
  const std::vector<ClassAccuracy> classes = group.by_class();
  EXPECT_NEAR(*classes[0].accuracy(), 0.9, 1e-12);
  EXPECT_NEAR(*classes[1].accuracy(), 0.65, 1e-12);
  EXPECT_EQ(classes[1].images, 20);
  EXPECT_FALSE(classes[2].accuracy());
  const std::vector<Confusion> confusions = group.confusions();
  ASSERT_EQ(confusions.size(), 3U);
  EXPECT_EQ(confusions[0].label, "dog");
  EXPECT_EQ(confusions[0].prediction, "cat");
  EXPECT_EQ(confusions[0].images, 6);
}

TEST(EvaluationGroups, PartModelsOfOtherClasses) {
  std::vector<Evaluation> evaluations(3, evaluation({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
  evaluations[1].classes = {"eel", "dog", "cat"};
  evaluations[2].confusion = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  const std::vector<EvaluationGroup> groups = summarize_evaluations(evaluations).groups;
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].models, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(groups[0].accuracy->statistics.count, 1U);  // no images, no accuracy
}

}  // namespace
}  // namespace rooflab::training
