#include "report/known_notes.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <regex>
#include <set>

#include "describe/json_fields.hpp"
#include "record/record_notes.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::report {
namespace {

/// Code of every sentence in the files `src/<room>/<room>_notes.hpp`, by its name there.
std::multimap<std::string, std::string> codes_of_all_rooms() {
  static const std::regex sentence(R"(NoteSentence (\w+)\{\s*"(\w+)\")");
  std::multimap<std::string, std::string> codes;
  for (const auto& room : std::filesystem::directory_iterator(ROOFLAB_SOURCE_DIR "/src")) {
    const std::filesystem::path file =
        room.path() / (room.path().filename().string() + "_notes.hpp");
    if (!std::filesystem::exists(file)) continue;
    const std::string text = read_file(file);
    for (std::sregex_iterator each(text.begin(), text.end(), sentence), end; each != end; ++each) {
      codes.emplace((*each)[1], (*each)[2]);
    }
  }
  return codes;
}

/// The note of a file, with other words than ours.
Note read_note(const std::string& code) {
  const Json file = {{"note", {{"code", code}, {"values", {7}}, {"text", "as it was"}}}};
  Note read;
  decode_json(read, JsonFields(file, "a.json").at("note"));
  return read;
}

TEST(KnownNotes, AreThoseOfAllRoomsByTheirNames) {
  std::set<std::string> known;
  for (const NoteSentence& sentence : known_sentences()) {
    EXPECT_TRUE(known.emplace(sentence.code).second) << sentence.code << " is there twice";
  }
  std::set<std::string> said = {"sentence"};
  for (const auto& [name, code] : codes_of_all_rooms()) {
    EXPECT_EQ(name, code);
    said.insert(code);
  }
  EXPECT_EQ(known, said);
}

TEST(KnownNotes, HaveSentencesThatCanBeFilled) {
  for (const NoteSentence& sentence : known_sentences()) {
    EXPECT_EQ(sentence.text.find("  "), std::string_view::npos) << sentence.code;
    for (const std::int64_t count : {1, 2}) {
      const std::string text = words_of({sentence, std::vector<NoteValue>(7, count)});
      EXPECT_EQ(text.find_first_of("{}[]<>|?"), std::string::npos) << sentence.code << ": " << text;
    }
  }
}

TEST(KnownNotes, GiveANoteOfAFileOurWords) {
  const Note note = read_note("times_unsettled");
  EXPECT_EQ(note, (Note{record::says.times_unsettled, {7}}));
  EXPECT_EQ(note.text(), "as it was");
  EXPECT_EQ(words_of(note), "times had not settled after 7 warm-up steps");
  EXPECT_EQ(rank_of(note), NoteRank::changes);
  EXPECT_EQ(command_of(note), "");
}

TEST(KnownNotes, LeaveANoteOfAnotherProgramItsWords) {
  EXPECT_EQ(words_of(read_note("not_invented")), "as it was");
  EXPECT_EQ(rank_of(read_note("not_invented")), NoteRank::says);
}

}  // namespace
}  // namespace rooflab::report
