#include "rooflab/base/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace rooflab {
namespace {

using testing::ElementsAre;

TEST(Json, BracesMakeObjectsOfPairsAndElseArrays) {
  const Json json = {{"a", 1}, {"b", {1, 2, 3}}, {"c", {{"x", nullptr}}}, {"d", {"p", "q"}}};
  EXPECT_EQ(json.dump(), R"({"a":1,"b":[1,2,3],"c":{"x":null},"d":["p","q"]})");
  EXPECT_EQ(Json({1, 2}).dump(), "[1,2]");
  EXPECT_EQ(Json::array({{{"k", true}}}).dump(), R"([{"k":true}])");
}

TEST(Json, ContainersOfTheLibraryBecomeArraysAndObjects) {
  Json json;
  json["list"] = std::vector<double>{1, 2.5};
  json["map"] = std::map<std::string, int>{{"b", 1}, {"a", 2}};
  EXPECT_EQ(json.dump(), R"({"list":[1.0,2.5],"map":{"a":2,"b":1}})");
  EXPECT_THAT(json["list"].get<std::vector<double>>(), ElementsAre(1.0, 2.5));
}

// The shortest digits that are read back as the number (Loitsch 2010), with a decimal point, and
// with an exponent from 1e15 and below 1e-4 on.
TEST(Json, NumbersAreWrittenInTheirShortestForm) {
  EXPECT_EQ(Json(0.1).dump(), "0.1");
  EXPECT_EQ(Json(1.0 / 3.0).dump(), "0.3333333333333333");
  EXPECT_EQ(Json(100.0).dump(), "100.0");
  EXPECT_EQ(Json(1e14).dump(), "100000000000000.0");
  EXPECT_EQ(Json(1e15).dump(), "1e+15");
  EXPECT_EQ(Json(0.00012).dump(), "0.00012");
  EXPECT_EQ(Json(0.000012).dump(), "1.2e-05");
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).dump(), "null");
  EXPECT_EQ(Json(std::numeric_limits<std::uint64_t>::max()).dump(), "18446744073709551615");
  EXPECT_EQ(Json(std::numeric_limits<std::int64_t>::min()).dump(), "-9223372036854775808");
}

TEST(Json, TextsAreEscapedAndWhatIsNotUtf8IsReplaced) {
  EXPECT_EQ(Json("a\"b\\c\n\x01 é").dump(), R"("a\"b\\c\n\u0001 é")");
  EXPECT_EQ(Json("\xff").dump(), "\"\xEF\xBF\xBD\"");
  EXPECT_EQ(Json("é").dump_ascii(), R"("\u00e9")");
}

TEST(Json, IsIndentedByLevel) {
  const Json json = {{"a", {1, 2}}, {"b", Json::object()}, {"c", Json::array()}};
  EXPECT_EQ(json.dump(2), "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {},\n  \"c\": []\n}");
  std::ostringstream stream;
  stream << json;
  EXPECT_EQ(stream.str(), R"({"a":[1,2],"b":{},"c":[]})");
}

TEST(Json, KeysKeepTheirOrder) {
  Json json = Json::parse(R"({"z": 3, "a": 2})");
  EXPECT_EQ(json.dump(), R"({"z":3,"a":2})");
  json.update({{"b", 4}, {"a", 5}});
  EXPECT_THAT(json.keys(), ElementsAre("z", "a", "b"));
  EXPECT_TRUE(json.erase("a"));
  EXPECT_FALSE(json.erase("a"));
  std::string pairs;
  for (const auto& [key, value] : json.items()) pairs += key + value.dump();
  EXPECT_EQ(pairs, "z3b4");
}

TEST(Json, NumbersAreEqualByValue) {
  EXPECT_EQ(Json(1), Json(1.0));
  EXPECT_EQ(Json(1U), Json(1));
  EXPECT_NE(Json(-1), Json(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_NE(Json("1"), Json(1));
  EXPECT_EQ(Json({1, "x"}), Json({1.0, "x"}));
}

TEST(Json, CopiesShareNothing) {
  Json first = {{"list", {1, 2}}};
  Json second = first;
  second["list"].push_back(3);
  EXPECT_EQ(first["list"].size(), 2U);
  first = first["list"];  // out of itself
  EXPECT_EQ(first.dump(), "[1,2]");
}

TEST(Json, WhatIsNotThereIsFoundByNobody) {
  const Json json = {{"a", 1}};
  EXPECT_EQ(json.find("b"), json.end());
  EXPECT_EQ(json.value("b", "x"), "x");
  EXPECT_THROW((void)json.at("b"), std::out_of_range);
  EXPECT_THROW((void)json["a"].get<std::string>(), std::logic_error);
  EXPECT_TRUE(Json().empty());
  EXPECT_EQ(Json(3).size(), 1U);
}

TEST(Json, FaultsSayWhere) {
  for (const auto& [text, byte] : {std::pair{"", 1U}, {"[1,", 4U}, {"[1 2]", 4U}, {"tru", 4U}}) {
    try {
      (void)Json::parse(text);
      ADD_FAILURE() << text;
    } catch (const Json::Fault& fault) {
      EXPECT_EQ(fault.byte, byte) << text;
      EXPECT_EQ(fault.problem, Json::Fault::Problem::syntax);
    }
    EXPECT_EQ(Json::parse_if_valid(text), std::nullopt);
  }
  try {
    (void)Json::parse("[1e400]");
    ADD_FAILURE();
  } catch (const Json::Fault& fault) {
    EXPECT_EQ(fault.problem, Json::Fault::Problem::number_out_of_range);
  }
}

// One of the two is wrong, and nobody can tell which.
TEST(Json, AKeyThatIsThereTwiceIsAFaultWithItsPlace) {
  const std::string text = R"({"a": "b\":", "c": {"a": 1, "d": 2}, "a": 3})";
  try {
    (void)Json::parse(text);
    ADD_FAILURE();
  } catch (const Json::Fault& fault) {
    EXPECT_EQ(fault.problem, Json::Fault::Problem::key_twice);
    EXPECT_STREQ(fault.what(), "a");
    EXPECT_EQ(fault.byte, text.rfind("\"a\"") + 1);
  }
  EXPECT_EQ(Json::parse_if_valid(text)->at("a"), Json(3));  // of other programs: the last counts
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

// Values are copied and printed by recursion; a million levels would end any stack.
TEST(Json, DeepTextsAreRefusedWithTheirPlace) {
  EXPECT_EQ(Json::parse(nested(Json::deepest)).dump(), nested(Json::deepest));
  for (const std::size_t depth : {Json::deepest, std::size_t{1'000'000}}) {
    // Brackets in texts do not count, whatever comes before their quotes.
    const std::string before = R"({"a[\\": "[{\"[", "b": [[], {}], "c": )";
    try {
      (void)Json::parse(before + nested(depth) + "}");
      ADD_FAILURE() << depth;
    } catch (const Json::Fault& fault) {
      EXPECT_EQ(fault.problem, Json::Fault::Problem::too_deep);
      EXPECT_EQ(fault.byte, before.size() + Json::deepest);
    }
    EXPECT_EQ(Json::parse_if_valid(nested(depth + 1)), std::nullopt);
  }
}

}  // namespace
}  // namespace rooflab
