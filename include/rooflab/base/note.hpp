#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rooflab/base/figure.hpp"
#include "rooflab/base/json.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/base/note_table.hpp"

namespace rooflab {

/// The code of a note: a row of note_table.hpp. Any other does not compile.
class NoteCode {
 public:
  consteval NoteCode(const char* code) : sentence_(nullptr) {
    for (const NoteSentence& sentence : note_table) {
      if (sentence.code == code) sentence_ = &sentence;
    }
    if (sentence_ == nullptr) throw "note_table.hpp does not have this code";
  }
  /// A row of the table.
  constexpr explicit NoteCode(const NoteSentence& sentence) : sentence_(&sentence) {}

  [[nodiscard]] constexpr const NoteSentence& sentence() const { return *sentence_; }
  [[nodiscard]] constexpr std::string_view name() const { return sentence_->code; }

  friend constexpr bool operator==(NoteCode a, NoteCode b) { return a.sentence_ == b.sentence_; }

 private:
  const NoteSentence* sentence_;
};

/// What a sentence names: a text, a list of texts, a count, or a number with its unit.
class NoteValue {
 public:
  NoteValue(std::string text) : value_(std::move(text)) {}
  NoteValue(std::string_view text) : value_(std::string(text)) {}
  NoteValue(const char* text) : value_(std::string(text)) {}
  NoteValue(std::vector<std::string> list) : value_(std::move(list)) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) NoteValue(T count) : value_(static_cast<std::int64_t>(count)) {}
  NoteValue(double number, Unit unit) : value_(number), unit_(unit) {}

  [[nodiscard]] bool is_one() const;  ///< the count 1
  [[nodiscard]] bool is_count() const { return std::holds_alternative<std::int64_t>(value_); }
  [[nodiscard]] std::string text() const;  ///< `2,048`, `12.1 ms`, `12 %`, `t4, v100`
  [[nodiscard]] Json json() const;

  friend bool operator==(const NoteValue&, const NoteValue&) = default;

 private:
  std::variant<std::string, std::vector<std::string>, std::int64_t, double> value_;
  Unit unit_ = Unit::none;
};

/// Something that a reader must know about a result: a value that programs can tell by its code,
/// and people by its sentence.
///
///     notes.push_back({"runs_stopped_early", {cut}});
struct Note {
  NoteCode code = "sentence";
  std::vector<NoteValue> values = {};
  std::string subject = {};  ///< what it is about, where several things stand together

  /// The sentence, without the subject.
  [[nodiscard]] std::string text() const;
  /// `resnet18 on t4: SENTENCE`; the sentence alone without a subject.
  [[nodiscard]] std::string with_subject() const;

  friend bool operator==(const Note&, const Note&) = default;
};

/// `{code, subject, values, text}`.
[[nodiscard]] Json encode_json(const Note& note);
/// Files of version 1 have the sentence alone, which becomes a note of the code `sentence`.
void decode_json(Note& note, const JsonValue& from);

/// The sentences, each once, in their order.
[[nodiscard]] std::vector<std::string> texts_of(const std::vector<Note>& notes);

}  // namespace rooflab
