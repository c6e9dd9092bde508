#pragma once

#include <gmock/gmock.h>

#include <ostream>
#include <string>

#include "rooflab/describe/note.hpp"

namespace rooflab {

/// A note with this code, whatever its values.
inline auto HasCode(NoteCode code) { return testing::Field("code", &Note::code, code); }

/// A note with this code that has `value` among its values.
template <class Value>
auto HasValue(NoteCode code, const Value& value) {
  return testing::AllOf(
      HasCode(code), testing::Field("values", &Note::values, testing::Contains(NoteValue(value))));
}

/// A note whose sentence has this text: for what a value quotes.
inline auto Says(const std::string& text) {
  return testing::Property("text", &Note::text, testing::HasSubstr(text));
}

/// A sentence that has no code.
inline Note sentence(const std::string& text) { return {plain_sentence, {text}}; }

inline void PrintTo(const Note& note, std::ostream* stream) {
  *stream << note.code.name() << ": " << note.with_subject();
}
inline void PrintTo(const NoteCode& code, std::ostream* stream) { *stream << code.name(); }
inline void PrintTo(const NoteValue& value, std::ostream* stream) { *stream << value.json(); }

}  // namespace rooflab
