#include "page/latex_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.hpp"
#include "page/figure_cells.hpp"

namespace rooflab::page {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Column words(const std::string& name) { return {.key = name, .title = name, .align = Align::left}; }
Column figures(const std::string& name) { return {.key = name, .title = name}; }

Table times() {
  Table table;
  table.columns = {words("model"), figures("time")};
  table.rows = {
      {"resnet18", {"46.02 ms (29.29 to 72.31)", "0.0460203", Cell::Interval{0.02929, 0.07231}}},
      {"vgg16",
       {"303.3 ms (228.2 ms to 1.333 s), does not fit", "0.3033", Cell::Interval{0.2282, 1.333}}},
      {"alexnet", {"-", ""}}};
  return table;
}

TEST(LatexText, EverySignIsPrinted) {
  EXPECT_EQ(latex_text("a_b % & # $ {} ~ ^ \\"),
            "a\\_b \\% \\& \\# \\$ \\{\\} \\textasciitilde{} \\textasciicircum{} "
            "\\textbackslash{}");
  EXPECT_EQ(latex_text("<a|\"b\">"), "\\textless{}a\\textbar{}{''}b{''}\\textgreater{}");
  EXPECT_EQ(latex_text("--batch 3-4"), "-{}-batch 3-4");
  EXPECT_EQ(latex_text("[1] * `"), "{[}1{]} {*} \\textasciigrave{}");
  EXPECT_EQ(latex_text("\u00e9 \u00d7 \u4e2d"), "\u00e9 \\ensuremath{\\times} {[}U+4E2D{]}");
  EXPECT_EQ(latex_text("a\n\\input{x}"), "a \\textbackslash{}input\\{x\\}");
}

TEST(FigureCells, OneUnitStandsInTheHead) {
  chart::Names remarks;
  const FigureCells cells = figure_cells(times(), 1, "-", remarks);
  EXPECT_EQ(cells.unit, "ms");
  EXPECT_THAT(cells.rows, ElementsAre("46.0 (29.3-72.3)", "303.3 (228.2-1,333.0)*", "-"));
  EXPECT_THAT(remarks, ElementsAre("does not fit"));
}

// A study writes a narrow interval as a share; a table of one unit has its ends.
TEST(FigureCells, AnIntervalIsOfTheCellNotOfItsText) {
  Table table;
  table.columns = {figures("x")};
  table.rows = {{{"46.02 ms \u00b10.9 %", "0.04602", Cell::Interval{0.0456, 0.0464}}}};
  chart::Names remarks;
  const FigureCells cells = figure_cells(table, 0, "-", remarks);
  EXPECT_EQ(cells.unit, "ms");
  EXPECT_THAT(cells.rows, ElementsAre("46.0 (45.6-46.4)"));
}

// Rates of samples are not scaled, nor are the ends of their intervals.
TEST(FigureCells, UnitsThatTakeNoPrefixStayAsTheyAre) {
  Table table;
  table.columns = {figures("x")};
  table.rows = {{{"1,264 samples/s (1,200 to 1,300)", "1264", Cell::Interval{1200.0, 1300.4}}}};
  chart::Names remarks;
  EXPECT_THAT(figure_cells(table, 0, "-", remarks).rows, ElementsAre("1,264 (1,200-1,300)"));
}

TEST(FigureCells, OtherTextsStay) {
  Table table;
  table.columns = {figures("x")};
  table.rows = {{{"1.82 G", "1820000000"}}, {{"3x", "3"}}, {{"4 (of 5)", "4"}}};
  chart::Names remarks;
  const FigureCells cells = figure_cells(table, 0, "-", remarks);
  EXPECT_EQ(cells.unit, "");
  EXPECT_THAT(cells.rows, ElementsAre("1.82 G", "3x", "4 (of 5)"));
}

TEST(FigureCells, SeveralUnitsStayInTheCells) {
  Table table;
  table.columns = {figures("x")};
  table.rows = {
      {{"46.02 ms (29.29 to 72.31)", "0.04602", Cell::Interval{0.02929, 0.07231}}},
      {{"1.195 ms (766.4 us to 1.864 ms)", "0.001195", Cell::Interval{0.0007664, 0.001864}}},
      {{"18.42 GB", "18420000000"}}};
  chart::Names remarks;
  EXPECT_THAT(figure_cells(table, 0, "-", remarks).rows,
              ElementsAre("46.02 ms (29.29-72.31)", "1.195 ms (766.4 us to 1.864 ms)", "18.42 GB"));
}

TEST(LatexTable, HasRulesHeadsAndRemarks) {
  const LatexTable table = latex_table(times(), {"Times", "rooflab x"});
  EXPECT_FALSE(table.is_long);
  EXPECT_EQ(table.text,
            "% Times\n% rooflab x\n% needs \\usepackage{booktabs}\n\\begingroup\n"
            "\\setlength{\\tabcolsep}{0.5em}\n\\begin{tabular}{@{}lr@{}}\n  \\toprule\n"
            "   & time \\tabularnewline\n  model & (ms) \\tabularnewline\n  \\midrule\n"
            "  resnet18 & 46.0 (29.3--72.3) \\tabularnewline\n"
            "  vgg16 & 303.3 (228.2--1,333.0){*} \\tabularnewline\n"
            "  alexnet & -- \\tabularnewline\n  \\bottomrule\n"
            "  \\multicolumn{2}{@{}l@{}}{{*} does not fit} \\tabularnewline\n"
            "\\end{tabular}\n\\endgroup\n");
}

TEST(LatexTable, ALineEndInATitleEndsNoComment) {
  EXPECT_THAT(latex_table(times(), {"a\n\\input{x}"}).text,
              testing::StartsWith("% a \\input{x}\n% needs"));
}

TEST(LatexTable, WhatAPageDoesNotHoldIsALongtable) {
  Table table = times();
  table.rows.resize(60, table.rows.front());
  const LatexTable latex = latex_table(table, {});
  EXPECT_TRUE(latex.is_long);
  EXPECT_THAT(latex.text, HasSubstr("\\usepackage{booktabs,longtable}"));
  EXPECT_THAT(latex.text, HasSubstr("\\endfirsthead"));
}

TEST(LatexTable, WideTablesHaveTheColumnsThatFit) {
  Table table;
  table.columns = {words("model"), words("device")};
  std::vector<Cell> row = {"resnet18", "t4"};
  for (int i = 0; i < 30; ++i) {
    table.columns.push_back(figures(format("figure{}", i)));
    row.emplace_back("1234.5", "1234.5");
  }
  table.rows = {row};
  const std::string text = latex_table(table, {}).text;
  // One column of names, so that figures have room.
  EXPECT_THAT(text, HasSubstr("resnet18,"));
  EXPECT_THAT(text, HasSubstr("figure0 "));
  EXPECT_THAT(text, Not(HasSubstr("figure29")));
  table.columns[1].too_wide = true;
  EXPECT_THAT(latex_table(table, {}).text, Not(HasSubstr("t4")));
}

}  // namespace
}  // namespace rooflab::page
