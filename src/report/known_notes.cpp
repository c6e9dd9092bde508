#include "known_notes.hpp"

#include <algorithm>
#include <vector>

#include "analyze/analyze_notes.hpp"
#include "counters/counters_notes.hpp"
#include "device/device_notes.hpp"
#include "engine/engine_notes.hpp"
#include "import/import_notes.hpp"
#include "onnx/onnx_notes.hpp"
#include "predict/predict_notes.hpp"
#include "probe/probe_notes.hpp"
#include "record/record_notes.hpp"
#include "recording/recording_notes.hpp"
#include "report_notes.hpp"
#include "task/task_notes.hpp"
#include "trace/trace_notes.hpp"
#include "training/training_notes.hpp"

namespace rooflab::report {
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
             analyze::says, task::says, says);
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

}  // namespace rooflab::report
