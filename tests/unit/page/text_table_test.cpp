#include "page/text_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/base/text.hpp"

namespace rooflab::page {
namespace {

using testing::ElementsAre;

/// 8 + 6 + 5 + 5 + 8 + 10 columns and five gaps: 52.
Table six_columns() {
  Table table;
  table.columns = {{"model", "model", Align::left},
                   {"limit_s", "limit"},
                   {"low_s", "low"},
                   {"high_s", "high"},
                   {"verdict", "verdict", Align::left},
                   {"bound", "bound", Align::left}};
  for (const std::size_t answer : {0U, 4U}) table.columns[answer].answer = true;
  table.columns[3].joined = true;
  table.rows = {{"resnet18", "100 ms", "90 ms", "120ms", "fits", "memory, L2"},
                {"vgg16", "200 ms", "90 ms", "120ms", "oom", "compute"}};
  table.columns[4].title = "verdict.";
  return table;
}

std::vector<std::string> lines_of(const Table& table, const TextStyle& style) {
  std::string text = text_table(table, style);
  text.pop_back();
  return split(text, '\n');
}

TEST(TextTable, ATableThatFitsIsWhole) {
  const Table table = six_columns();
  EXPECT_EQ(text_table(table, {.width = 52}), text_table(table, {}));
  EXPECT_THAT(lines_of(table, {.width = 52}),
              ElementsAre("model      limit    low   high  verdict.  bound",
                          "----------------------------------------------------",
                          "resnet18  100 ms  90 ms  120ms  fits      memory, L2",
                          "vgg16     200 ms  90 ms  120ms  oom       compute"));
}

TEST(TextTable, ColumnsThatAreNoAnswerGoFromTheRight) {
  EXPECT_THAT(lines_of(six_columns(), {.width = 51}),
              ElementsAre("model      limit    low   high  verdict.",
                          "----------------------------------------",
                          "resnet18  100 ms  90 ms  120ms  fits",
                          "vgg16     200 ms  90 ms  120ms  oom", "1 more column (bound): --wide"));
}

TEST(TextTable, TheEndOfAnIntervalGoesWithItsBeginning) {
  EXPECT_THAT(
      lines_of(six_columns(), {.width = 39}),
      ElementsAre("model      limit  verdict.", "--------------------------",
                  "resnet18  100 ms  fits", "vgg16     200 ms  oom", "3 more columns: --wide"));
}

TEST(TextTable, TheFirstColumnAndTheAnswersStayLongest) {
  EXPECT_THAT(lines_of(six_columns(), {.width = 24}),
              ElementsAre("model     verdict.", "------------------", "resnet18  fits",
                          "vgg16     oom", "4 more columns: --wide"));
}

TEST(TextTable, AllColumnsWhereTheyAreAskedFor) {
  Table table = six_columns();
  table.columns[5].too_wide = true;
  EXPECT_THAT(lines_of(table, {.width = 52})[0], testing::Not(testing::HasSubstr("bound")));
  EXPECT_EQ(lines_of(table, {.width = 52}).size(), 4U);  // nothing was left out for the terminal
  EXPECT_THAT(lines_of(table, {.width = 20, .all_columns = true})[0],
              "model      limit    low   high  verdict.  bound");
}

TEST(TextTable, LongNamesGetNarrowerBeforeColumnsGo) {
  Table table = six_columns();
  table.columns[0].shrinks = true;
  table.rows[0][0] = Cell("void at::native::vectorized_elementwise_kernel");  // 46 letters
  EXPECT_THAT(lines_of(table, {.width = 70})[2],
              "void at::nati…twise_kernel  100 ms  90 ms  120ms  fits      memory, L2");
  // No narrower than 24: then the last column goes, and the name has its room.
  EXPECT_THAT(lines_of(table, {.width = 67})[2],
              "void at::native::…lementwise_kernel  100 ms  90 ms  120ms  fits");
}

TEST(TextTable, TextsGoOnInFurtherLinesAndNumbersAreNeverShortened) {
  Table table;
  table.columns = {{"a", "name", Align::left}, {"b", "figure"}};
  table.columns[1].answer = true;
  table.rows = {{"holds in all of 8 cases", "1,234,567.8 ms"}};
  EXPECT_THAT(lines_of(table, {.width = 30}),
              ElementsAre("name                    figure", "------------------------------",
                          "holds in all    1,234,567.8 ms", "of 8 cases"));
  table.rows = {{"a-name-of-twenty-two-x", "1,234,567.8 ms"}};
  EXPECT_THAT(lines_of(table, {.width = 30}),
              ElementsAre("name                    figure", "------------------------------",
                          "a-name-of-twen  1,234,567.8 ms", "ty-two-x"));
  EXPECT_THAT(lines_of(table, {.width = 22}),
              ElementsAre("name", "----------------------", "a-name-of-twenty-two-x",
                          "1 more column: --wide"));
}

TEST(TextTable, VerdictsHaveColoursAndTheWord) {
  const std::string text = text_table(six_columns(), {.color = true});
  EXPECT_THAT(text, testing::HasSubstr("  \x1b[32mfits\x1b[0m      memory, L2\n"));
  EXPECT_THAT(text, testing::HasSubstr("  \x1b[31moom\x1b[0m       compute\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("\x1b[33m")));
}

TEST(TextTable, AListHasNoHeaderAndBreaksItsTexts) {
  Table list;
  list.is_list = true;
  list.columns = {{"status", "status", Align::left},
                  {"what", "what", Align::left},
                  {"value", "found", Align::left},
                  {"advice", "what to do", Align::left}};
  list.rows = {{"ok", "gnuplot", "/usr/bin/gnuplot", ""},
               {"missing", "CUPTI", "no NVIDIA driver", "counters need an NVIDIA GPU"}};
  EXPECT_THAT(lines_of(list, {.width = 70}),
              ElementsAre("ok       gnuplot  /usr/bin/gnuplot",
                          "missing  CUPTI    no NVIDIA driver  counters need an NVIDIA GPU"));
  EXPECT_THAT(
      lines_of(list, {.width = 40}),
      ElementsAre("ok       gnuplot  /usr/bin/gnuplot", "missing  CUPTI    no NVIDIA driver",
                  "                  counters need an", "                  NVIDIA GPU"));
}

}  // namespace
}  // namespace rooflab::page
