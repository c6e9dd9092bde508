#include "study/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/input_error.hpp"
#include "rooflab/base/text.hpp"
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
  return judge(stating(check), cases).sentence;
}

TEST(Verdict, KeepsWhatWasAsked) {
  const auto cases = product({"v100", "a100"}, {"predict"}, {2.0, 3.0});
  const Verdict verdict = judge(stating("time > 1"), cases);
  EXPECT_EQ(verdict.name, "h1");
  EXPECT_EQ(verdict.text, "a sentence");
  EXPECT_EQ(verdict.check, "time > 1");
  EXPECT_EQ(verdict.result, Verdict::Result::holds);
  EXPECT_EQ(verdict.sentence, "holds in all 2 cases");
  ASSERT_THAT(verdict.instances, SizeIs(2));
  EXPECT_EQ(verdict.instances[1].numbers, "3 s > 1");
}

TEST(Verdict, HoldsOrFailsInAll) {
  const auto cases = product({"v100", "a100"}, {"predict", "measure"}, {2.0, 3.0, 4.0, 5.0});
  EXPECT_EQ(judge(stating("time < 1"), cases).result, Verdict::Result::fails);
  EXPECT_EQ(sentence("time < 1", cases), "fails in all 4 cases");
  EXPECT_EQ(sentence("time(v100, predict) > 1", cases), "holds in the only case");
  EXPECT_EQ(sentence("time(v100, predict) < 1", cases), "fails in the only case");
}

TEST(Verdict, NamesWhereItDoesNotHold) {
  const auto cases = product({"v100", "a100"}, {"measure", "predict"}, {5.0, 5.0, 5.0, 1.0});
  EXPECT_EQ(judge(stating("time > 3"), cases).result, Verdict::Result::depends);
  EXPECT_EQ(sentence("time > 3", cases),
            "holds in 3 of 4 cases: not for device a100, mode predict");
  EXPECT_EQ(sentence("time < 3", cases),
            "holds in 1 of 4 cases: only for device a100, mode predict");
}

TEST(Verdict, NamesTheAttributeThatPartsThem) {
  const auto cases =
      product({"v100", "a100", "t4"}, {"measure", "predict"}, {5.0, 6.0, 1.0, 1.5, 5.0, 5.5});
  EXPECT_EQ(sentence("time > 3", cases), "holds in 4 of 6 cases: not for device a100");
  EXPECT_EQ(sentence("time < 3", cases), "holds in 2 of 6 cases: only for device a100");
  const auto modes = product({"v100", "a100"}, {"measure", "predict"}, {5.0, 1.0, 6.0, 1.5});
  EXPECT_EQ(sentence("time > 3", modes), "holds in 2 of 4 cases: not for mode predict");
  const auto batches = product({"a", "b", "c", "d", "e"}, {"predict"}, {1.0, 1.0, 9.0, 9.0, 9.0});
  EXPECT_EQ(sentence("time > 3", batches), "holds in 3 of 5 cases: not for device a and b");
}

TEST(Verdict, ListsAFewCasesAndCountsTheRest) {
  std::vector<std::string> devices;
  std::vector<double> times;
  for (int i = 0; i < 10; ++i) {
    devices.push_back(format("d{}", i));
    times.push_back(i < 5 ? 1.0 : 9.0);
  }
  EXPECT_EQ(sentence("time > 3", product(devices, {"predict"}, times)),
            "holds in 5 of 10 cases: not for device d0; device d1; device d2 and 2 more");
}

TEST(Verdict, TellsCasesThatNoAttributeTellsByTheirNumbers) {
  auto cases = product({"v100", "v100"}, {"published"}, {5.0, 1.0});
  EXPECT_EQ(sentence("time > 3", cases), "holds in 1 of 2 cases: not for 1 s > 3");
  EXPECT_EQ(sentence("time > 3", product({"t4"}, {"a", "a", "b", "b"}, {5.0, 1.0, 5.0, 1.0})),
            "holds in 2 of 4 cases: not for mode a; mode b");
  EXPECT_EQ(sentence("time > 3", product({"t4", "t4", "t4", "t4"}, {"a"}, {5.0, 5.0, 1.0, 1.0})),
            "holds in 2 of 4 cases: not for 1 s > 3");
  cases[0].attributes["channels-last"] = "yes";
  EXPECT_EQ(sentence("time < 3 or time > 30", cases),
            "holds in 1 of 2 cases: not for channels-last yes");
}

