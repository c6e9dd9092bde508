#include "notes/known_notes.hpp"

#include <algorithm>
#include <vector>

#include "notes/analyze_notes.hpp"
#include "notes/counters_notes.hpp"
#include "notes/device_notes.hpp"
#include "notes/engine_notes.hpp"
#include "notes/import_notes.hpp"
#include "notes/onnx_notes.hpp"
#include "notes/predict_notes.hpp"
#include "notes/probe_notes.hpp"
#include "notes/record_notes.hpp"
#include "notes/recording_notes.hpp"
#include "notes/report_notes.hpp"
#include "notes/task_notes.hpp"
#include "notes/trace_notes.hpp"
#include "notes/training_notes.hpp"

namespace rooflab::notes {
namespace {

template <class... Sentences>
std::vector<NoteSentence> all_of(const Sentences&... rooms) {
  std::vector<NoteSentence> all = {plain_sentence};
  const auto add = [&all](const auto& list) { all.insert(all.end(), list.begin(), list.end()); };
  (add(sentences_of(rooms)), ...);
  return all;
}

/// nullptr: of a program that is not ours, or of another version.
const NoteSentence* sentence_of(const Note& note) {
  if (note.code.sentence() != nullptr) return note.code.sentence();
  const std::span<const NoteSentence> all = known_sentences();
  const auto found = std::ranges::find(all, note.code.name(), &NoteSentence::code);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::span<const NoteSentence> known_sentences() {
  static const std::vector<NoteSentence> all =
      all_of(device::says, record::says, onnx::says, recording::says, import::says, trace::says,
             training::says, counters::says, engine::says, predict::says, probe::says,
             analyze::says, task::says, report::says);
  return all;
}

std::string words_of(const Note& note) {
  const NoteSentence* const sentence = sentence_of(note);
  return sentence == nullptr ? note.as_read : fill_in(sentence->text, note.values);
}

NoteRank rank_of(const Note& note) {
  const NoteSentence* const sentence = sentence_of(note);
  return sentence == nullptr ? NoteRank::says : sentence->rank;
}

std::string command_of(const Note& note) {
  const NoteSentence* const sentence = sentence_of(note);
  return sentence == nullptr ? "" : fill_in(sentence->command, note.values);
}

}  // namespace rooflab::notes
