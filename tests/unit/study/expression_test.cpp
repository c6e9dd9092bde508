#include "study/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "../base/input_error.hpp"
#include "base/format.hpp"
#include "study_cases.hpp"

namespace rooflab::study {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

/// The opening quote at line 12, column 9: the text begins in column 10.
const Location place{"s.toml", 12, 9, std::nullopt};

Expression parsed(std::string_view text) { return Expression::parse(text, place); }

std::string fault(const std::string& text) {
  return error_of([&] { return parsed(text); });
}

std::string hint(const std::string& text) {
  try {
    (void)parsed(text);
  } catch (const Error& error) {
    return error.hint();
  }
  return "no error";
}

/// One case: time 24.1 ms (23 to 25), limit 11.9 ms, flops 2 G, bytes 100 M, speed_up 0.
const std::vector<StudyCase> one_case = {
    made({{"model", "resnet18"}, {"device", "v100"}, {"mode", "measure"}},
         {{"time", 0.0241, 0.023, 0.025},
          {"limit", 0.0119, {}, {}},
          {"flops", 2e9, {}, {}},
          {"bytes", 1e8, {}, {}},
          {"speed_up", 0.0, {}, {}}})};

Expression::Instance only(std::string_view text, const std::vector<StudyCase>& cases = one_case) {
  const std::vector<Expression::Instance> instances = parsed(text).evaluate(cases);
  EXPECT_THAT(instances, SizeIs(1)) << text;
  return instances.empty() ? Expression::Instance{} : instances.front();
}

bool holds(std::string_view text) { return only(text).holds; }
std::string numbers(std::string_view text) { return only(text).numbers; }

// A measured A100 without `gpus` is of one device, and does not pair with a V100 case of two.
TEST(Expression, ACaseThatDoesNotStateGpusIsOfOne) {
  const std::vector<StudyCase> cases = {
      made({{"device", "a100"}, {"mode", "predict"}}, {{"time", 1.0}}),
      made({{"device", "v100"}, {"mode", "predict"}, {"gpus", "1"}}, {{"time", 2.0}}),
      made({{"device", "v100"}, {"mode", "predict"}, {"gpus", "2"}}, {{"time", 0.5}})};
  const auto instances = parsed("time(a100) < time(v100)").evaluate(cases);
  ASSERT_THAT(instances, SizeIs(1));
  EXPECT_TRUE(instances[0].holds);
  EXPECT_THAT(parsed("time(gpus=1) > 0").evaluate(cases), SizeIs(2));
  EXPECT_THAT(parsed("time(a100) > time(v100, gpus=2)").evaluate(cases), SizeIs(1));
}

// A step on two devices is measured by scale, that on one by measure.
TEST(Expression, MeasuredCasesGoTogetherHoweverTheyWereMeasured) {
  const std::vector<StudyCase> cases = {
      made({{"device", "a100"}, {"mode", "measure"}}, {{"samples_per_s", 100.0}}),
      made({{"device", "a100"}, {"mode", "scale"}, {"gpus", "2"}}, {{"samples_per_s", 190.0}}),
      made({{"device", "a100"}, {"mode", "predict"}, {"gpus", "2"}}, {{"samples_per_s", 250.0}})};
  const auto instances =
      parsed("samples_per_s(gpus=2) < 2 * samples_per_s(gpus=1)").evaluate(cases);
  ASSERT_THAT(instances, SizeIs(1));
  EXPECT_TRUE(instances[0].holds);
}

// How long was measured does not tell cases of an experiment apart.
TEST(Expression, FlagsOfMeasuringAreComparedWithinAGroup) {
  const std::vector<StudyCase> cases = {
      made({{"device", "cpu"}, {"mode", "measure"}, {"group", "a"}, {"iterations", "3"}},
           {{"time", 1.0}}),
      made({{"device", "gpu"}, {"mode", "measure"}, {"group", "b"}, {"iterations", "100"}},
           {{"time", 0.1}})};
  const auto instances = parsed("time(gpu) < time(cpu)").evaluate(cases);
  ASSERT_THAT(instances, SizeIs(1));
  EXPECT_THAT(instances[0].where, ElementsAre(Pair("mode", "measure")));
  // Unless one group varies it.
  std::vector<StudyCase> varied = {cases[0], cases[0]};
  varied[1].attributes["iterations"] = "100";
  EXPECT_THAT(parsed("time(cpu) == time(device=cpu)").evaluate(varied), SizeIs(2));
  varied[1].attributes["group"] = "another";
  EXPECT_THAT(parsed("time(cpu) == time(device=cpu)").evaluate(varied), SizeIs(4));
}

TEST(Expression, Comparisons) {
  EXPECT_TRUE(holds("time > limit"));
  EXPECT_FALSE(holds("time < limit"));
  EXPECT_FALSE(holds("time <= limit"));
  EXPECT_TRUE(holds("flops >= 2e9"));
  EXPECT_FALSE(holds("flops > 2e9"));
  EXPECT_TRUE(holds("flops == 2000000000"));
  EXPECT_TRUE(holds("flops ~ 2.105e9"));   // 0.105 of 2.105 is 4.99 %
  EXPECT_FALSE(holds("flops ~ 2.106e9"));  // 0.106 of 2.106 is 5.03 %
  EXPECT_TRUE(holds("flops ~ 1.9e9"));     // 5 % of the larger
  EXPECT_FALSE(holds("-flops ~ flops"));
}

TEST(Expression, EqualIsWithinABillionthAndPartsLessFromMore) {
  EXPECT_TRUE(holds("flops == 2000000001"));
  EXPECT_TRUE(holds("flops >= 2000000001"));
  EXPECT_FALSE(holds("flops < 2000000001"));
  EXPECT_TRUE(holds("flops == 2000000001.9"));
  EXPECT_FALSE(holds("flops == 2000000002.1"));
  EXPECT_TRUE(holds("flops < 2000000003"));
  EXPECT_TRUE(holds("speed_up == 0"));
}

TEST(Expression, ChainsMeanAnd) {
  EXPECT_TRUE(holds("1 s > time > limit"));
  EXPECT_FALSE(holds("1 s > limit > time"));
  EXPECT_TRUE(holds("0 < limit <= limit < time < 1"));
}

TEST(Expression, OrderOfOperations) {
  EXPECT_TRUE(holds("flops == 1e9 + 2 * 500M"));
  EXPECT_TRUE(holds("flops == 10G - 4G - 4G"));
  EXPECT_TRUE(holds("flops == 16G / 4 / 2"));
  EXPECT_TRUE(holds("flops == (1e9 + 1e9) * 1"));
  EXPECT_TRUE(holds("flops == -(1e9 - 3e9)"));
  EXPECT_TRUE(holds("flops == 2 - -1999999998"));
  EXPECT_TRUE(holds("time > 0 or time < 0 and time < 0"));
  EXPECT_FALSE(holds("(time > 0 or time < 0) and time < 0"));
  EXPECT_TRUE(holds("not time < 0 and time > 0"));
  EXPECT_FALSE(holds("not (time < 0 or time > 0)"));
  EXPECT_TRUE(holds("not not time > 0"));
}

TEST(Expression, NumbersHaveUnits) {
  EXPECT_TRUE(holds("flops == 2G"));
  EXPECT_TRUE(holds("flops == 2 GFLOP"));
  EXPECT_TRUE(holds("flops / time < 83GFLOP/s"));
  EXPECT_TRUE(holds("bytes == 100 MB"));
  EXPECT_TRUE(holds("bytes == 95.367431640625MiB"));
  EXPECT_TRUE(holds("time == 24.1ms"));
  EXPECT_TRUE(holds("time == 24100 us"));
  EXPECT_TRUE(holds("time == 2.41e-2 s"));
  EXPECT_TRUE(holds("limit / time < 50%"));
  EXPECT_TRUE(holds("flops / bytes == 20"));
  EXPECT_TRUE(holds("limit * 2 kW == 23.8 J"));
  EXPECT_TRUE(holds("bytes / time < 4.15GB/s"));
  EXPECT_TRUE(holds("1 s/time > 41"));  // `s/time` is not a unit
}

// By hand: 24.1 / 11.9 = 2.0252 with 23 / 11.9 = 1.9328 and 25 / 11.9 = 2.1008; 2 GFLOP / 100 MB =
// 20.
TEST(Expression, ShowsWhatIsComparedAndWhatIsAllowed) {
  const auto shown = [](const char* check) {
    std::string text = numbers(check);
    constexpr std::string_view before = "24.1 ms / 11.9 ms = 2.025 (allowed ";
    constexpr std::string_view after = "; interval 1.933 to 2.101)";
    EXPECT_THAT(text, testing::StartsWith(std::string(before)));
    EXPECT_THAT(text, testing::EndsWith(std::string(after)));
    return text.substr(before.size(), text.size() - before.size() - after.size());
  };
  EXPECT_EQ(shown("time > limit"), "over 1");
  EXPECT_EQ(shown("time(resnet18)<=3*limit"), "at most 3");
  EXPECT_EQ(shown("time / 2 < limit"), "under 2");
  EXPECT_EQ(shown("time / limit >= 1.5"), "at least 1.5");
  EXPECT_EQ(shown("1.5 <= time / limit < 2.5"), "1.5 to 2.5");
  EXPECT_EQ(shown("2.5 > time / limit > 1.5"), "1.5 to 2.5");
  EXPECT_EQ(shown("1.5 < time / limit"), "over 1.5");
  EXPECT_EQ(shown("time ~ 2 * limit"), "1.9 to 2.105");
  EXPECT_EQ(shown("time == limit"), "exactly 1");
  EXPECT_EQ(numbers("2 * time / limit > 1"),
            "2 * 24.1 ms / 11.9 ms = 4.05 (allowed over 1; interval 3.866 to 4.202)");
  EXPECT_EQ(numbers("flops / bytes > 10"), "2 GFLOP / 100 MB = 20 (allowed over 10)");
  EXPECT_EQ(numbers("2 * 3 < flops"), "2 GFLOP (allowed over 6)");
  EXPECT_EQ(numbers("time < 10 ms"), "24.1 ms (allowed under 10 ms; interval 23 ms to 25 ms)");
  EXPECT_EQ(numbers("limit ~ 20 ms"), "11.9 ms (allowed 19 ms to 21.05 ms)");
  EXPECT_EQ(numbers("0 < limit < 50ms"), "11.9 ms (allowed 0 to 50ms)");
}

TEST(Expression, ShowsBothSidesWithoutAQuotient) {
  EXPECT_EQ(numbers("limit - (limit - limit) > -(limit)"),
            "11.9 ms - (11.9 ms - 11.9 ms) = 11.9 ms (allowed over -11.9 ms)");
  EXPECT_EQ(numbers("limit * 1 GFLOP/s > flops"),
            "11.9 ms * 1 GFLOP/s = 1.19e+07 (allowed over 2 GFLOP)");
  EXPECT_EQ(numbers("limit + limit > limit - time"),
            "11.9 ms + 11.9 ms = 23.8 ms (allowed over 11.9 ms - 24.1 ms = -12.2 ms)");
  EXPECT_EQ(numbers("((flops)) * (limit + 1) > 0"),
            "2 GFLOP * (11.9 ms + 1) = 2.024e+09 (allowed over 0)");
}

TEST(Expression, ShowsEachPartOfACheck) {
  EXPECT_EQ(numbers("flops>1e9 and not limit<10  ms or limit == 2 s"),
            "2 GFLOP (allowed over 1e9) and 11.9 ms (allowed at least 10  ms) or "
            "11.9 ms (allowed exactly 2 s)");
  EXPECT_EQ(numbers("flops > 0 and (limit > 0 or limit < 0)"),
            "2 GFLOP (allowed over 0) and (11.9 ms (allowed over 0) or 11.9 ms (allowed under "
            "0))");
  EXPECT_EQ(numbers("2 s > limit > 1 ms > -1"),
            "11.9 ms (allowed under 2 s) and 11.9 ms (allowed over 1 ms) and 1 ms > -1");
  EXPECT_EQ(numbers("not limit ~ 1"), "not (11.9 ms (allowed 950 ms to 1.053 s))");
}

// 2 s (1 to 3) over 1 s (0.5 to 2): from 1 / 2 to 3 / 0.5. A divisor that may be 0 has no ends.
TEST(Expression, ShowsTheIntervalOfWhatIsCompared) {
  const auto shown = [](const std::string& check, double low) {
    const std::vector<StudyCase> cases = {
        made({}, {{"time", 2.0, 1.0, 3.0}, {"limit", 1.0, low, 2.0}, {"flops", 3.0}})};
    return parsed(check).evaluate(cases).at(0).numbers;
  };
  EXPECT_EQ(shown("time > 3 * limit", 0.5), "2 s / 1 s = 2 (allowed over 3; interval 0.5 to 6)");
  EXPECT_EQ(shown("time < 4 s", 0.5), "2 s (allowed under 4 s; interval 1 s to 3 s)");
  EXPECT_EQ(shown("time > limit", 0.0), "2 s / 1 s = 2 (allowed over 1)");
  EXPECT_EQ(shown("flops > 2", 0.5), "3 FLOP (allowed over 2)");
}

// Three values: the interval inside what is allowed, outside of it, or on both sides of the bound.
TEST(Expression, AnIntervalThatOverlapsTheBoundIsUndecided) {
  const auto judgement = [](const std::string& check) {
    const std::vector<StudyCase> cases = {made({}, {{"time", 2.0, 1.5, 3.0}})};
    return parsed(check).evaluate(cases).at(0).judgement();
  };
  EXPECT_EQ(judgement("time > 1"), Judgement::supported);
  EXPECT_EQ(judgement("time > 4"), Judgement::refuted);
  EXPECT_EQ(judgement("time > 1.8"), Judgement::undecided);  // holds by the value
  EXPECT_EQ(judgement("time > 2.5"), Judgement::undecided);  // fails by the value
  EXPECT_EQ(judgement("1 < time < 4"), Judgement::supported);
  EXPECT_EQ(judgement("1 < time < 2.5"), Judgement::undecided);
  EXPECT_EQ(judgement("not time > 4"), Judgement::supported);
  EXPECT_EQ(judgement("time > 4 or time > 1"), Judgement::supported);
  EXPECT_EQ(judgement("time > 4 and time > 1.8"), Judgement::refuted);
}

TEST(Expression, WordsFitAnyAttributeOrThatOfTheirKey) {
  const std::vector<StudyCase> cases = {made(
      {{"model", "VGG 16"}, {"batch", "4"}, {"channels-last", "yes"}}, {{"time", 1.0, {}, {}}})};
  for (const char* text :
       {"time > 0", "time() > 0", "time ( 'VGG 16' ) > 0", "time(\"vgg 16\", 4) > 0",
        "time(batch=4,model='vgg 16') > 0", "time(batch = '4') > 0", "time(channels-last) > 0",
        "time(channels-last=yes) > 0"}) {
    EXPECT_THAT(parsed(text).evaluate(cases), SizeIs(1)) << text;
    EXPECT_THAT(parsed(text).missing(cases), IsEmpty()) << text;
  }
  for (const char* text :
       {"time(16) > 0", "time(batch=16) > 0", "time(model=4) > 0", "time(depth=4) > 0",
        "time('VGG 16', 8) > 0", "limit > 0", "time(yes) > 0"}) {
    EXPECT_THAT(parsed(text).evaluate(cases), IsEmpty()) << text;
    EXPECT_THAT(parsed(text).missing(cases), SizeIs(1)) << text;
  }
}

/// Two networks on two devices, predicted, and one published row on each device without a batch.
std::vector<StudyCase> grid() {
  std::vector<StudyCase> cases;
  double time = 0.0;
  for (const std::string model : {"resnet18", "resnet50"}) {
    for (const std::string device : {"v100", "a100"}) {
      time += 1.0;
      cases.push_back(made({{"model", model},
                            {"device", device},
                            {"batch", "1"},
                            {"mode", "predict"},
                            {"group", "g-" + model},
                            {"place", "p-" + device}},
                           {{"time", time, {}, {}}}));
    }
  }
  for (const std::string device : {"V100", "A100"}) {
    time += 1.0;
    cases.push_back(made({{"model", "resnet18"},
                          {"device", device},
                          {"mode", "published"},
                          {"source", "report of " + device}},
                         {{"time", time, {}, {}}, {"flops", 1e9 * time, {}, {}}}));
  }
  return cases;
}

TEST(ExpressionJoin, HoldsEqualWhatNeitherFigureFixes) {
  const auto instances = parsed("time(resnet50) > time(resnet18)").evaluate(grid());
  ASSERT_THAT(instances, SizeIs(2));
  EXPECT_EQ(instances[0].numbers, "3 s / 1 s = 3 (allowed over 1)");
  EXPECT_THAT(instances[0].where,
              ElementsAre(Pair("batch", "1"), Pair("device", "v100"), Pair("mode", "predict")));
  EXPECT_THAT(instances[0].cases, ElementsAre("predict-resnet50-v100", "predict-resnet18-v100"));
  EXPECT_EQ(instances[1].numbers, "4 s / 2 s = 2 (allowed over 1)");
}

TEST(ExpressionJoin, AFixedAttributeIsNotCompared) {
  const auto instances = parsed("time(v100) < time(device=a100)").evaluate(grid());
  ASSERT_THAT(instances, SizeIs(3));
  EXPECT_EQ(instances[0].numbers, "1 s / 2 s = 0.5 (allowed under 1)");
  EXPECT_EQ(instances[1].numbers, "3 s / 4 s = 0.75 (allowed under 1)");
  EXPECT_EQ(instances[2].numbers, "5 s / 6 s = 0.8333 (allowed under 1)");
  EXPECT_THAT(instances[2].where, ElementsAre(Pair("mode", "published"), Pair("model", "resnet18"),
                                              Pair("source", "report of V100 and report of A100")));
  // What the other figure fixes runs freely.
  EXPECT_THAT(parsed("time(v100, resnet50) < time(resnet50)").evaluate(grid()), SizeIs(2));
}

TEST(ExpressionJoin, AnAttributeThatACaseLacksAndTheCaseOfLettersDoNotMatter) {
  const auto instances = parsed("time(published) > time(predict)").evaluate(grid());
  ASSERT_THAT(instances, SizeIs(2));
  EXPECT_EQ(instances[0].numbers, "5 s / 1 s = 5 (allowed over 1)");
  EXPECT_EQ(instances[1].numbers, "6 s / 2 s = 3 (allowed over 1)");
  EXPECT_THAT(instances[1].where,
              ElementsAre(Pair("batch", "1"), Pair("device", "A100"), Pair("model", "resnet18"),
                          Pair("source", "report of A100")));
}

TEST(ExpressionJoin, ADeviceGoesByTwoNames) {
  std::vector<StudyCase> cases;
  for (const std::string model : {"resnet18", "resnet50"}) {
    cases.push_back(made({{"model", model}, {"device", "v100-sxm2-16gb"}, {"named", "v100"}},
                         {{"time", 2.0, {}, {}}}));
    cases.push_back(made({{"model", model}, {"device", "a100-sxm4-40gb"}, {"named", "a100"}},
                         {{"time", 1.0, {}, {}}}));
    // The same device by another word, as a publisher calls it.
    cases.push_back(made({{"model", model}, {"device", "v100-sxm2-16gb"}, {"named", "Tesla V100"}},
                         {{"flops", 1e9, {}, {}}}));
  }
  for (const char* text : {"time(v100) > time(a100)", "time(device=v100) > time(a100-sxm4-40gb)",
                           "time(named=v100) > time(device=a100-sxm4-40gb)", "flops / time > 2"}) {
    EXPECT_THAT(parsed(text).evaluate(cases), SizeIs(2)) << text;
  }
  const auto instances = parsed("flops / time > 0").evaluate(cases);
  ASSERT_THAT(instances, SizeIs(2));
  EXPECT_THAT(instances[1].where,
              ElementsAre(Pair("device", "v100-sxm2-16gb"), Pair("model", "resnet50")));
}

TEST(ExpressionJoin, ASingleFigureIsStatedOfEveryCaseThatHasIt) {
  const auto instances = parsed("flops > 5.5e9").evaluate(grid());
  ASSERT_THAT(instances, SizeIs(2));
  EXPECT_FALSE(instances[0].holds);
  EXPECT_TRUE(instances[1].holds);
  EXPECT_THAT(instances[1].cases, ElementsAre("published-resnet18-A100"));
}

TEST(ExpressionJoin, TheSameFigureTwiceIsOfTheSameCase) {
  const std::vector<StudyCase> twice = {
      made({{"model", "a"}, {"source", "1"}}, {{"time", 1.0, {}, {}}}),
      made({{"model", "a"}, {"source", "2"}}, {{"time", 2.0, {}, {}}})};
  const auto same = parsed("time(a, source='2') > 0 or time(source=2, A) < 0").evaluate(twice);
  EXPECT_THAT(same, SizeIs(1));
  EXPECT_THAT(same.front().cases, SizeIs(1));
  EXPECT_THAT(parsed("time(a) > 1 or time(a) <= 1").evaluate(twice), SizeIs(2));
  // Cases that differ in their source alone: all combinations.
  const auto other = parsed("time(a) >= time(model=a)").evaluate(twice);
  ASSERT_THAT(other, SizeIs(4));
  EXPECT_EQ(other[1].numbers, "1 s / 2 s = 0.5 (allowed at least 1)");
  EXPECT_EQ(other[2].numbers, "2 s / 1 s = 2 (allowed at least 1)");
}

TEST(ExpressionJoin, TooManyCombinationsAreAnErrorAtTheCheck) {
  std::vector<StudyCase> cases;
  cases.reserve(400);
  for (int i = 0; i < 400; ++i) {
    cases.push_back(
        made({{"batch", std::to_string(i)}, {"device", "t4"}}, {{"time", 1.0, {}, {}}}));
  }
  EXPECT_THAT(parsed("time > 0").evaluate(cases), SizeIs(400));
  EXPECT_THAT(parsed("time ~ time(t4)").evaluate(cases), SizeIs(400));
  for (StudyCase& each : cases) each.attributes = {{"source", each.attributes["batch"]}};
  EXPECT_EQ(error_of([&] { return parsed("time ~ time('1') + time()").evaluate(cases); }),
            "no error");
  for (StudyCase& each : cases) each.attributes["model"] = "vgg16";
  EXPECT_EQ(error_of([&] { return parsed("time > time(vgg16)").evaluate(cases); }),
            "s.toml:12:9: the check can be made in more than 100,000 ways");
}

TEST(ExpressionJoin, AQuotientByNothingIsNoFigure) {
  EXPECT_THAT(parsed("time / speed_up > 1").evaluate(one_case), IsEmpty());
  EXPECT_THAT(parsed("time / speed_up > 1 or time > 0").evaluate(one_case), IsEmpty());
  EXPECT_THAT(parsed("1 / (time / speed_up) == 0").evaluate(one_case), IsEmpty());
  const std::vector<StudyCase> broken = {made({{"model", "a"}}, {{"time", std::nan(""), {}, {}}})};
  EXPECT_THAT(parsed("time > 1").evaluate(broken), IsEmpty());
  EXPECT_THAT(parsed("time > 1").missing(broken), SizeIs(1));
}

/// a is 10 (9 to 11), b is 11.5 (10.5 to 12.5), c is 20 (19 to 21), exact 10.
bool close_of(const std::string& text) {
  static const std::vector<StudyCase> cases = {
      made({{"model", "a"}}, {{"time", 10.0, 9.0, 11.0}}),
      made({{"model", "b"}}, {{"time", 11.5, 10.5, 12.5}}),
      made({{"model", "c"}}, {{"time", 20.0, 19.0, 21.0}}),
      made({{"model", "exact"}}, {{"time", 10.0, {}, {}}}),
      made({{"model", "half"}}, {{"time", 10.0, 9.0, {}}}),
      made({{"model", "around"}}, {{"time", 0.5, -0.5, 1.5}}),
      made({{"model", "narrow"}}, {{"time", 10.0, 9.9, 10.1}}),
      made({{"model", "near"}}, {{"time", 10.2, 10.1, 10.3}})};
  return only(text, cases).close;
}

TEST(ExpressionClose, WhenTheIntervalsOfTheSidesOverlap) {
  EXPECT_TRUE(close_of("time(a) < time(b)"));
  EXPECT_TRUE(close_of("time(b) <= time(a)"));
  EXPECT_FALSE(close_of("time(a) < time(c)"));
  EXPECT_FALSE(close_of("time(exact) == 10"));
  EXPECT_TRUE(close_of("time(a) == 10"));
  EXPECT_FALSE(close_of("time(a) == 12"));
  EXPECT_TRUE(close_of("time(half) < 9.5"));
  EXPECT_FALSE(close_of("time(half) < 10.5"));
}

TEST(ExpressionClose, IntervalsGoThroughArithmetic) {
  EXPECT_TRUE(close_of("2 * time(a) > time(c)"));           // 18 to 22 and 19 to 21
  EXPECT_FALSE(close_of("2 * time(a) > 17"));               // 18 to 22
  EXPECT_TRUE(close_of("time(c) - time(a) > 11"));          // 8 to 12
  EXPECT_FALSE(close_of("time(c) - time(a) > 12.1"));       // 8 to 12
  EXPECT_TRUE(close_of("time(c) + time(a) < 28.1"));        // 28 to 32
  EXPECT_FALSE(close_of("time(c) + time(a) < 27.9"));       // 28 to 32
  EXPECT_TRUE(close_of("time(c) / time(a) > 2.3"));         // 19/11 to 21/9
  EXPECT_FALSE(close_of("time(c) / time(a) > 2.4"));        // 19/11 to 21/9
  EXPECT_FALSE(close_of("-time(a) > -8.9"));                // -11 to -9
  EXPECT_TRUE(close_of("-time(a) > -9.1"));                 // -11 to -9
  EXPECT_FALSE(close_of("time(around) * time(a) < -5.6"));  // -5.5 to 16.5
  EXPECT_TRUE(close_of("time(around) * time(a) < -5.4"));
  EXPECT_TRUE(close_of("time(around) * time(a) < 16.4"));
  EXPECT_TRUE(close_of("time(a) / time(around) < -1000000"));  // the divisor may be 0
}

TEST(ExpressionClose, OfNearIsWhetherItCouldBeOtherwise) {
  EXPECT_FALSE(close_of("time(narrow) ~ time(near)"));  // 10.3 and 9.9 differ by 3.9 %
  EXPECT_TRUE(close_of("time(a) ~ time(near)"));
  EXPECT_TRUE(close_of("time(a) ~ time(b)"));  // 15 % apart, but 11 and 10.5 are possible
  EXPECT_FALSE(close_of("time(a) ~ time(c)"));
  EXPECT_FALSE(close_of("time(c) ~ time(a)"));
  EXPECT_FALSE(close_of("time(a) ~ -10"));
  EXPECT_TRUE(close_of("-time(a) ~ -11"));
  EXPECT_FALSE(close_of("time(a) ~ 11.6"));  // 11 is 5.2 % below
  EXPECT_TRUE(close_of("time(a) ~ 11.57"));  // 11 is 4.9 % below
  EXPECT_FALSE(close_of("time(exact) ~ 10.1"));
}

TEST(ExpressionClose, OnlyWhereItDecides) {
  EXPECT_TRUE(close_of("time(a) < time(b) and time(a) < time(c)"));
  EXPECT_FALSE(close_of("time(a) < time(b) and time(a) > time(c)"));
  EXPECT_FALSE(close_of("time(a) < time(b) or time(a) < time(c)"));
  EXPECT_TRUE(close_of("time(a) < time(b) or time(a) > time(c)"));
  EXPECT_TRUE(close_of("not time(a) < time(b)"));
  EXPECT_TRUE(close_of("time(a) < time(b) < time(c)"));
}

std::vector<std::pair<std::string, std::string>> missing(const std::string& text,
                                                         const std::vector<StudyCase>& cases) {
  std::vector<std::pair<std::string, std::string>> list;
  for (const Expression::Missing& each : parsed(text).missing(cases)) {
    list.emplace_back(each.figure, each.reason);
  }
  return list;
}

TEST(ExpressionMissing, SaysWhichFigureAndWhy) {
  std::vector<StudyCase> cases = grid();
  cases.push_back(made({{"model", "vgg16"}, {"device", "t4"}}, {}));
  cases.back().reason = "not run yet";
  EXPECT_THAT(missing("time(resnet18) > 0", cases), IsEmpty());
  EXPECT_THAT(missing("time(vgg16) > time(resnet55) + limit(resnet18, v100)", cases),
              ElementsAre(Pair("time(vgg16)", "not run yet"),
                          Pair("time(resnet55)", "no case fits resnet55; resnet50 is near"),
                          Pair("limit(resnet18, v100)", "predict-resnet18-v100 has none")));
  EXPECT_THAT(missing("time(resnet50, published) > time(device='Tesla T4')", cases),
              ElementsAre(Pair("time(resnet50, published)", "no case fits all these words at once"),
                          Pair("time(device='Tesla T4')", "no case fits device='Tesla T4'")));
  EXPECT_THAT(missing("time(depth=4, batch=x) > 0", cases),
              ElementsAre(Pair("time(depth=4, batch=x)", "no case has the attribute depth")));
  EXPECT_THAT(missing("time > 0", {}), ElementsAre(Pair("time", "it has no cases")));
}

TEST(ExpressionErrors, AreAtTheColumnOfTheFile) {
  EXPECT_EQ(fault("tme(resnet18) > 1"), "s.toml:12:10: unknown quantity 'tme'");
  EXPECT_EQ(hint("tme(resnet18) > 1"), "did you mean 'time'?");
  EXPECT_EQ(fault("time(\xc3\xa4) > tme"), "s.toml:12:20: unknown quantity 'tme'");
  EXPECT_EQ(fault("time(a >\ntme"), "s.toml:12:9: expected ',' or ')'");
  EXPECT_EQ(error_of([] {
              return Expression::parse("time >", Location{"s.toml", {}, {}, {}});
            }),
            "s.toml: expected a figure, a number or '('");
}

TEST(ExpressionErrors, Syntax) {
  EXPECT_EQ(fault(""), "s.toml:12:10: the check is empty");
  EXPECT_EQ(fault("  "), "s.toml:12:12: the check is empty");
  EXPECT_EQ(fault("time >"), "s.toml:12:16: expected a figure, a number or '('");
  EXPECT_EQ(fault("time > and"), "s.toml:12:17: expected a figure, a number or '('");
  EXPECT_EQ(fault("time > .5"), "s.toml:12:17: expected a figure, a number or '('");
  EXPECT_EQ(fault("time > 5."), "s.toml:12:18: expected an operator");
  EXPECT_EQ(fault("(time > 5"), "s.toml:12:19: expected ')'");
  EXPECT_EQ(fault("(time > 5 time"), "s.toml:12:20: expected an operator or ')'");
  EXPECT_EQ(fault("time > 5)"), "s.toml:12:18: the bracket closes nothing");
  EXPECT_EQ(fault("time = 5"), "s.toml:12:15: expected an operator");
  EXPECT_EQ(hint("time = 5"), "equal is '==', within 5 % of each other '~'");
  EXPECT_EQ(hint("time != 5"), "unequal is not a == b");
  EXPECT_EQ(hint("time > 5 && time < 6"), "both is 'and'");
  EXPECT_EQ(hint("time > 5 || time < 6"), "one of them is 'or'");
  EXPECT_EQ(fault("time > 5 time"), "s.toml:12:19: expected an operator");
  EXPECT_EQ(fault("resnet18 > 5"), "s.toml:12:10: unknown quantity 'resnet18'");
}

TEST(ExpressionErrors, InBrackets) {
  EXPECT_EQ(fault("time("), "s.toml:12:15: expected a value, or a key and its value");
  EXPECT_EQ(fault("time(a"), "s.toml:12:16: expected ')'");
  EXPECT_EQ(fault("time(a,) > 0"), "s.toml:12:17: expected a value, or a key and its value");
  EXPECT_EQ(fault("time(,a) > 0"), "s.toml:12:15: expected a value, or a key and its value");
  EXPECT_EQ(fault("time('') > 0"), "s.toml:12:15: expected a value, or a key and its value");
  EXPECT_EQ(fault("time(batch=) > 0"), "s.toml:12:21: expected a value");
  EXPECT_EQ(fault("time(batch='') > 0"), "s.toml:12:21: expected a value");
  EXPECT_EQ(fault("time(batch==4) > 0"), "s.toml:12:21: expected a value");
  EXPECT_EQ(fault("time(=4) > 0"), "s.toml:12:15: expected a key before '='");
  EXPECT_EQ(fault("time(VGG 16) > 0"), "s.toml:12:19: expected ',' or ')'");
  EXPECT_EQ(hint("time(VGG 16) > 0"), "put a value with blanks in quotes: 'VGG 16'");
  EXPECT_EQ(fault("time('VGG 16) > 0"), "s.toml:12:15: the quote is not closed");
}

TEST(ExpressionErrors, OfNumbers) {
  EXPECT_EQ(fault("time > 5 mss"), "s.toml:12:19: unknown unit 'mss'");
  EXPECT_EQ(hint("time > 5 mss"), "did you mean 'ms'?");
  EXPECT_EQ(hint("flops > 5 GFLOPS"), "did you mean 'GFLOP'?");
  EXPECT_EQ(hint("bytes > 5gb"), "did you mean 'GB'?");
  EXPECT_EQ(fault("time > 2 time"), "s.toml:12:19: expected an operator");
  EXPECT_EQ(fault("time > 1e999"), "s.toml:12:17: the number is too large or too small");
  EXPECT_EQ(fault("time > 1e300P and time > 1e300TFLOP"),
            "s.toml:12:17: the number is too large or too small");
}

TEST(ExpressionErrors, OfUnits) {
  EXPECT_EQ(fault("time < 5 GB"), "s.toml:12:17: this compares s with B");
  EXPECT_EQ(hint("time < 5 GB"),
            "both need one unit; a number without a unit takes that of the other side");
  EXPECT_EQ(fault("memory < 3 ms"), "s.toml:12:19: this compares B with s");
  EXPECT_EQ(fault("time > memory"), "s.toml:12:17: this compares s with B");
  EXPECT_EQ(fault("limit < time < 2 * memory"), "s.toml:12:25: this compares s with B");
  EXPECT_EQ(fault("time + memory > 1"), "s.toml:12:17: this sum is of s and B");
  EXPECT_EQ(fault("time - 1 kB > 0"), "s.toml:12:17: this sum is of s and B");
  EXPECT_EQ(fault("1 > 0 and 3 J < time"), "s.toml:12:26: this compares J with s");
  EXPECT_EQ(fault("throughput > 1 GFLOP"), "s.toml:12:23: this compares FLOP/s with FLOP");
  EXPECT_EQ(fault("time < 5 %"), "s.toml:12:17: this compares s with a number without unit");
  EXPECT_EQ(fault("time > speed_up"), "s.toml:12:17: this compares s with a number without unit");
  EXPECT_EQ(fault("not (flops / time < 3 GB/s)"), "s.toml:12:30: this compares FLOP/s with B/s");
  for (const char* good :
       {"time < 5", "time < 5 ms", "time + 1 > 2 ms", "flops / time > 1 TFLOP/s",
        "time < 5 % * limit", "flops ~ 2 * macs", "4 * parameters ~ parameter_memory",
        "4 B * parameters ~ parameter_memory", "energy ~ power * time", "time / limit < 120 %",
        "flops > 5 G", "accuracy > 50 %", "bytes / bandwidth < time", "intensity < ridge_point",
        "samples_per_s * time > 1", "-time < 0", "speed_up > 1.8", "speed_up < gpus"}) {
    EXPECT_EQ(fault(good), "no error") << good;
  }
}

TEST(ExpressionErrors, NumbersAreNoStatements) {
  EXPECT_EQ(fault("time(resnet18)"), "s.toml:12:10: the check compares nothing");
  EXPECT_EQ(hint("time"), "for example time(resnet50) > time(resnet18)");
  EXPECT_EQ(fault("1 < 2"), "s.toml:12:10: the check names no figure");
  EXPECT_EQ(fault("time and limit > 1"), "s.toml:12:10: 'and' takes comparisons, not numbers");
  EXPECT_EQ(fault("time > 1 or limit"), "s.toml:12:22: 'or' takes comparisons, not numbers");
  EXPECT_EQ(fault("not time"), "s.toml:12:14: 'not' takes comparisons, not numbers");
  EXPECT_EQ(fault("1 + (time > 1) > 0"), "s.toml:12:15: '+' takes numbers, not comparisons");
  EXPECT_EQ(fault("-(time > 1) > 0"), "s.toml:12:12: '-' takes numbers, not comparisons");
  EXPECT_EQ(fault("(time > 1) > 0"), "s.toml:12:11: a comparison takes numbers, not comparisons");
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

TEST(ExpressionErrors, DeepNestingIsRefusedAndLengthIsNot) {
  EXPECT_TRUE(holds(repeated("(", 100) + "time > 0" + repeated(")", 100)));
  EXPECT_EQ(fault(repeated("(", 101) + "time > 0" + repeated(")", 101)),
            "s.toml:12:111: the check is nested more than 100 deep");
  EXPECT_EQ(fault("time > " + repeated("-", 100'000) + "1"),
            "s.toml:12:118: the check is nested more than 100 deep");
  EXPECT_EQ(fault(repeated("not ", 100'000) + "time > 1"),
            "s.toml:12:413: the check is nested more than 100 deep");
  EXPECT_FALSE(holds("flops < 0" + repeated(" + 1", 100'000)));
  EXPECT_TRUE(holds("flops > 0" + repeated(" and flops > 1", 20'000)));
}

/// A random statement over quantities of one case, and what it is. They have no unit, so that each
/// can be compared with each.
struct Random {
  std::mt19937 bits{20240607};
  const std::map<std::string, double> values = {
      {"speed_up", 0.5}, {"accuracy", 0.25}, {"gpus", 12.0}, {"epochs", 3.0}, {"idle", 7.0}};

  int below(int count) { return static_cast<int>(bits() % static_cast<unsigned>(count)); }
  std::string blank() { return repeated(" ", below(3)); }

  std::pair<std::string, double> atom(int depth) {
    switch (depth <= 0 ? below(2) : below(4)) {
      case 0: {
        const auto found = std::next(values.begin(), below(static_cast<int>(values.size())));
        return {found->first, found->second};
      }
      case 1: {
        const int number = below(20);
        return {std::to_string(number) + ".5", number + 0.5};
      }
      case 2: {
        const auto [text, value] = atom(depth - 1);
        return {"-" + blank() + text, -value};
      }
      default: {
        const auto [text, value] = sum(depth - 1);
        return {"(" + blank() + text + blank() + ")", value};
      }
    }
  }
  std::pair<std::string, double> product(int depth) {
    auto [text, value] = atom(depth);
    for (int i = below(3); i > 0; --i) {
      const auto [right, other] = atom(depth);
      const bool times = below(2) == 0;
      text += blank() + (times ? "*" : "/") + blank() + right;
      value = times ? value * other : value / other;
      finite = finite && std::isfinite(value);
    }
    return {text, value};
  }
  std::pair<std::string, double> sum(int depth) {
    auto [text, value] = product(depth);
    for (int i = below(3); i > 0; --i) {
      const auto [right, other] = product(depth);
      const bool plus = below(2) == 0;
      text += blank() + (plus ? "+" : "-") + blank() + right;
      value = plus ? value + other : value - other;
    }
    return {text, value};
  }
  std::pair<std::string, bool> truth(int depth) {
    if (depth <= 0 || below(3) == 0) {
      const auto [left, a] = sum(depth);
      const auto [right, b] = sum(depth);
      const bool equal = std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
      switch (below(3)) {
        case 0:
          return {left + blank() + "<" + blank() + right, a < b && !equal};
        case 1:
          return {left + blank() + ">=" + blank() + right, a > b || equal};
        default:
          return {left + blank() + "==" + blank() + right, equal};
      }
    }
    const auto [left, a] = truth(depth - 1);
    if (below(4) == 0) return {"not (" + left + ")", !a};
    const auto [right, b] = truth(depth - 1);
    switch (below(3)) {
      case 0:
        return {"(" + left + ") and (" + right + ")", a && b};
      case 1:
        return {"(" + left + " or " + right + ")", a || b};
      default:
        return {"(" + left + ")and not(" + right + ")", a && !b};
    }
  }
  bool finite = true;
};

TEST(ExpressionProperty, AgreesWithPlainArithmetic) {
  Random random;
  StudyCase one = made({{"model", "a"}}, {});
  for (const auto& [name, value] : random.values) one.figures.push_back({name, value, {}, {}});
  int checked = 0;
  for (int i = 0; i < 3000; ++i) {
    random.finite = true;
    auto [text, expected] = random.truth(4);
    text += " or gpus < 0";
    const auto instances = parsed(text).evaluate(std::span(&one, 1));
    ASSERT_EQ(instances.size(), random.finite ? 1U : 0U) << text;
    if (!random.finite) continue;
    ++checked;
    ASSERT_EQ(instances.front().holds, expected) << text;
    ASSERT_FALSE(instances.front().close) << text;
  }
  EXPECT_GT(checked, 2000);
}

/// Intervals are right when no choice of values within them gives another result where none is
/// close.
TEST(ExpressionProperty, AResultThatIsNotCloseDoesNotChangeWithinTheIntervals) {
  Random random;
  int sure = 0;
  int close = 0;
  for (int i = 0; i < 3000; ++i) {
    auto [text, expected] = random.truth(2);
    text += " or gpus < 0";
    StudyCase one = made({{"model", "a"}}, {});
    for (const auto& [name, value] : random.values) {
      one.figures.push_back({name, value, 0.8 * value, 1.1 * value});
    }
    const Expression expression = parsed(text);
    const auto instances = expression.evaluate(std::span(&one, 1));
    if (instances.empty()) continue;
    (instances.front().close ? close : sure) += 1;
    if (instances.front().close) continue;
    for (int j = 0; j < 8; ++j) {
      StudyCase other = one;
      for (Figure& figure : other.figures) {
        figure = {figure.quantity, figure.value * (0.8 + 0.1 * random.below(4)), {}, {}};
      }
      const auto again = expression.evaluate(std::span(&other, 1));
      if (again.empty()) continue;
      ASSERT_EQ(again.front().holds, instances.front().holds) << text << "\n" << again[0].numbers;
    }
  }
  EXPECT_GT(sure, 1000);
  EXPECT_GT(close, 100);
}

/// The rule, case by case, without any cleverness.
TEST(ExpressionProperty, JoinsByTheRule) {
  Random random;
  const std::vector<std::string> keys = {"batch", "device", "mode", "source"};
  for (int round = 0; round < 200; ++round) {
    std::vector<StudyCase> cases;
    for (int i = 0; i < 6; ++i) {
      StudyCase each = made({}, {{"time", 1.0, {}, {}}});
      for (const std::string& key : keys) {
        if (random.below(4) > 0) each.attributes[key] = key + std::to_string(random.below(2));
      }
      each.id = std::to_string(i);
      cases.push_back(std::move(each));
    }
    // Of every figure a key that it fixes to a value, or none; figures differ by a word that fits.
    struct Fixed {
      std::string key;
      std::string value;
    };
    std::vector<Fixed> figures;
    for (int i = 0; i < 3; ++i) {
      const std::string& key = keys[static_cast<std::size_t>(i)];
      figures.push_back({key, key + std::to_string(random.below(2))});
    }
    const std::string text = format("time({}) + time({}) > time({}={})", figures[0].value,
                                    figures[1].value, figures[2].key, figures[2].value);
    std::vector<std::string> expected;
    const auto agree = [&](std::size_t a, const Fixed& x, std::size_t b, const Fixed& y) {
      for (const std::string key : {"batch", "device", "mode"}) {
        if (key == x.key || key == y.key) continue;
        const auto& left = cases[a].attributes;
        const auto& right = cases[b].attributes;
        if (left.contains(key) && right.contains(key) && left.at(key) != right.at(key))
          return false;
      }
      return true;
    };
    const auto fits = [&](std::size_t i, const Fixed& fixed) {
      return cases[i].attribute(fixed.key) == fixed.value;
    };
    for (std::size_t a = 0; a < cases.size(); ++a) {
      for (std::size_t b = 0; b < cases.size(); ++b) {
        for (std::size_t c = 0; c < cases.size(); ++c) {
          if (fits(a, figures[0]) && fits(b, figures[1]) && fits(c, figures[2]) &&
              agree(a, figures[0], b, figures[1]) && agree(a, figures[0], c, figures[2]) &&
              agree(b, figures[1], c, figures[2])) {
            expected.push_back(format("{} {} {}", a, b, c));
          }
        }
      }
    }
    std::vector<std::string> found;
    for (const auto& each : parsed(text).evaluate(cases)) found.push_back(join(each.cases, " "));
    ASSERT_EQ(found, expected) << text;
  }
}

}  // namespace
}  // namespace rooflab::study
