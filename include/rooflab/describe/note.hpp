#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/json.hpp"
#include "rooflab/describe/figure.hpp"
#include "rooflab/describe/note_sentence.hpp"

namespace rooflab {

class JsonValue;

/// The sentence of a remark that has no row of ours, but was a text alone.
inline constexpr NoteSentence plain_sentence{"sentence", "{}"};

/// What a note says: a sentence of a room, or the code of one in a file that was read. Two with
/// the same code are equal.
class NoteCode {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): notes are written with their sentence alone
  NoteCode(const NoteSentence& sentence) : sentence_(&sentence) {}
  NoteCode(const NoteSentence&& temporary) = delete;
  explicit NoteCode(std::string read) : read_(std::move(read)) {}

  [[nodiscard]] std::string_view name() const { return sentence_ ? sentence_->code : read_; }
  /// The sentence of a note that this program said; nullptr: the note was read.
  [[nodiscard]] const NoteSentence* sentence() const { return sentence_; }

  friend bool operator==(const NoteCode& a, const NoteCode& b) { return a.name() == b.name(); }

 private:
  const NoteSentence* sentence_ = nullptr;
  std::string read_;
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
  /// `2,048`, `12.1 ms`, `12 %`, `t4, v100`; `form`: see NoteSentence.
  [[nodiscard]] std::string text(Unit unit = Unit::none, std::string_view form = {}) const;
  [[nodiscard]] Json json() const;

  friend bool operator==(const NoteValue&, const NoteValue&) = default;

 private:
  std::variant<std::monostate, std::string, std::vector<std::string>, std::int64_t, double> value_;
};

/// A remark about a result, with a code for programs and a sentence for people.
///
///     notes.push_back({says.runs_stopped_early, {cut}});
struct Note {
  NoteCode code = plain_sentence;
  std::vector<NoteValue> values = {};
  std::string subject = {};  ///< what the note is about, among several things
  std::string as_read = {};  ///< the sentence of a note that was read from a file

  /// The sentence, without the subject.
  [[nodiscard]] std::string text() const;
  /// The text `resnet18 on t4: SENTENCE`, or the sentence alone without a subject.
  [[nodiscard]] std::string with_subject() const;

  friend bool operator==(const Note& a, const Note& b) {
    return a.code == b.code && a.values == b.values && a.subject == b.subject;
  }
};

/// `text` with the values in its places (NoteSentence).
[[nodiscard]] std::string fill_in(std::string_view text, const std::vector<NoteValue>& values);

/// Encodes a note as `{code, subject, values, text}`.
[[nodiscard]] Json encode_json(const Note& note);
[[nodiscard]] Json schema_of_json(For<Note>);
/// Decodes a note. Its sentence is the file's, whatever this program says with that code.
void decode_json(Note& note, const JsonValue& from);

/// Appends the notes of `more` that `notes` does not have.
void add_notes(std::vector<Note>& notes, const std::vector<Note>& more);

/// The distinct sentences in their order.
[[nodiscard]] std::vector<std::string> texts_of(const std::vector<Note>& notes);

}  // namespace rooflab
