#include "page/unit_column.hpp"

#include <gtest/gtest.h>

#include "rooflab/base/text.hpp"

namespace rooflab::page {
namespace {

Table times(std::initializer_list<double> all) {
  Table table;
  table.columns = {{"predicted_s", "predicted"}};
  for (const double time_s : all) table.rows.push_back({si_cell(time_s, "s")});
  return table;
}

TEST(UnitColumn, FiguresStandInTheUnitOfTheMedian) {
  Table table = times({17.41e-3, 57.4e-3, 1.2e-3});
  table.rows.push_back({dash()});
  const auto column = UnitColumn::of(table, 0);
  ASSERT_TRUE(column);
  EXPECT_EQ(column->title("predicted"), "predicted, ms");
  EXPECT_EQ(column->text(table.rows[0][0]), "17.41");
  EXPECT_EQ(column->text(table.rows[1][0]), "57.40");
  EXPECT_EQ(column->text(table.rows[2][0]), "1.20");
  EXPECT_EQ(column->text(table.rows[3][0]), "-");
}

TEST(UnitColumn, LargeOnesHaveThousands) {
  const Table table = times({1.5e-3, 2e-3, 1.2345});
  const auto column = UnitColumn::of(table, 0);
  ASSERT_TRUE(column);
  EXPECT_EQ(column->text(table.rows[2][0]), "1,234.50");
}

TEST(UnitColumn, FiguresFarApartKeepTheirUnits) {
  EXPECT_FALSE(UnitColumn::of(times({1e-9, 1e-3, 1e-3}), 0));
  EXPECT_FALSE(UnitColumn::of(times({}), 0));
}

TEST(UnitColumn, OtherWordsAndUnitsWithoutPrefixesStay) {
  Table table = times({1e-3});
  table.rows.push_back({Cell("3 (slowest)", "3")});
  table.columns[0].key = "rank";
  EXPECT_FALSE(UnitColumn::of(table, 0));
  table = times({1e-3});
  table.rows[0][0] = Cell("1 ms to 2 ms", "0.001");
  EXPECT_FALSE(UnitColumn::of(table, 0));
  table.columns[0].key = "time_share";
  table.rows[0][0] = percent_cell(0.5);
  EXPECT_FALSE(UnitColumn::of(table, 0));
}

}  // namespace
}  // namespace rooflab::page
