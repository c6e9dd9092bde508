#include "rooflab/describe/note.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "../base/note_matchers.hpp"
#include "../base/thrown_error.hpp"
#include "base/format.hpp"
#include "describe/fields.hpp"

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

/// A room that speaks.
struct Sentences {
  NoteSentence ops_not_counted{"ops_not_counted", "not counted: {} x {}"};
  NoteSentence batch_taken_as_1{
      "batch_taken_as_1",
      "the batch dimension '{0}' is open and taken as 1 (--batch N or --dim {0}=N sets it)"};
  NoteSentence carried_over{"carried_over", "times are carried over from measurements on {}"};
  NoteSentence layers_without_kernel{"layers_without_kernel",
                                     "expected work but no kernel recorded: {}"};
  NoteSentence neighbouring_kinds{"neighbouring_kinds",
                                  "{share:.0f} of the time is estimated from similar kinds of ops, "
                                  "because these were not measured"};
  NoteSentence steps_spread{
      "steps_spread", "step times vary by {share:.1f} of their median (5th to 95th percentile)"};
  NoteSentence clock_moved{"clock_moved",
                           "the clock moved from {hz} to {hz} while measuring ({share:+.1f})"};
  NoteSentence host_bound{
      "host_bound",
      "the host takes {s} to issue a step that takes {s}: the device waits for the host"};
  NoteSentence causal_attention{
      "causal_attention",
      "causal attention is counted in full; the visible half alone makes {:si} MACs"};
  NoteSentence elements_unused{
      "elements_unused", "{} of {} float elements in the file take no part in the computation"};
  NoteSentence target_not_reached{"target_not_reached",
                                  "no run reached {share:g}: the time to it is unknown"};
  NoteSentence moves_ignored{
      "moves_ignored", "Ignored: {} FLOP of FP16 FMAs in {} kernel[|s]. They only move constants."};
  NoteSentence data_unreadable{"data_unreadable",
                               "{} file[|s] of the data could not be read, the first: {}"};
  NoteSentence kernels_without_node{"kernels_without_node",
                                    "{} kernel[ belongs|s belong] to no node of the network"};
  NoteSentence runs_stopped_early{"runs_stopped_early",
                                  "{} run[|s] stopped early and contribute[s|] only to samples/s"};
  NoteSentence op_not_counted{"op_not_counted", "{} is not counted: {}[| ({} nodes)]"};
  NoteSentence clocks_held_down{"clocks_held_down",
                                "the device held its clocks down< in {} of {} samples>: {}"};
  NoteSentence counted_traffic{
      "counted_traffic",
      "DRAM moved {bytes}<, {:.2f} times the compulsory {bytes}><; L2 was asked for {bytes}>"};
  NoteSentence trace_cut{"trace_cut",
                         "the trace ends early, at byte {:d}< ({})>: what came later is missing"};
  NoteSentence amp_is_fp16{"amp_is_fp16", "amp is fp16 on a device that does not compute bf16"};
  NoteSentence no_tf32{"no_tf32", "{} has no TF32 units: FP32 instead"};
};
constexpr Sentences says{};

TEST(NoteSentence, IsInTheListOfItsRoom) {
  const auto list = sentences_of(says);
  EXPECT_EQ(list.size(), 21U);
  EXPECT_EQ(list.front().code, "ops_not_counted");
  EXPECT_EQ(list.back().text, says.no_tf32.text);
}

TEST(Note, PutsItsValuesIntoItsSentence) {
  EXPECT_EQ(Note({says.ops_not_counted, {3, "resize"}}).text(), "not counted: 3 x resize");
  EXPECT_EQ(Note({says.batch_taken_as_1, {"n"}}).text(),
            "the batch dimension 'n' is open and taken as 1 (--batch N or --dim n=N sets it)");
  EXPECT_EQ(Note({says.carried_over, {Texts{"t4", "v100"}}, "resnet18"}).with_subject(),
            "resnet18: times are carried over from measurements on t4, v100");
  EXPECT_EQ(
      Note({says.layers_without_kernel, {Texts{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}}})
          .text(),
      "expected work but no kernel recorded: a, b, c, d, e, f, g, h and 2 more");
}

TEST(Note, ShowsNumbersInTheUnitAndFormatOfTheirPlace) {
  EXPECT_EQ(Note({says.neighbouring_kinds, {0.125}}).text().substr(0, 16), "12 % of the time");
  EXPECT_EQ(Note({says.steps_spread, {0.75}}).text(),
            "step times vary by 75.0 % of their median (5th to 95th percentile)");
  EXPECT_EQ(Note({says.clock_moved, {2.0e9, 1.8e9, -0.1}}).text(),
            "the clock moved from 2 GHz to 1.8 GHz while measuring (-10.0 %)");
  EXPECT_EQ(Note({says.host_bound, {0.95e-3, 1}}).text(),
            "the host takes 950 us to issue a step that takes 1 s: the device waits for the host");
  EXPECT_EQ(Note({says.causal_attention, {1.5e9}}).text(),
            "causal attention is counted in full; the visible half alone makes 1.5 G MACs");
  EXPECT_EQ(Note({says.elements_unused, {1234, 56789}}).text(),
            "1,234 of 56,789 float elements in the file take no part in the computation");
  EXPECT_EQ(Note({says.target_not_reached, {0.9}}).text(),
            "no run reached 90 %: the time to it is unknown");
  EXPECT_EQ(Note({says.moves_ignored, {111'415'080, 145}}).text(),
            "Ignored: 111,415,080 FLOP of FP16 FMAs in 145 kernels. They only move constants.");
}

