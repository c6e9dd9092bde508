#include "study/shown_value.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/thrown_error.hpp"
#include "study/unit_product.hpp"
#include "study_cases.hpp"

namespace rooflab::study {
namespace {

ShownValue parsed_value(const std::string& text) { return ShownValue::parse(text, {}); }

std::vector<StudyCase> cases_on_two_devices() {
  return {made({{"mode", "predict"}, {"model", "vgg16"}, {"device", "t4"}},
               {{"time", 0.2, 0.1, 0.4}, {"flops", 4e9}, {"memory", 300.0}}),
          made({{"mode", "predict"}, {"model", "vgg16"}, {"device", "v100"}},
               {{"time", 0.05}, {"flops", 4e9}, {"memory", 200.0}}),
          made({{"mode", "predict"}, {"model", "alexnet"}, {"device", "v100"}},
               {{"time", 0.01}, {"parameter_memory", 0.0}, {"memory", 100.0}})};
}

TEST(UnitProduct, CancelsWhatIsAboveAndBelow) {
  UnitProduct rate("FLOP");
  rate /= UnitProduct("s");
  EXPECT_EQ(rate.symbol(), "FLOP/s");
  rate /= UnitProduct("B/s");
  EXPECT_EQ(rate.symbol(), "FLOP/B");
  rate *= UnitProduct("B");
  rate /= UnitProduct("FLOP");
  EXPECT_EQ(rate.symbol(), "");
  rate /= UnitProduct("s");
  EXPECT_EQ(rate.symbol(), "1/s");
}

TEST(ShownValue, HasTheUnitOfItsArithmetic) {
  EXPECT_EQ(parsed_value("time").unit(), "s");
  EXPECT_EQ(parsed_value("flops / time").unit(), "FLOP/s");
  EXPECT_EQ(parsed_value("2 * flops / bytes").unit(), "FLOP/B");
  EXPECT_EQ(parsed_value("memory / parameter_memory").unit(), "x");
  EXPECT_EQ(parsed_value("(memory - saved_activations) / time").unit(), "B/s");
  EXPECT_EQ(parsed_value("memory + 500 MB").unit(), "B");
  EXPECT_EQ(parsed_value("time").title(), "time of a step");
  EXPECT_EQ(parsed_value("memory / parameter_memory").title(), "memory / parameter_memory");
  EXPECT_EQ(ShownValue::parse("flops / time", {}, "rate").title(), "rate");
}

TEST(ShownValue, IsOfTheRowAndOfTheCaseThatItsWordsName) {
  const std::vector<StudyCase> cases = cases_on_two_devices();
  EXPECT_DOUBLE_EQ(parsed_value("flops / time").of(cases[0], cases)->value, 2e10);
  EXPECT_DOUBLE_EQ(parsed_value("time / time(device=v100)").of(cases[0], cases)->value, 4.0);
  EXPECT_DOUBLE_EQ(parsed_value("time / time(device=v100)").of(cases[1], cases)->value, 1.0);
  EXPECT_FALSE(parsed_value("time / time(device=t4)").of(cases[2], cases));  // other network
  EXPECT_FALSE(parsed_value("energy").of(cases[0], cases));
  EXPECT_FALSE(parsed_value("memory / parameter_memory").of(cases[2], cases));  // 100 / 0
  EXPECT_EQ(parsed_value("time / time(device=v100)").text(4.0), "4.00x");
  EXPECT_EQ(parsed_value("flops / time").text(2e10), "20 GFLOP/s");
}

// 4e9 over 0.1 to 0.4 s.
TEST(ShownValue, HasTheIntervalOfItsFigures) {
  const std::vector<StudyCase> cases = cases_on_two_devices();
  const std::optional<Figure> rate = parsed_value("flops / time").of(cases[0], cases);
  ASSERT_TRUE(rate && rate->low && rate->high);
  EXPECT_DOUBLE_EQ(*rate->low, 1e10);
  EXPECT_DOUBLE_EQ(*rate->high, 4e10);
  EXPECT_EQ(parsed_value("flops / time").of(cases[1], cases)->low, std::nullopt);
}

// Two cases that fit and differ leave it unknown which is meant.
TEST(ShownValue, OfSeveralCasesIsUnknown) {
  std::vector<StudyCase> cases = cases_on_two_devices();
  cases.push_back(cases[1]);
  EXPECT_TRUE(parsed_value("time(device=v100)").of(cases[0], cases));
  cases.back().figures[0].value = 0.06;
  EXPECT_FALSE(parsed_value("time(device=v100)").of(cases[0], cases));
}

TEST(ShownValue, FaultsAreTold) {
  const auto message = [](const std::string& text) {
    return std::string(thrown_error([&] { (void)parsed_value(text); }).what());
  };
  EXPECT_EQ(message("tme"), "unknown quantity 'tme'");
  EXPECT_EQ(message("time > limit"), "a table or chart takes numbers, not comparisons");
  EXPECT_EQ(message(""), "the value is empty");
  EXPECT_EQ(message("3"), "the value names no figure");
}

}  // namespace
}  // namespace rooflab::study
