#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "rooflab/base/json.hpp"
#include "rooflab/describe/figure.hpp"
#include "rooflab/describe/note_table.hpp"

namespace rooflab {

class JsonValue;

/// The code of a note: a row of note_table.hpp; any other code does not compile.
class NoteCode {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): notes are written with the code alone
  consteval NoteCode(const char* code) : sentence_(nullptr) {
    const std::string_view name = code;
    for (const NoteSentence& sentence : note_table) {
      if (sentence.code == name) {
        sentence_ = &sentence;
        return;
      }
    }
    throw "note_table.hpp does not have this code";
  }
  /// Takes a row of the table.
  constexpr explicit NoteCode(const NoteSentence& sentence) : sentence_(&sentence) {}

  [[nodiscard]] constexpr const NoteSentence& sentence() const { return *sentence_; }
  [[nodiscard]] constexpr std::string_view name() const { return sentence_->code; }

  friend constexpr bool operator==(NoteCode a, NoteCode b) { return a.sentence_ == b.sentence_; }

 private:
  const NoteSentence* sentence_;
};

/// A value in a sentence: a text, a list of texts, a count, or a number whose unit the sentence
/// gives. It may be missing.
class NoteValue {
 public:
  NoteValue() = default;
  // NOLINTBEGIN(google-explicit-constructor): a note names its values as they are.
  NoteValue(std::string text) {  // an empty one is missing
    if (!text.empty()) value_ = std::move(text);
  }
  NoteValue(std::string_view text) : NoteValue(std::string(text)) {}
  NoteValue(const char* text) : NoteValue(std::string(text)) {}
  NoteValue(std::vector<std::string> list) : value_(std::move(list)) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) NoteValue(T count) : value_(static_cast<std::int64_t>(count)) {}
  NoteValue(double number) : value_(number) {}
  template <class T>
  NoteValue(const std::optional<T>& value) : NoteValue(value ? NoteValue(*value) : NoteValue()) {}
  // NOLINTEND(google-explicit-constructor)
  explicit NoteValue(const JsonValue& from);

  [[nodiscard]] bool is_missing() const { return value_.index() == 0; }
  [[nodiscard]] std::optional<std::int64_t> count() const;  ///< the length of a list
  /// `2,048`, `12.1 ms`, `12 %`, `t4, v100`; `form`: see note_table.hpp.
  [[nodiscard]] std::string text(Unit unit = Unit::none, std::string_view form = {}) const;
  [[nodiscard]] Json json() const;

  friend bool operator==(const NoteValue&, const NoteValue&) = default;

 private:
  std::variant<std::monostate, std::string, std::vector<std::string>, std::int64_t, double> value_;
};

/// A remark about a result, with a code for programs and a sentence for people.
///
///     notes.push_back({"runs_stopped_early", {cut}});
struct Note {
  NoteCode code = "sentence";
  std::vector<NoteValue> values = {};
  std::string subject = {};  ///< what the note is about, among several things

  /// The sentence, without the subject.
  [[nodiscard]] std::string text() const;
  /// The text `resnet18 on t4: SENTENCE`, or the sentence alone without a subject.
  [[nodiscard]] std::string with_subject() const;
  /// Command line that solves the problem; empty: none is known.
  [[nodiscard]] std::string command() const;
  [[nodiscard]] constexpr NoteRank rank() const { return code.sentence().rank; }

  friend bool operator==(const Note&, const Note&) = default;
};

/// Encodes a note as `{code, subject, values, text}`.
[[nodiscard]] Json encode_json(const Note& note);
/// Decodes a note. One with a code that this program does not know becomes a note `sentence` with
/// its text.
void decode_json(Note& note, const JsonValue& from);

/// Appends the notes of `more` that `notes` does not have.
void add_notes(std::vector<Note>& notes, const std::vector<Note>& more);

/// The distinct sentences in their order.
[[nodiscard]] std::vector<std::string> texts_of(const std::vector<Note>& notes);

}  // namespace rooflab
