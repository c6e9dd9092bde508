#include "import/ncu/field_splitter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace rooflab::import::ncu {
namespace {

using testing::ElementsAre;

TEST(FieldSplitter, SplitsQuotedAndBareFields) {
  FieldSplitter splitter;
  ASSERT_EQ(splitter.split("\"a\",b,\"\",\n\"next\"", true), SplitStatus::complete);
  EXPECT_THAT(splitter.fields(), ElementsAre("a", "b", "", ""));
  EXPECT_EQ(splitter.bytes(), 10U);
  EXPECT_EQ(splitter.line_feeds(), 1);
  EXPECT_TRUE(splitter.has_bare_field());
}

TEST(FieldSplitter, KeepsCommasQuotesAndLineFeedsOfAField) {
  FieldSplitter splitter;
  ASSERT_EQ(splitter.split("\"f<int, 2>\",\"say \"\"hi\"\"\",\"two\nlines\"\r\n", true),
            SplitStatus::complete);
  EXPECT_THAT(splitter.fields(), ElementsAre("f<int, 2>", "say \"hi\"", "two\nlines"));
  EXPECT_EQ(splitter.line_feeds(), 2);
  EXPECT_FALSE(splitter.has_bare_field());
}

TEST(FieldSplitter, KeepsOnlyTheWantedColumns) {
  constexpr std::array<std::size_t, 3> columns = {1, 2, 6};
  FieldSplitter splitter{columns};
  ASSERT_EQ(splitter.split("\"0\",\"1\",\"a field of some length\",\"3\",\"4\"\n", true),
            SplitStatus::complete);
  EXPECT_THAT(splitter.fields(), ElementsAre("1", "a field of some length", ""));
  EXPECT_EQ(splitter.field_count(), 5U);
}

TEST(FieldSplitter, AsksForMoreAtEveryCut) {
  const std::string record = "\"ab\",\"c\"\"d\",\"long enough to fill words\"\r\n";
  for (std::size_t cut = 0; cut + 1 < record.size(); ++cut) {
    FieldSplitter splitter;
    EXPECT_EQ(splitter.split(std::string_view(record).substr(0, cut), false),
              SplitStatus::incomplete)
        << cut;
  }
  FieldSplitter splitter;
  EXPECT_EQ(splitter.split(record, false), SplitStatus::complete);
}

TEST(FieldSplitter, AQuoteInTheWrongPlaceBreaksTheRecord) {
  FieldSplitter splitter;
  EXPECT_EQ(splitter.split("\"loss\": 0.3\n", true), SplitStatus::broken);
  EXPECT_EQ(splitter.split("\"never closed,\n", true), SplitStatus::broken);
  EXPECT_EQ(splitter.split("\"torn\n\"5\",\"7\"\n", true), SplitStatus::broken);
}

TEST(FieldSplitter, AnOpenQuoteDoesNotSwallowTheFile) {
  std::string text = "\"open";
  for (int i = 0; i < 1000; ++i) text += "\nline";
  FieldSplitter splitter;
  EXPECT_EQ(splitter.split(text, false), SplitStatus::broken);
}

}  // namespace
}  // namespace rooflab::import::ncu
