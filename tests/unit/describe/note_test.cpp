#include "rooflab/describe/note.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "../base/note_matchers.hpp"
#include "../base/thrown_error.hpp"
#include "describe/fields.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab {
namespace {

using Texts = std::vector<std::string>;

/// The note that a reader of our own file gets.
Note reread(const Note& note) {
  const Json file = parse_json(format("{{\"note\": {}}}", encode_json(note).dump()), "a.json");
  const JsonFields fields(file, "a.json");
  Note read;
  decode_json(read, fields.at("note"));
  return read;
}

TEST(NoteTable, HasOneRowForEachCodeAndSentencesThatCanBeFilled) {
  std::set<std::string_view> codes;
  for (const NoteSentence& row : note_table) {
    EXPECT_TRUE(codes.insert(row.code).second) << row.code << " has two rows";
    EXPECT_EQ(row.text.find("  "), std::string_view::npos) << row.code;
    for (const std::int64_t count : {1, 2}) {
      Note note{NoteCode(row), std::vector<NoteValue>(7, count)};
      const std::string text = note.text();
      EXPECT_EQ(text.find_first_of("{}[]<>|?"), std::string::npos) << row.code << ": " << text;
    }
  }
}

TEST(Note, PutsItsValuesIntoItsSentence) {
  EXPECT_EQ(Note({"ops_not_counted", {3, "resize"}}).text(), "not counted: 3 x resize");
  EXPECT_EQ(Note({"batch_taken_as_1", {"n"}}).text(),
            "the batch dimension 'n' is open and taken as 1 (--batch N or --dim n=N sets it)");
  EXPECT_EQ(Note({"carried_over", {Texts{"t4", "v100"}}, "resnet18"}).with_subject(),
            "resnet18: times are carried over from measurements on t4, v100");
  EXPECT_EQ(
      Note({"layers_without_kernel", {Texts{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}}})
          .text(),
      "expected work but no kernel recorded: a, b, c, d, e, f, g, h and 2 more");
}

TEST(Note, ShowsNumbersInTheUnitAndFormatOfTheirPlace) {
  EXPECT_EQ(Note({"neighbouring_kinds", {0.125}}).text().substr(0, 16), "12 % of the time");
  EXPECT_EQ(Note({"steps_spread", {0.75}}).text(),
            "step times vary by 75.0 % of their median (5th to 95th percentile)");
  EXPECT_EQ(Note({"clock_moved", {2.0e9, 1.8e9, -0.1}}).text(),
            "the clock moved from 2 GHz to 1.8 GHz while measuring (-10.0 %)");
  EXPECT_EQ(Note({"host_bound", {0.95e-3, 1}}).text(),
            "the host takes 950 us to issue a step that takes 1 s: the device waits for the host");
  EXPECT_EQ(Note({"causal_attention", {1.5e9}}).text(),
            "causal attention is counted in full; the visible half alone makes 1.5 G MACs");
  EXPECT_EQ(Note({"elements_unused", {1234, 56789}}).text(),
            "1,234 of 56,789 float elements in the file take no part in the computation");
  EXPECT_EQ(Note({"target_not_reached", {0.9}}).text(),
            "no run reached 90 %: the time to it is unknown");
  EXPECT_EQ(Note({"moves_ignored", {111'415'080, 145}}).text(),
            "Ignored: 111,415,080 FLOP of FP16 FMAs in 145 kernels. They only move constants.");
}

TEST(Note, ChoosesWordsByACount) {
  EXPECT_EQ(Note({"data_unreadable", {1, "a.jpg"}}).text(),
            "1 file of the data could not be read, the first: a.jpg");
  EXPECT_EQ(Note({"data_unreadable", {2, "a.jpg"}}).text(),
            "2 files of the data could not be read, the first: a.jpg");
  EXPECT_EQ(Note({"kernels_without_node", {1}}).text(),
            "1 kernel belongs to no node of the network");
  EXPECT_EQ(Note({"kernels_without_node", {5}}).text(),
            "5 kernels belong to no node of the network");
  EXPECT_EQ(Note({"runs_stopped_early", {1}}).text(),
            "1 run stopped early and contributes only to samples/s");
  EXPECT_EQ(Note({"runs_stopped_early", {2}}).text(),
            "2 runs stopped early and contribute only to samples/s");
  EXPECT_EQ(Note({"op_not_counted", {"Loop", "it has no rule", 1}}).text(),
            "Loop is not counted: it has no rule");
  EXPECT_EQ(Note({"op_not_counted", {"Loop", "it has no rule", 2}}).text(),
            "Loop is not counted: it has no rule (2 nodes)");
}

TEST(Note, LeavesOutAPartWhoseValueIsMissing) {
  EXPECT_EQ(Note({"clocks_held_down", {NoteValue(), NoteValue(), "sw_power_cap"}}).text(),
            "the device held its clocks down: sw_power_cap");
  EXPECT_EQ(Note({"clocks_held_down", {1, 2, "hw_thermal"}}).text(),
            "the device held its clocks down in 1 of 2 samples: hw_thermal");
  EXPECT_EQ(Note({"counted_traffic", {5e6, NoteValue(), NoteValue(), 1e7}}).text(),
            "DRAM moved 5 MB; L2 was asked for 10 MB");
  EXPECT_EQ(Note({"trace_cut", {12345, "the compressed data ends early"}}).text(),
            "the trace ends early, at byte 12345 (the compressed data ends early): what came later"
            " is missing");
}

TEST(Note, IsAnObjectInJsonAndReadAsItWas) {
  EXPECT_EQ(codec::encode(std::vector<Note>{{"ops_not_counted", {3, "resize"}, "swin"}}).dump(),
            R"([{"code":"ops_not_counted","subject":"swin","values":[3,"resize"],)"
            R"("text":"not counted: 3 x resize"}])");
  for (const Note& note :
       {Note{"ops_not_counted", {3, "resize"}, "swin"},
        Note{"clock_moved", {2.0e9, 1.8e9, 1.0 / 3.0}}, Note{"carried_over", {Texts{"t4", "v100"}}},
        Note{"clocks_held_down", {NoteValue(), NoteValue(), "hot"}},
        Note{"elements_unused", {std::numeric_limits<std::int64_t>::max(), 0}},
        Note{"amp_is_fp16"}}) {
    EXPECT_EQ(reread(note), note);
  }
}

TEST(Note, IsASentenceFromAnEarlierOrALaterProgram) {
  const Json later = {{"code", "not_invented"}, {"values", {1}}, {"text", "As it will be."}};
  const Json file = {{"notes", Json::array({"As it was.", later})}};
  const JsonFields fields(file, "a.json");
  std::vector<Note> read;
  codec::decode(read, fields.at("notes"));
  EXPECT_EQ(read, (std::vector<Note>{sentence("As it was."), sentence("As it will be.")}));
}

TEST(Note, AValueOfAnotherKindIsAnErrorAtItsPlace) {
  const Json file = {
      {"note", {{"code", "carried_over"}, {"values", Json::array({Json::array({"t4", 1})})}}}};
  const JsonFields fields(file, "a.json");
  Note read;
  const std::string message = thrown_error(ErrorKind::input, [&] {
                                return decode_json(read, fields.at("note"));
                              }).full_message();
  EXPECT_EQ(message, "a.json: 'note.values[0][1]' must be a text");
}

TEST(Note, StandsOnceAmongNotesAndTexts) {
  std::vector<Note> notes = {{"amp_is_fp16"}};
  add_notes(notes, {{"amp_is_fp16"}, {"no_tf32", {"T4"}}});
  EXPECT_EQ(notes, (std::vector<Note>{{"amp_is_fp16"}, {"no_tf32", {"T4"}}}));
  notes.push_back(sentence("T4 has no TF32 units: FP32 instead"));
  EXPECT_EQ(texts_of(notes).size(), 2U);
}

}  // namespace
}  // namespace rooflab
