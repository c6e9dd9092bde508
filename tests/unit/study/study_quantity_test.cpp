#include "study/study_quantity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

#include "base/format.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::study {
namespace {

std::string shown(std::string_view name, double value) {
  const Quantity* const quantity = find_quantity(name);
  return quantity == nullptr ? "no such quantity" : text_of(*quantity, value);
}

TEST(Quantity, IsFoundByItsNameAlone) {
  ASSERT_NE(find_quantity("time"), nullptr);
  EXPECT_EQ(find_quantity("time")->unit(), "s");
  EXPECT_EQ(find_quantity("throughput")->unit(), "FLOP/s");
  EXPECT_EQ(find_quantity("macs")->unit(), "MAC");
  EXPECT_EQ(find_quantity("accuracy")->unit(), "");
  EXPECT_EQ(find_quantity("Time"), nullptr);
  EXPECT_EQ(find_quantity("tim"), nullptr);
  EXPECT_EQ(find_quantity(""), nullptr);
}

// They are words of the hypotheses' language, columns of tables and axes of charts.
TEST(Quantity, AllAreWordsWithATitle) {
  std::set<std::string_view> names;
  std::set<std::string_view> titles;
  for (const Quantity& quantity : quantities()) {
    EXPECT_TRUE(names.insert(quantity.name).second) << quantity.name << " is there twice";
    EXPECT_TRUE(titles.insert(quantity.title).second) << quantity.title << " is there twice";
    EXPECT_THAT(std::string(quantity.name), testing::MatchesRegex("[a-z][a-z_]*"));
    EXPECT_FALSE(quantity.title.ends_with('.')) << quantity.title;
    EXPECT_EQ(find_quantity(quantity.name), &quantity);
  }
  // Words of the language itself.
  for (const std::string_view word : {"and", "or", "not"}) EXPECT_FALSE(names.contains(word));
}

TEST(Quantity, HasWhatStudiesPublish) {
  for (const std::string_view name :
       {"estimated_time", "estimated_flops", "estimated_bytes", "counted_flops", "dram_bytes",
        "peak_flops", "bandwidth", "forward_flops", "backward_flops", "forward_bytes",
        "backward_bytes", "activation_memory"}) {
    EXPECT_NE(find_quantity(name), nullptr) << name;
  }
}

TEST(Quantity, ScalesUnitsThatHavePrefixes) {
  EXPECT_EQ(shown("time", 0.0121), "12.1 ms");
  EXPECT_EQ(shown("flops", 45.8e9), "45.8 GFLOP");
  EXPECT_EQ(shown("macs", 464.41e9), "464.4 GMAC");
  EXPECT_EQ(shown("memory", 12'882'000'000.0), "12.88 GB");
  EXPECT_EQ(shown("throughput", 338.97e9), "339 GFLOP/s");
  EXPECT_EQ(shown("bandwidth", 900e9), "900 GB/s");
  EXPECT_EQ(shown("energy", 2.5), "2.5 J");
  EXPECT_EQ(shown("parameters", 11'689'512.0), "11.69 M");
}

TEST(Quantity, ShowsSharesInPerCent) {
  EXPECT_EQ(shown("accuracy", 0.976), "97.6 %");
  EXPECT_EQ(shown("accuracy", 1.0), "100.0 %");
  EXPECT_EQ(shown("variation", 0.0742269), "7.42 %");
  EXPECT_EQ(shown("fraction_of_peak", 0.00216505), "0.217 %");
  EXPECT_EQ(shown("hidden", 0.0), "0 %");
}

TEST(Quantity, ShowsRatiosAndCountsWithoutPrefix) {
  EXPECT_EQ(shown("intensity", 34.7418), "34.74 FLOP/B");
  EXPECT_EQ(shown("intensity", 0.2481), "0.2481 FLOP/B");
  EXPECT_EQ(shown("samples_per_s", 2559.54), "2,560 samples/s");
  EXPECT_EQ(shown("samples_per_s", 1.52727), "1.527 samples/s");
  EXPECT_EQ(shown("speed_up", 1.8932), "1.89x");
  EXPECT_EQ(shown("largest", 1812.0), "1,812");
  EXPECT_EQ(shown("epochs", 5.25), "5.25");
  EXPECT_EQ(shown("gpus", 2.0), "2");
  EXPECT_EQ(shown("largest", 2e300), "2e+300");  // no overflow on the way
}

TEST(Quantity, ShowsWhatIsNoNumberAsSuch) {
  EXPECT_EQ(shown("epochs", std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(shown("accuracy", std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(Quantity, AreAllInTheManual) {
  const std::string manual = read_file(ROOFLAB_SOURCE_DIR "/docs/methods/quantities.md");
  for (const Quantity& each : quantities()) {
    EXPECT_THAT(manual, testing::ContainsRegex(format("\n\\| `{}` \\| {} \\| [A-Z].*\\. \\|",
                                                      each.name, each.unit())));
  }
}

}  // namespace
}  // namespace rooflab::study
