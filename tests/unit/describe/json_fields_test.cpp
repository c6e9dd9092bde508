#include "describe/json_fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/input_error.hpp"
#include "describe/schema.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

const Json all_kinds = Json::parse(R"({
  "number": 1.5, "integer": -7, "flag": true, "text": "a\nb", "null": null,
  "numbers": [1, 2.5], "texts": ["x", "y"], "map": {"one": "1", "two": "2"},
  "object": {"inner": {"deep": 3}}, "objects": [{"a": 1}, {"a": "no number"}],
  "empty": [], "integers": [3, -4], "largest": 9223372036854775807,
  "too_large": 9223372036854775808
})");

TEST(ParseJson, GivesTheValue) { EXPECT_EQ(parse_json("[1, 2]", "a.json"), Json({1, 2})); }

struct Fault {
  std::string text;
  std::string place;
};

TEST(ParseJson, NamesLineAndColumnOfTheFirstFault) {
  const Fault faults[] = {
      {"{\"a\": x}", "1:7"},
      {"x", "1:1"},
      {"{\n  \"a\": 1,\n  \"b\" 2\n}", "3:7"},
      {"[1,\n2,\n]", "3:1"},
      {"[1]\n[2]", "2:1"},
      {"[1, \"a\nb\"]", "1:7"},  // a line feed within a text: where that line ends
      {"[\"\xff\"]", "1:3"},     // no UTF-8
  };
  for (const Fault& fault : faults) {
    EXPECT_EQ(error_of([&] { return parse_json(fault.text, "a.json"); }),
              "a.json:" + fault.place + ": this is not valid JSON")
        << fault.text;
  }
}

// Where the next byte would be.
TEST(ParseJson, NamesTheEndOfATextCutShort) {
  EXPECT_EQ(error_of([] { return parse_json("", "a.json"); }),
            "a.json:1:1: this is not valid JSON");
  EXPECT_EQ(error_of([] { return parse_json("{\"a\": 1", "a.json"); }),
            "a.json:1:8: this is not valid JSON");
  EXPECT_EQ(error_of([] { return parse_json("{\"a\": 1\n", "a.json"); }),
            "a.json:2:1: this is not valid JSON");
}

TEST(ParseJson, NamesThePlaceOfAKeyThatIsThereTwice) {
  EXPECT_EQ(error_of([] { return parse_json("{\"a\": 1,\n \"a\": 2}", "a.json"); }),
            "a.json:2:2: the key 'a' is there twice");
}

TEST(ParseJson, NamesThePlaceWhereItIsTooDeep) {
  const std::string text = "{\n \"a\": " + std::string(300, '[') + std::string(300, ']') + "}";
  EXPECT_EQ(error_of([&] { return parse_json(text, "a.json"); }),
            "a.json:2:206: lists and objects are nested more than 200 levels deep");
}

TEST(ParseJson, NumbersOutOfRangeAreFaultsToo) {
  EXPECT_EQ(error_of([] { return parse_json("[1e999]", "a.json"); }),
            "a.json: this is not valid JSON: a number is out of range");
}

TEST(JsonFields, ReadEveryKind) {
  const JsonFields fields(all_kinds, "a.json");
  EXPECT_EQ(fields.number("number"), 1.5);
  EXPECT_EQ(fields.number("integer"), -7.0);
  EXPECT_EQ(fields.integer("integer"), -7);
  EXPECT_EQ(fields.integer("largest"), 9223372036854775807);
  EXPECT_EQ(fields.natural("too_large"), 9223372036854775808U);
  EXPECT_THAT(fields.integers("integers"), ElementsAre(3, -4));
  EXPECT_TRUE(fields.flag("flag"));
  EXPECT_EQ(fields.text("text"), "a\nb");
  EXPECT_THAT(fields.numbers("numbers"), ElementsAre(1.0, 2.5));
  EXPECT_THAT(fields.texts("texts"), ElementsAre("x", "y"));
  EXPECT_THAT(fields.text_map("map"), ElementsAre(Pair("one", "1"), Pair("two", "2")));
  EXPECT_EQ(fields.object("object").object("inner").integer("deep"), 3);
  EXPECT_EQ(fields.objects("objects").at(0).integer("a"), 1);
  EXPECT_THAT(fields.numbers("empty"), IsEmpty());
  EXPECT_THAT(fields.objects("empty"), IsEmpty());
  EXPECT_EQ(fields.value("numbers"), Json({1, 2.5}));
}