TEST(Note, ChoosesWordsByACount) {
  EXPECT_EQ(Note({says.data_unreadable, {1, "a.jpg"}}).text(),
            "1 file of the data could not be read, the first: a.jpg");
  EXPECT_EQ(Note({says.data_unreadable, {2, "a.jpg"}}).text(),
            "2 files of the data could not be read, the first: a.jpg");
  EXPECT_EQ(Note({says.kernels_without_node, {1}}).text(),
            "1 kernel belongs to no node of the network");
  EXPECT_EQ(Note({says.kernels_without_node, {5}}).text(),
            "5 kernels belong to no node of the network");
  EXPECT_EQ(Note({says.runs_stopped_early, {1}}).text(),
            "1 run stopped early and contributes only to samples/s");
  EXPECT_EQ(Note({says.runs_stopped_early, {2}}).text(),
            "2 runs stopped early and contribute only to samples/s");
  EXPECT_EQ(Note({says.op_not_counted, {"Loop", "it has no rule", 1}}).text(),
            "Loop is not counted: it has no rule");
  EXPECT_EQ(Note({says.op_not_counted, {"Loop", "it has no rule", 2}}).text(),
            "Loop is not counted: it has no rule (2 nodes)");
}

TEST(Note, LeavesOutAPartWhoseValueIsMissing) {
  EXPECT_EQ(Note({says.clocks_held_down, {NoteValue(), NoteValue(), "sw_power_cap"}}).text(),
            "the device held its clocks down: sw_power_cap");
  EXPECT_EQ(Note({says.clocks_held_down, {1, 2, "hw_thermal"}}).text(),
            "the device held its clocks down in 1 of 2 samples: hw_thermal");
  EXPECT_EQ(Note({says.counted_traffic, {5e6, NoteValue(), NoteValue(), 1e7}}).text(),
            "DRAM moved 5 MB; L2 was asked for 10 MB");
  EXPECT_EQ(Note({says.trace_cut, {12345, "the compressed data ends early"}}).text(),
            "the trace ends early, at byte 12345 (the compressed data ends early): what came later"
            " is missing");
}

TEST(Note, IsAnObjectInJsonAndReadAsItWas) {
  EXPECT_EQ(codec::encode(std::vector<Note>{{says.ops_not_counted, {3, "resize"}, "swin"}}).dump(),
            R"([{"code":"ops_not_counted","subject":"swin","values":[3,"resize"],)"
            R"("text":"not counted: 3 x resize"}])");
  for (const Note& note :
       {Note{says.ops_not_counted, {3, "resize"}, "swin"},
        Note{says.clock_moved, {2.0e9, 1.8e9, 1.0 / 3.0}},
        Note{says.carried_over, {Texts{"t4", "v100"}}},
        Note{says.clocks_held_down, {NoteValue(), NoteValue(), "hot"}},
        Note{says.elements_unused, {std::numeric_limits<std::int64_t>::max(), 0}},
        Note{says.amp_is_fp16}}) {
    EXPECT_EQ(reread(note), note);
  }
}

TEST(Note, KeepsTheWordsOfTheFileThatItWasReadFrom) {
  const Json json = {{"code", "not_invented"}, {"values", {1}}, {"text", "As it will be."}};
  const Json file = {{"notes", Json::array({json})}};
  const JsonFields fields(file, "a.json");
  std::vector<Note> read;
  codec::decode(read, fields.at("notes"));
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].code.name(), "not_invented");
  EXPECT_EQ(read[0].code.sentence(), nullptr);
  EXPECT_EQ(read[0].text(), "As it will be.");
  EXPECT_EQ(encode_json(read[0]), (Json{{"code", "not_invented"},
                                        {"subject", nullptr},
                                        {"values", {1}},
                                        {"text", "As it will be."}}));
}

TEST(Note, AValueOfAnotherKindIsAnErrorAtItsPlace) {
  const Json file = {{"note",
                      {{"code", "carried_over"},
                       {"values", Json::array({Json::array({"t4", 1})})},
                       {"text", ""}}}};
  const JsonFields fields(file, "a.json");
  Note read;
  const std::string message = thrown_error(ErrorKind::input, [&] {
                                return decode_json(read, fields.at("note"));
                              }).full_message();
  EXPECT_EQ(message, "a.json: 'note.values[0][1]' must be a text");
}

TEST(Note, StandsOnceAmongNotesAndTexts) {
  std::vector<Note> notes = {{says.amp_is_fp16}};
  add_notes(notes, {{says.amp_is_fp16}, {says.no_tf32, {"T4"}}});
  EXPECT_EQ(notes, (std::vector<Note>{{says.amp_is_fp16}, {says.no_tf32, {"T4"}}}));
  notes.push_back(sentence("T4 has no TF32 units: FP32 instead"));
  EXPECT_EQ(texts_of(notes).size(), 2U);
}

}  // namespace
}  // namespace rooflab
