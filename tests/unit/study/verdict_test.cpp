#include "study/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/input_error.hpp"
#include "base/format.hpp"
#include "study_cases.hpp"

namespace rooflab::study {
namespace {

using testing::SizeIs;

Hypothesis stating(std::string check) {
  return {"h1", "a sentence", std::move(check), Location{"s.toml", 12, 9, std::nullopt}};
}

/// One case with a time in seconds for every device and mode of a product.
std::vector<StudyCase> product(const std::vector<std::string>& devices,
                               const std::vector<std::string>& modes,
                               const std::vector<double>& times) {
  std::vector<StudyCase> cases;
  for (const std::string& device : devices) {
    for (const std::string& mode : modes) {
      const double time = times.at(cases.size());
      cases.push_back(made({{"device", device}, {"mode", mode}, {"phase", "training"}},
                           {{"time", time, 0.9 * time, 1.1 * time}}));
    }
  }
  return cases;
}

std::string sentence(const std::string& check, const std::vector<StudyCase>& cases) {
  return judge(stating(check), cases).sentence();
}

TEST(Verdict, KeepsWhatWasAsked) {
  const auto cases = product({"v100", "a100"}, {"predict"}, {2.0, 3.0});
  const Verdict verdict = judge(stating("time > 1"), cases);
  EXPECT_EQ(verdict.name, "h1");
  EXPECT_EQ(verdict.text, "a sentence");
  EXPECT_EQ(verdict.check, "time > 1");
  EXPECT_EQ(verdict.result, Judgement::supported);
  EXPECT_EQ(verdict.reason, "in both cases");
  EXPECT_EQ(verdict.sentence(), "supported in both cases");
  ASSERT_THAT(verdict.instances, SizeIs(2));
  EXPECT_EQ(verdict.instances[1].numbers, "3 s (allowed over 1; interval 2.7 s to 3.3 s)");
}

TEST(Verdict, SupportedOrRefutedInAll) {
  const auto cases = product({"v100", "a100"}, {"predict", "measure"}, {2.0, 3.0, 4.0, 5.0});
  EXPECT_EQ(judge(stating("time < 1"), cases).result, Judgement::refuted);
  EXPECT_EQ(sentence("time < 1", cases), "refuted in all 4 cases");
  EXPECT_EQ(sentence("time(v100) < 1", cases), "refuted in both cases");
  EXPECT_EQ(sentence("time(v100, predict) > 1", cases), "supported in the only case");
  EXPECT_EQ(sentence("time(v100, predict) < 1", cases), "refuted in the only case");
}

TEST(Verdict, OneClearCaseRefutesAndIsNamed) {
  const auto cases = product({"v100", "a100"}, {"measure", "predict"}, {5.0, 5.0, 5.0, 1.0});
  EXPECT_EQ(judge(stating("time > 3"), cases).result, Judgement::refuted);
  EXPECT_EQ(sentence("time > 3", cases), "refuted in 1 of 4 cases: for device a100, mode predict");
  EXPECT_EQ(sentence("time < 3", cases),
            "refuted in 3 of 4 cases: not for device a100, mode predict");
}

TEST(Verdict, NamesTheAttributeThatPartsThem) {
  const auto cases =
      product({"v100", "a100", "t4"}, {"measure", "predict"}, {5.0, 6.0, 1.0, 1.5, 5.0, 5.5});
  EXPECT_EQ(sentence("time > 3", cases), "refuted in 2 of 6 cases: for device a100");
  EXPECT_EQ(sentence("time < 3", cases), "refuted in 4 of 6 cases: not for device a100");
  const auto modes = product({"v100", "a100"}, {"measure", "predict"}, {5.0, 1.0, 6.0, 1.5});
  EXPECT_EQ(sentence("time > 3", modes), "refuted in 2 of 4 cases: for mode predict");
  const auto batches = product({"a", "b", "c", "d", "e"}, {"predict"}, {1.0, 1.0, 9.0, 9.0, 9.0});
  EXPECT_EQ(sentence("time > 3", batches), "refuted in 2 of 5 cases: for device a and b");
}

TEST(Verdict, ListsAFewCasesAndCountsTheRest) {
  std::vector<std::string> devices;
  std::vector<double> times;
  for (int i = 0; i < 10; ++i) {
    devices.push_back(format("d{}", i));
    times.push_back(i < 5 ? 1.0 : 9.0);
  }
  EXPECT_EQ(sentence("time > 3", product(devices, {"predict"}, times)),
            "refuted in 5 of 10 cases: for device d0; device d1; device d2 and 2 more");
}

TEST(Verdict, TellsCasesThatNoAttributeTellsByTheirNumbers) {
  auto cases = product({"v100", "v100"}, {"published"}, {5.0, 1.0});
  const std::string low = "1 s (allowed over 3; interval 900 ms to 1.1 s)";
  EXPECT_EQ(sentence("time > 3", cases), "refuted in 1 of 2 cases: for " + low);
  EXPECT_EQ(sentence("time > 3", product({"t4"}, {"a", "a", "b", "b"}, {5.0, 1.0, 5.0, 1.0})),
            "refuted in 2 of 4 cases: for mode a; mode b");
  EXPECT_EQ(sentence("time > 3", product({"t4", "t4", "t4", "t4"}, {"a"}, {5.0, 5.0, 1.0, 1.0})),
            "refuted in 2 of 4 cases: for " + low);
  cases[0].attributes["channels-last"] = "yes";
  EXPECT_EQ(sentence("time < 3 or time > 30", cases),
            "refuted in 1 of 2 cases: for channels-last yes");
}

// Intervals are 10 % to either side: 3.1 s is 2.79 to 3.41 s, which has 3 s in it.
TEST(Verdict, ACaseThatIsTooCloseToCallDecidesNothing) {
  const auto cases = product({"v100", "a100"}, {"measure", "predict"}, {5.0, 5.0, 5.0, 3.1});
  EXPECT_EQ(judge(stating("time > 3"), cases).result, Judgement::undecided);
  EXPECT_EQ(sentence("time > 3", cases),
            "undecided: 1 of 4 cases is too close to call, for device a100, mode predict; the "
            "others support it");
  EXPECT_EQ(judge(stating("time > 3.2"), cases).result, Judgement::undecided);
  EXPECT_EQ(sentence("time > 3", product({"a100"}, {"predict"}, {3.1})),
            "undecided: the only case is too close to call");
  const auto both = product({"v100", "a100"}, {"predict"}, {3.1, 2.9});
  EXPECT_EQ(judge(stating("time > 3"), both).result, Judgement::undecided);
  EXPECT_EQ(sentence("time > 3", both), "undecided: both cases are too close to call");
  const auto three = product({"v100", "a100", "t4"}, {"predict"}, {3.1, 2.9, 3.0});
  EXPECT_EQ(sentence("time > 3", three), "undecided: all 3 cases are too close to call");
  // One that clearly contradicts refutes, whatever the others leave open.
  EXPECT_EQ(judge(stating("time < 3"), cases).result, Judgement::refuted);
  EXPECT_EQ(sentence("time < 3", cases),
            "refuted in 3 of 4 cases: not for device a100, mode predict; 1 of 4 cases is too close "
            "to call");
}

// What is explained is not what it claims to be: it supports nothing.
TEST(Verdict, PublishedFiguresWithAnExplanationDoNotCount) {
  std::vector<StudyCase> cases = product({"v100", "a100"}, {"published", "predict"}, {2, 2, 3, 3});
  cases[0].id = id_of_published(0);
  cases[2].id = id_of_published(1);
  std::vector<Explanation> explanations = {
      {.kind = Explanation::Kind::set_up, .figures = {{1, "time"}}}};
  const auto judged = [&](const std::string& check) {
    return judge(stating(check), cases, explanations);
  };
  EXPECT_EQ(judged("time(v100, published) < 1.5 * time(a100, published)").sentence(),
            "undecided: the only case rests on doubtful published figures: start-up time "
            "or more steps are included");
  EXPECT_EQ(judged("time(v100) < time(a100)").sentence(),
            "supported in the only case; 1 more rests on doubtful published figures: start-up time "
            "or more steps are included");
  EXPECT_EQ(judged("time(published) > 1").sentence(),
            "supported in the only case; 1 more rests on doubtful published figures: start-up time "
            "or more steps are included");
  // A doubtful figure refutes nothing either.
  EXPECT_EQ(judged("time(published) < 2.5").result, Judgement::supported);
  EXPECT_EQ(judged("time(v100, published) > 1").sentence(), "supported in the only case");
  explanations[0].figures = {{1, "counted_flops"}};
  EXPECT_EQ(judged("time(published) > 1").sentence(), "supported in both cases");
}

TEST(Verdict, IsUndecidedWithoutFigures) {
  const auto cases = product({"v100", "a100"}, {"predict"}, {1.0, 2.0});
  const Verdict verdict = judge(stating("time(t4) > time(v100) or limit > 1"), cases);
  EXPECT_EQ(verdict.result, Judgement::undecided);
  EXPECT_EQ(verdict.sentence(), "undecided: no case gives time(t4), limit");
  ASSERT_THAT(verdict.missing, SizeIs(2));
  EXPECT_EQ(verdict.missing[0].reason, "no case fits t4");
}

TEST(Verdict, IsUndecidedWithoutCasesThatAgree) {
  std::vector<StudyCase> cases = product({"v100"}, {"measure"}, {1.0});
  cases.push_back(product({"a100"}, {"predict"}, {2.0}).front());
  const Verdict verdict = judge(stating("time(v100) < time(a100)"), cases);
  EXPECT_EQ(verdict.result, Judgement::undecided);
  EXPECT_THAT(verdict.missing, SizeIs(0));
  EXPECT_EQ(verdict.sentence(),
            "undecided: no cases that agree in what the check leaves open give all its figures "
            "(mode: measure versus predict)");
}

TEST(Verdict, SaysInWhatTheNearestCasesDisagree) {
  std::vector<StudyCase> cases = {
      made({{"model", "alexnet"}, {"mode", "import"}, {"phase", "a"}}, {{"flops", 1.0}}),
      made({{"model", "vgg16"}, {"mode", "predict"}, {"phase", "b"}}, {{"time", 1.0}}),
      made({{"model", "resnet18"}, {"mode", "import"}, {"phase", "a"}}, {{"time", 1.0}})};
  EXPECT_EQ(sentence("flops / time > 1", cases),
            "undecided: no cases that agree in what the check leaves open give all its figures "
            "(model: alexnet versus resnet18)");
  cases[2].attributes["phase"] = "B";
  EXPECT_EQ(sentence("flops / time > 1", cases),
            "undecided: no cases that agree in what the check leaves open give all its figures "
            "(model: alexnet versus resnet18; phase: a versus B)");
}

TEST(Verdict, SaysThatTheDivisorIsZero) {
  const auto cases = product({"v100", "a100"}, {"predict"}, {1.0, 2.0});
  const Verdict verdict = judge(stating("time / (time - time) > 1"), cases);
  EXPECT_EQ(verdict.result, Judgement::undecided);
  EXPECT_EQ(verdict.sentence(), "undecided: the divisor is 0 in all 2 cases");
  EXPECT_EQ(sentence("1 / (time(v100) - 1 s) > 1", cases),
            "undecided: the divisor is 0 in the only case");
  EXPECT_EQ(sentence("time * 1e300 * 1e300 > 1", cases),
            "undecided: a number is not finite in all 2 cases");
}

TEST(Verdict, ASourcePartsPublishedCases) {
  std::vector<StudyCase> cases = product({"v100", "a100"}, {"predict"}, {2.0, 2.0});
  for (const char* const source : {"cuDNN", "no cuDNN"}) {
    for (StudyCase& each : product({"v100", "a100"}, {"published"}, {3.0, 3.0})) {
      each.attributes["source"] = source;
      each.figures = {{"time", std::string(source) == "cuDNN" ? 3.0 : 9.0}};
      cases.push_back(std::move(each));
    }
  }
  const std::string check = "time(published) < 2 * time(predict)";
  EXPECT_EQ(sentence(check, cases), "refuted in 2 of 4 cases: for source no cuDNN");
  const Verdict verdict = judge(stating(check), cases);
  EXPECT_EQ(verdict.instances.at(0).where.at("source"), "cuDNN");
  EXPECT_EQ(judge(stating("time(published, source=cuDNN) > 0"), cases)
                .instances.at(0)
                .where.contains("source"),
            false);
  EXPECT_EQ(judge(stating("time(published, v100) < time(published, a100)"), cases)
                .instances.at(1)
                .where.at("source"),
            "cuDNN and no cuDNN");
  // One source tells nothing beyond the mode.
  cases.resize(4);
  EXPECT_EQ(sentence("time > 2.5 or time(v100) > 30", cases),
            "refuted in 2 of 4 cases: for mode predict");
}

TEST(Verdict, AWrongCheckIsAnError) {
  EXPECT_EQ(error_of([] { return judge(stating("time >"), {}); }),
            "s.toml:12:16: expected a figure, a number or '('");
}

TEST(Verdict, Names) {
  EXPECT_EQ(name_of(Judgement::supported), "supported");
  EXPECT_EQ(name_of(Judgement::refuted), "refuted");
  EXPECT_EQ(name_of(Judgement::undecided), "undecided");
}

}  // namespace
}  // namespace rooflab::study