// One row a kind: what it says when the key holds something else.
TEST(JsonFields, AFileIsOfItsKindAndVersion) {
  const auto error = [](std::string_view text) {
    const Json json = Json::parse(text);
    const FileKind kind = {.name = "run", .title = "evaluation", .hint = {}};
    return error_of([&] { check_head(json, kind, "a.json"); });
  };
  EXPECT_EQ(error(R"({"kind": "run", "schema_version": 3})"), "no error");
  EXPECT_EQ(error(R"({"kind": "walk", "schema_version": 3})"),
            "a.json: this is not an evaluation of Rooflab");
  EXPECT_EQ(error(R"({"schema_version": 3})"), "a.json: this is not an evaluation of Rooflab");
  EXPECT_EQ(error(R"({"kind": "run", "schema_version": 1})"),
            "a.json: this evaluation has schema version 1, this Rooflab reads 3");
  EXPECT_EQ(error(R"({"kind": "run", "schema_version": 4})"),
            "a.json: this evaluation has schema version 4, this Rooflab reads 3");
  EXPECT_EQ(error(R"({"kind": "run"})"), "a.json: 'schema_version' is missing");
}

TEST(JsonFields, WrongKindsAreNamed) {
  const JsonFields fields(all_kinds, "a.json");
  const auto message = [&](auto member, const char* key) {
    return error_of([&] { return (fields.*member)(key); });
  };
  EXPECT_EQ(message(&JsonFields::number, "text"), "a.json: 'text' must be a number");
  EXPECT_EQ(message(&JsonFields::integer, "number"), "a.json: 'number' must be a whole number");
  EXPECT_EQ(message(&JsonFields::natural, "integer"),
            "a.json: 'integer' must be a whole number of 0 or more");
  EXPECT_EQ(message(&JsonFields::integers, "numbers"),
            "a.json: 'numbers' must be a list of whole numbers");
  EXPECT_EQ(message(&JsonFields::integers, "integer"),
            "a.json: 'integer' must be a list of whole numbers");
  EXPECT_EQ(message(&JsonFields::flag, "integer"), "a.json: 'integer' must be true or false");
  EXPECT_EQ(message(&JsonFields::text, "flag"), "a.json: 'flag' must be a text");
  EXPECT_EQ(message(&JsonFields::numbers, "number"), "a.json: 'number' must be a list of numbers");
  EXPECT_EQ(message(&JsonFields::numbers, "texts"), "a.json: 'texts' must be a list of numbers");
  EXPECT_EQ(message(&JsonFields::texts, "text"), "a.json: 'text' must be a list of texts");
  EXPECT_EQ(message(&JsonFields::texts, "numbers"), "a.json: 'numbers' must be a list of texts");
  EXPECT_EQ(message(&JsonFields::text_map, "texts"), "a.json: 'texts' must be an object");
  EXPECT_EQ(message(&JsonFields::text_map, "object"), "a.json: 'object.inner' must be a text");
  EXPECT_EQ(message(&JsonFields::object, "numbers"), "a.json: 'numbers' must be an object");
  EXPECT_EQ(message(&JsonFields::objects, "object"), "a.json: 'object' must be a list of objects");
  EXPECT_EQ(message(&JsonFields::objects, "numbers"), "a.json: 'numbers[0]' must be an object");
}

TEST(JsonFields, WholeNumbersBeyond64BitsAreRefused) {
  const JsonFields fields(all_kinds, "a.json");
  EXPECT_EQ(error_of([&] { return fields.integer("too_large"); }),
            "a.json: 'too_large' is out of range");
  EXPECT_EQ(error_of([&] { return fields.optional_bytes("too_large"); }),
            "a.json: 'too_large' is out of range");
}

