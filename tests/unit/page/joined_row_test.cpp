// A column of a row of several parts: the table's own value, else that of the first part.

#include "page/joined_row.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "describe/field_table.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::page {
namespace {

using testing::HasSubstr;

struct Steps {
  double time_s = 0.0;
  std::int64_t launches = 0;
};

std::span<const Field> fields_of(For<Steps>) {
  static constexpr Field fields[] = {field<&Steps::time_s>("time_s"),
                                     field<&Steps::launches>("launches")};
  return fields;
}

struct Profile {
  std::string name;
  Steps ours;
};

std::span<const Field> fields_of(For<Profile>) {
  static constexpr Field fields[] = {field<&Profile::name>("name"), field<&Profile::ours>("run")};
  return fields;
}

struct Both {
  Steps ours;
  Steps theirs;
};

std::span<const Field> fields_of(For<Both>) {
  static constexpr Field fields[] = {field<&Both::ours>("run"), field<&Both::theirs>("source")};
  return fields;
}

std::vector<std::string> raws(const std::vector<JoinedRow>& rows,
                              std::span<const FigureColumn> columns) {
  std::vector<std::string> cells;
  for (const std::vector<Cell>& row : table_of(rows, columns).rows) {
    for (const Cell& cell : row) cells.push_back(cell.raw);
  }
  return cells;
}

std::string fault_of(const JoinedRow& row, std::span<const FigureColumn> columns) {
  try {
    (void)table_of({row}, columns);
  } catch (const std::logic_error& fault) {
    return fault.what();
  }
  return "no fault";
}

constexpr auto time_column = columns_of("time_s");

TEST(JoinedRow, TakesItsOwnValueThenThatOfTheFirstPart) {
  const Profile run{"a", {2.0, 7}};
  const Steps steps{3.0, 8};
  const std::vector<JoinedRow> rows = {JoinedRow().own("launches", 5).of(run).of(steps),
                                       JoinedRow().of(steps).of(run)};
  // A member of a part goes before a member of a member, in any order.
  EXPECT_EQ(raws(rows, columns_of("name", "time_s", "launches")),
            (std::vector<std::string>{"a", "3", "5", "a", "3", "8"}));
  // The last own value counts, and null hides what the parts have.
  EXPECT_EQ(raws({JoinedRow().of(steps).own("time_s", 1).own("time_s", Json())}, time_column),
            (std::vector<std::string>{""}));
}

TEST(JoinedRow, OfAMissingPartHasItsColumnsAndNoValues) {
  const Profile run{"a", {2.0, 7}};
  const std::optional<Steps> none;
  EXPECT_EQ(raws({JoinedRow().of(none).own("name", "b")}, columns_of("name", "time_s")),
            (std::vector<std::string>{"b", ""}));
  EXPECT_EQ(raws({JoinedRow().without<Steps, Profile>()}, columns_of("name", "time_s")),
            (std::vector<std::string>{"", ""}));
  // What another part has is not hidden by one that is missing.
  EXPECT_EQ(raws({JoinedRow().without<Steps>().of(run)}, time_column),
            (std::vector<std::string>{"2"}));
}

TEST(JoinedRow, AColumnThatIsAbsentOrThereTwiceIsAFault) {
  const Profile run{"a", {2.0, 7}};
  const Both both{{1.0, 2}, {3.0, 4}};
  EXPECT_EQ(fault_of(JoinedRow().of(run), columns_of("verdict")),
            "no row has the column 'verdict'");
  EXPECT_EQ(fault_of(JoinedRow().of(both), time_column),
            "2 members of a row have the column 'time_s'");
  EXPECT_EQ(fault_of(JoinedRow().of(both).of(run), time_column),
            "3 members of a row have the column 'time_s'");
  EXPECT_EQ(raws({JoinedRow().of(both)}, columns_of(inside("source", "time_s"))),
            (std::vector<std::string>{"3"}));
  EXPECT_EQ(raws({JoinedRow().of(both).of(both.theirs)}, time_column),
            (std::vector<std::string>{"3"}));
}

TEST(JoinedRow, ShowsSumsAsTheMeanOfAStep) {
  const Steps steps{3.0, 9};
  EXPECT_EQ(
      raws({JoinedRow().of(steps).mean_of(2, {"launches"})}, columns_of("time_s", "launches")),
      (std::vector<std::string>{"3", "4.5"}));
  EXPECT_EQ(raws({JoinedRow().of(steps).mean_of(1, {"launches"})}, columns_of("launches")),
            (std::vector<std::string>{"9"}));
}

TEST(JoinedRow, OfAFileHasTheValuesOfItsMembers) {
  const Json file = {{"name", "a"}, {"run", {{"time_s", 2}}}};
  EXPECT_EQ(raws({JoinedRow().of_file(file)}, columns_of("name", "time_s")),
            (std::vector<std::string>{"a", "2"}));
  const Json twice = {{"run", {{"time_s", 2}}}, {"source", {{"time_s", 3}}}};
  EXPECT_THROW(JoinedRow().of_file(twice), Error);
}

}  // namespace
}  // namespace rooflab::page
