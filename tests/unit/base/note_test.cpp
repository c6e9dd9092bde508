#include "rooflab/base/note.hpp"

#include <gtest/gtest.h>

#include <set>

#include "rooflab/base/fields.hpp"

namespace rooflab {
namespace {

std::size_t places_in(std::string_view sentence) {
  std::size_t count = 0;
  for (std::size_t at = sentence.find("{}"); at != std::string_view::npos;
       at = sentence.find("{}", at + 2)) {
    ++count;
  }
  return count;
}

TEST(NoteTable, HasOneRowForEachCodeAndWholeSentences) {
  std::set<std::string_view> codes;
  for (const NoteSentence& row : note_table) {
    EXPECT_TRUE(codes.insert(row.code).second) << row.code << " has two rows";
    if (row.code == "sentence") continue;
    for (const std::string_view sentence : {row.one, row.many}) {
      if (sentence.empty()) continue;
      EXPECT_TRUE(sentence.ends_with('.')) << row.code;
      EXPECT_EQ(sentence.find("  "), std::string_view::npos) << row.code;
    }
    if (!row.many.empty()) EXPECT_GE(places_in(row.many), places_in(row.one)) << row.code;
  }
}

TEST(Note, PutsItsValuesIntoItsSentence) {
  const Note note{"ops_not_counted", {3, "resize"}};
  EXPECT_EQ(note.text(), "Not counted: 3 x resize.");
  EXPECT_EQ(Note({"neighbouring_kinds", {{0.125, Unit::share}}}).text(),
            "12.5 % of the time is of kinds that were not measured; it comes from neighbouring"
            " kinds.");
  EXPECT_EQ(
      Note({"carried_over", {std::vector<std::string>{"t4", "v100"}}, "resnet18"}).with_subject(),
      "resnet18: Predicted from measurements on t4, v100; the interval is wider.");
}

TEST(Note, IsAnObjectInJsonAndReadFromOneAndFromASentence) {
  const Note note{"ops_not_counted", {3, "resize"}, "swin"};
  const Json json = codec::encode(std::vector<Note>{note});
  EXPECT_EQ(json.dump(), R"([{"code":"ops_not_counted","subject":"swin","values":[3,"resize"],)"
                         R"("text":"Not counted: 3 x resize."}])");
  const Json file = {{"notes", Json::array({json.front(), "As it was."})}};
  const JsonFields fields(file, "a.json");
  std::vector<Note> read;
  fields.at("notes").for_each_element(
      [&read](const JsonValue& each) { decode_json(read.emplace_back(), each); });
  EXPECT_EQ(texts_of(read),
            (std::vector<std::string>{"swin: Not counted: 3 x resize.", "As it was."}));
}

}  // namespace
}  // namespace rooflab