TEST(JsonFields, SmallIntegersAreThoseOf32Bits) {
  const Json json = Json::parse(R"({"largest": 2147483647, "beyond": 2147483648})");
  const JsonFields fields(json, "a.json");
  EXPECT_EQ(fields.small_integer("largest"), 2147483647);
  EXPECT_EQ(error_of([&] { return fields.small_integer("beyond"); }),
            "a.json: 'beyond' is out of range");
}

TEST(JsonFields, ThePathOfTheKeyIsNamed) {
  const JsonFields fields(all_kinds, "a.json");
  EXPECT_EQ(error_of([&] { return fields.object("object").object("inner").text("deep"); }),
            "a.json: 'object.inner.deep' must be a text");
  EXPECT_EQ(error_of([&] { return fields.object("object").object("inner").number("other"); }),
            "a.json: 'object.inner.other' is missing");
  EXPECT_EQ(error_of([&] { return fields.objects("objects").at(1).number("a"); }),
            "a.json: 'objects[1].a' must be a number");
  EXPECT_EQ(error_of([&] {
              fields.object("object").fail("inner", "is of no use");
              return 0;
            }),
            "a.json: 'object.inner' is of no use");
}

TEST(JsonFields, NullIsMissing) {
  const JsonFields fields(all_kinds, "a.json");
  EXPECT_EQ(error_of([&] { return fields.number("null"); }), "a.json: 'null' is missing");
  EXPECT_EQ(error_of([&] { return fields.value("absent"); }), "a.json: 'absent' is missing");
  EXPECT_FALSE(fields.has("null"));
  EXPECT_FALSE(fields.has("absent"));
  EXPECT_TRUE(fields.has("empty"));
}

TEST(JsonFields, OptionalOnesMayBeNullOrAbsent) {
  const JsonFields fields(all_kinds, "a.json");
  for (const char* const key : {"null", "absent"}) {
    EXPECT_EQ(fields.optional_number(key), std::nullopt);
    EXPECT_EQ(fields.optional_integer(key), std::nullopt);
    EXPECT_EQ(fields.optional_flag(key), std::nullopt);
    EXPECT_EQ(fields.optional_text(key), std::nullopt);
    EXPECT_EQ(fields.optional_bytes(key), std::nullopt);
    EXPECT_EQ(fields.optional_texts(key), std::nullopt);
    EXPECT_FALSE(fields.optional_object(key).has_value());
  }
  EXPECT_EQ(fields.optional_number("number"), 1.5);
  EXPECT_EQ(fields.optional_integer("integer"), -7);
  EXPECT_EQ(fields.optional_flag("flag"), true);
  EXPECT_EQ(fields.optional_text("text"), "a\nb");
  EXPECT_EQ(fields.optional_bytes("largest"), Bytes(9223372036854775807));
  EXPECT_EQ(fields.optional_texts("texts"), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(fields.optional_object("object")->object("inner").integer("deep"), 3);
}

TEST(JsonFields, OptionalOnesMustBeOfTheirKindWhenThere) {
  const JsonFields fields(all_kinds, "a.json");
  EXPECT_EQ(error_of([&] { return fields.optional_number("text"); }),
            "a.json: 'text' must be a number");
  EXPECT_EQ(error_of([&] { return fields.optional_bytes("number"); }),
            "a.json: 'number' must be a whole number");
  EXPECT_EQ(error_of([&] { return fields.optional_object("texts"); }),
            "a.json: 'texts' must be an object");
}

TEST(JsonFields, AFileMustHoldAnObject) {
  const Json list = Json::array();
  EXPECT_EQ(error_of([&] { return JsonFields(list, "a.json"); }),
            "a.json: the file must hold a JSON object");
}

TEST(JsonOrNull, IsNullForNothing) {
  EXPECT_EQ(json_or_null(std::optional<double>()), Json(nullptr));
  EXPECT_EQ(json_or_null(std::optional<double>(0.0)), Json(0.0));
  EXPECT_EQ(json_or_null(std::optional<Bytes>()), Json(nullptr));
  EXPECT_EQ(json_or_null(std::optional<Bytes>(Bytes(5))), Json(5));
}

}  // namespace
}  // namespace rooflab
