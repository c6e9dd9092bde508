// Columns are found in the fields of the rows, once; one that is absent or there twice is a fault.

#include "page/row_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "describe/field_table.hpp"

namespace rooflab::page {
namespace {

using testing::HasSubstr;

struct Side {
  double hidden_s = 0.0;
};

std::span<const Field> fields_of(For<Side>) {
  static constexpr Field fields[] = {field<&Side::hidden_s>("hidden_s")};
  return fields;
}

struct Row {
  std::string name;
  std::optional<Side> plugin;
  Side ours;
};

std::span<const Field> fields_of(For<Row>) {
  static constexpr Field fields[] = {field<&Row::name>("name"), field<&Row::plugin>("source"),
                                     field<&Row::ours>("run")};
  return fields;
}

const std::vector<Row> rows = {{"a", Side{1.0}, {2.0}}, {"b", std::nullopt, {3.0}}};

std::string fault_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::logic_error& fault) {
    return fault.what();
  }
  return "no fault";
}

TEST(RowTable, TakesAFigureFromTheMemberThatIsNamed) {
  const Table table = table_of<Row>(
      rows, columns_of("name", inside("source", "hidden_s"), inside("run", "hidden_s")));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0][1].raw, "1");
  EXPECT_EQ(table.rows[0][2].raw, "2");
  EXPECT_EQ(table.rows[1][1].text, "-");
  EXPECT_EQ(table.rows[1][2].raw, "3");
}

TEST(RowTable, AColumnThatIsAbsentOrThereTwiceIsAFault) {
  EXPECT_THAT(fault_of([] { (void)table_of<Row>(rows, columns_of("verdict")); }),
              HasSubstr("no row has the column 'verdict'"));
  EXPECT_THAT(fault_of([] { (void)table_of<Row>(rows, columns_of("hidden_s")); }),
              HasSubstr("2 members of a row have the column 'hidden_s'"));
  // Of a table without rows, too.
  EXPECT_THAT(fault_of([] { (void)table_of<Row>(std::span<const Row>(), columns_of("verdict")); }),
              HasSubstr("no row has the column 'verdict'"));
}

}  // namespace
}  // namespace rooflab::page
