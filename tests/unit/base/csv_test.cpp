#include "base/csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "thrown_error.hpp"

namespace rooflab {
namespace {

using testing::ElementsAre;

std::string error_in(std::string_view text) {
  return thrown_error(ErrorKind::input, [&] { return parse_csv(text, "t.csv"); }).full_message();
}

TEST(Csv, ReadsCellsUnderTheirHeader) {
  const CsvTable table = parse_csv("device,ms\nT4,1.5\nP4,2\n", "t.csv");
  EXPECT_THAT(table.header(), ElementsAre("device", "ms"));
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.column("ms"), 1U);
  EXPECT_EQ(table.column("us"), std::nullopt);
  EXPECT_EQ(table.cell(1, 0), "P4");
  EXPECT_EQ(table.cell(0, 1), "1.5");
}

// The three forms of RFC 4180: a comma, a quote written twice and a line end inside quotes.
TEST(Csv, QuotedCellsMayHoldAnything) {
  const CsvTable table = parse_csv("a,b\n\"x, y\",\"say \"\"z\"\"\"\n\"two\nlines\",\n", "t.csv");
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.cell(0, 0), "x, y");
  EXPECT_EQ(table.cell(0, 1), "say \"z\"");
  EXPECT_EQ(table.cell(1, 0), "two\nlines");
  EXPECT_EQ(table.cell(1, 1), "");
}

TEST(Csv, LinesMayEndAsOnWindowsAndTheLastOneNotAtAll) {
  const CsvTable table = parse_csv(
      "\xEF\xBB\xBF"
      "a,b\r\n\r\n1,2\r\n3,4",
      "t.csv");
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.header().front(), "a");
  EXPECT_EQ(table.cell(0, 1), "2");
  EXPECT_EQ(table.cell(1, 1), "4");
  EXPECT_EQ(table.line(1), 4);
}

TEST(Csv, CellsKnowTheirPlace) {
  const CsvTable table = parse_csv("a,b\n\"1\n2\",x\n33,44\n", "t.csv");
  EXPECT_EQ(table.place(1, 1).to_string(), "t.csv:4:4");
  EXPECT_EQ(table.error(1, 0, "wrong").full_message(), "t.csv:4:1: wrong");
}

TEST(Csv, WrongTablesAreErrorsAtTheirPlace) {
  EXPECT_EQ(error_in(""), "t.csv:1:1: the table is empty: it has no header");
  EXPECT_EQ(error_in("a,,c\n"), "t.csv:1:3: a column has no name");
  EXPECT_EQ(error_in("a,b,a\n"), "t.csv:1:5: a second column with the name 'a'");
  EXPECT_EQ(error_in("a,b\n1,2\n1\n"), "t.csv:3:1: this row has 1 cells, the header names 2");
  EXPECT_EQ(error_in("a,b\n1,2,3\n"), "t.csv:2:1: this row has 3 cells, the header names 2");
  EXPECT_EQ(error_in("a,b\n1,\"2\n"), "t.csv:2:3: this quote is not closed");
  EXPECT_EQ(error_in("a,b\n\"1\"x,2\n"), "t.csv:2:4: a cell goes on after its closing quote");
}

// OWASP, "CSV Injection": what makes a spreadsheet run a cell.
TEST(Csv, NoCellIsAFormula) {
  EXPECT_EQ(csv_cell("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
  EXPECT_EQ(csv_cell("@SUM(1,2)"), "\"'@SUM(1,2)\"");
  EXPECT_EQ(csv_cell("+a"), "'+a");
  EXPECT_EQ(csv_cell("\ta"), "'\ta");
  EXPECT_EQ(csv_cell("\ra"), "\"'\ra\"");
  EXPECT_EQ(csv_cell("-x"), "'-x");
  EXPECT_EQ(csv_cell(" =1+1"), "' =1+1");
  EXPECT_EQ(csv_cell("\uFF1D1+1"), "'\uFF1D1+1");
  EXPECT_EQ(csv_cell("-1.5e-3"), "-1.5e-3");
  EXPECT_EQ(csv_cell("a=b"), "a=b");
  EXPECT_EQ(csv_cell("'a"), "'a");
}

TEST(Csv, EveryTextComesBackAsItWas) {
  for (const std::string text : {"=1", "'=1", "''=1", " =1", "' =1", "\uFF0B1", "-1", "'-1", "'a",
                                 "'", "", "a\"b,c\n", "\r"}) {
    const CsvTable table = parse_csv("a,b\n" + csv_cell(text) + ",1\n", "t.csv");
    EXPECT_EQ(table.cell(0, 0), text);
    EXPECT_EQ(table.cell(0, 1), "1");
  }
}

}  // namespace
}  // namespace rooflab
