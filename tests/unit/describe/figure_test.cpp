#include "rooflab/describe/figure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "rooflab/describe/figure_table.hpp"

namespace rooflab {
namespace {

bool is_snake_case(std::string_view key) {
  return !key.empty() && std::ranges::all_of(key, [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_';
  });
}

TEST(Figures, HaveOneRowForEachKey) {
  std::set<std::string_view> keys;
  for (const Figure& figure : figure_table) {
    EXPECT_TRUE(keys.insert(figure.key).second) << figure.key << " has two rows";
    EXPECT_TRUE(is_snake_case(figure.key)) << figure.key;
    EXPECT_FALSE(figure.title.empty()) << figure.key;
    EXPECT_TRUE(figure.meaning.ends_with('.')) << figure.key;
  }
}

// A second meaning would begin like this; a field says what it adds by its own words.
TEST(Figures, HaveOneMeaningInAllFiles) {
  for (const Figure& figure : figure_table) {
    for (const std::string_view second :
         {"; for a", "; for the", "; for several", "; in ", ": for ", "; of a", ": in "}) {
      EXPECT_EQ(figure.meaning.find(second), std::string_view::npos)
          << figure.key << ": " << figure.meaning;
    }
  }
}

// Names that earlier versions had, in every unit that they could not be told apart by.
TEST(Figures, SayTheirUnitAsOneOfTheSuffixes) {
  for (const Figure& figure : figure_table) {
    for (const std::string_view old :
         {"_flops", "_ms", "_us", "_time", "_b", "_fraction", "_percent", "_flops_per_s",
          "_per_second", "_joules", "_watts"}) {
      EXPECT_FALSE(figure.key.ends_with(old)) << figure.key;
    }
  }
}

TEST(Figures, TellTheUnitByTheLongestSuffix) {
  EXPECT_EQ(unit_of_key("limit_s"), Unit::second);
  EXPECT_EQ(unit_of_key("start_ns"), Unit::nanosecond);
  EXPECT_EQ(unit_of_key("dram_bytes"), Unit::byte);
  EXPECT_EQ(unit_of_key("bytes"), Unit::byte);
  EXPECT_EQ(unit_of_key("dram_bytes_per_s"), Unit::byte_per_second);
  EXPECT_EQ(unit_of_key("flop_per_s"), Unit::flop_per_second);
  EXPECT_EQ(unit_of_key("tensor_flop"), Unit::flop);
  EXPECT_EQ(unit_of_key("ridge_point_flop_per_byte"), Unit::flop_per_byte);
  EXPECT_EQ(unit_of_key("samples_per_s"), Unit::sample_per_second);
  EXPECT_EQ(unit_of_key("step_energy_j"), Unit::joule);
  EXPECT_EQ(unit_of_key("busy_share"), Unit::share);
  EXPECT_EQ(unit_of_key("sm_clock_hz"), Unit::hertz);
  EXPECT_EQ(unit_of_key("parameters"), Unit::none);
  EXPECT_EQ(unit_of_key("status"), Unit::none);  // no underscore before the s
}

TEST(Figures, AreWrittenForPeople) {
  const auto text = [](std::string_view key, double value) {
    return text_of(Figure{key, "", ""}, value);
  };
  EXPECT_EQ(text("limit_s", 0.0121), "12.1 ms");
  EXPECT_EQ(text("start_ns", 12'100'000.0), "12.1 ms");
  EXPECT_EQ(text("work_flop", 45.8e9), "45.8 GFLOP");
  EXPECT_EQ(text("busy_share", 0.976), "97.6 %");
  EXPECT_EQ(text("error_share", 0.0512), "5.12 %");
  EXPECT_EQ(text("intensity_flop_per_byte", 34.741), "34.74 FLOP/B");
  EXPECT_EQ(text("images", 1812.0), "1,812");
  EXPECT_EQ(text_of(Figure{"speedup", "", "", Better::higher, NumberStyle::factor}, 1.891),
            "1.89x");
  EXPECT_EQ(text_of(Figure{"macs", "", "", Better::neither, NumberStyle::scaled}, 1.82e9),
            "1.82 G");
}

TEST(Figures, AreFoundByTheirKey) {
  ASSERT_NE(find_figure("step_s"), nullptr);
  EXPECT_EQ(find_figure("step_s")->key, "step_s");
  EXPECT_EQ(find_figure("no_such_figure"), nullptr);
}

}  // namespace
}  // namespace rooflab
