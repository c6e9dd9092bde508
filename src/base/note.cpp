#include "rooflab/base/note.hpp"

#include <algorithm>

#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab {
namespace {

constexpr std::string_view place = "{}";

/// The row's sentence for these values.
std::string_view chosen(const NoteSentence& row, const std::vector<NoteValue>& values) {
  const auto count = std::ranges::find_if(values, &NoteValue::is_count);
  const bool several = count != values.end() && !count->is_one();
  return several && !row.many.empty() ? row.many : row.one;
}

}  // namespace

bool NoteValue::is_one() const {
  const auto* const count = std::get_if<std::int64_t>(&value_);
  return count != nullptr && *count == 1;
}

std::string NoteValue::text() const {
  struct {
    Unit unit;
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(const std::vector<std::string>& list) const { return join(list, ", "); }
    std::string operator()(std::int64_t count) const { return with_thousands(count); }
    std::string operator()(double number) const { return text_in(unit, number); }
  } visitor{unit_};
  return std::visit(visitor, value_);
}

Json NoteValue::json() const {
  return std::visit([](const auto& value) { return Json(value); }, value_);
}

std::string Note::text() const {
  std::string text;
  std::string_view rest = chosen(code.sentence(), values);
  for (const NoteValue& value : values) {
    const std::size_t at = rest.find(place);
    if (at == std::string_view::npos) break;
    text += rest.substr(0, at);
    text += value.text();
    rest.remove_prefix(at + place.size());
  }
  return text + std::string(rest);
}

std::string Note::with_subject() const {
  return subject.empty() ? text() : format("{}: {}", subject, text());
}

Json encode_json(const Note& note) {
  Json values = Json::array();
  for (const NoteValue& value : note.values) values.push_back(value.json());
  return {{"code", note.code.name()},
          {"subject", note.subject.empty() ? Json() : Json(note.subject)},
          {"values", std::move(values)},
          {"text", note.text()}};
}

void decode_json(Note& note, const JsonValue& from) {
  const std::string text = from.json().is_string() ? from.text() : from.object().text("text");
  note = Note{"sentence", {text}};
  if (!from.json().is_object()) return;
  note.subject = from.object().optional_text("subject").value_or("");
}

std::vector<std::string> texts_of(const std::vector<Note>& notes) {
  std::vector<std::string> texts;
  for (const Note& note : notes) {
    std::string text = note.with_subject();
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace rooflab