TEST(Verdict, SaysHowManyAreWithinTheIntervals) {
  const auto cases = product({"v100", "a100"}, {"measure", "predict"}, {5.0, 5.0, 5.0, 3.1});
  EXPECT_EQ(sentence("time > 3", cases), "holds in all 4 cases, 1 of them too close to call");
  EXPECT_EQ(sentence("time < 2.9", cases), "fails in all 4 cases, 1 of them too close to call");
  EXPECT_EQ(sentence("time(a100) > 3 and time(predict) > 3", product({"a100"}, {"predict"}, {3.1})),
            "holds in the only case, too close to call");
  EXPECT_EQ(sentence("time > 3", product({"v100", "a100"}, {"predict"}, {3.1, 3.2})),
            "holds in all 2 cases, all of them too close to call");
  EXPECT_EQ(sentence("time > 3.2", cases),
            "holds in 3 of 4 cases, 1 of the 4 too close to call: not for "
            "device a100, mode predict");
}

TEST(Verdict, IsUndecidedWithoutFigures) {
  const auto cases = product({"v100", "a100"}, {"predict"}, {1.0, 2.0});
  const Verdict verdict = judge(stating("time(t4) > time(v100) or limit > 1"), cases);
  EXPECT_EQ(verdict.result, Verdict::Result::undecided);
  EXPECT_EQ(verdict.sentence, "undecided: no case gives time(t4), limit");
  ASSERT_THAT(verdict.missing, SizeIs(2));
  EXPECT_EQ(verdict.missing[0].reason, "no case fits t4");
}

TEST(Verdict, IsUndecidedWithoutCasesThatAgree) {
  std::vector<StudyCase> cases = product({"v100"}, {"measure"}, {1.0});
  cases.push_back(product({"a100"}, {"predict"}, {2.0}).front());
  const Verdict verdict = judge(stating("time(v100) < time(a100)"), cases);
  EXPECT_EQ(verdict.result, Verdict::Result::undecided);
  EXPECT_THAT(verdict.missing, SizeIs(0));
  EXPECT_EQ(verdict.sentence,
            "undecided: no cases that agree in what the check leaves open give all its figures "
            "(mode: measure beside predict)");
}

TEST(Verdict, SaysInWhatTheNearestCasesDisagree) {
  std::vector<StudyCase> cases = {
      made({{"model", "alexnet"}, {"mode", "import"}, {"phase", "a"}}, {{"flops", 1.0}}),
      made({{"model", "vgg16"}, {"mode", "predict"}, {"phase", "b"}}, {{"time", 1.0}}),
      made({{"model", "resnet18"}, {"mode", "import"}, {"phase", "a"}}, {{"time", 1.0}})};
  EXPECT_EQ(sentence("flops > time", cases),
            "undecided: no cases that agree in what the check leaves open give all its figures "
            "(model: alexnet beside resnet18)");
  cases[2].attributes["phase"] = "B";
  EXPECT_EQ(sentence("flops > time", cases),
            "undecided: no cases that agree in what the check leaves open give all its figures "
            "(model: alexnet beside resnet18; phase: a beside B)");
}

TEST(Verdict, SaysThatTheDivisorIsZero) {
  const auto cases = product({"v100", "a100"}, {"predict"}, {1.0, 2.0});
  const Verdict verdict = judge(stating("time / (time - time) > 1"), cases);
  EXPECT_EQ(verdict.result, Verdict::Result::undecided);
  EXPECT_EQ(verdict.sentence, "undecided: the divisor is 0 in all 2 cases");
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
  EXPECT_EQ(sentence(check, cases), "holds in 2 of 4 cases: not for source no cuDNN");
  const Verdict verdict = judge(stating(check), cases);
  EXPECT_EQ(verdict.instances.at(0).where.at("source"), "cuDNN");
  EXPECT_EQ(judge(stating("time(published, source=cuDNN) > 0"), cases)
                .instances.at(0)
                .where.contains("source"),
            false);
  EXPECT_EQ(judge(stating("time(published, v100) < time(published, a100)"), cases)
                .instances.at(1)
                .where.at("source"),
            "cuDNN beside no cuDNN");
  // One source tells nothing beyond the mode.
  cases.resize(4);
  EXPECT_EQ(sentence("time > 2.5 or time(v100) > 30", cases),
            "holds in 2 of 4 cases: not for mode predict");
}

TEST(Verdict, AWrongCheckIsAnError) {
  EXPECT_EQ(error_of([] { return judge(stating("time >"), {}); }),
            "s.toml:12:16: expected a figure, a number or '('");
}

TEST(Verdict, Names) {
  EXPECT_EQ(name_of(Verdict::Result::holds), "holds");
  EXPECT_EQ(name_of(Verdict::Result::fails), "fails");
  EXPECT_EQ(name_of(Verdict::Result::depends), "depends");
  EXPECT_EQ(name_of(Verdict::Result::undecided), "undecided");
}

}  // namespace
}  // namespace rooflab::study
