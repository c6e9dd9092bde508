#include "rooflab/describe/note.hpp"

#include <algorithm>
#include <charconv>

#include "base/format.hpp"
#include "fields.hpp"
#include "json_fields.hpp"
#include "rooflab/describe/figure_key.hpp"

namespace rooflab {
namespace {

constexpr FigureKey code_key = "code";
constexpr FigureKey subject_key = "subject";
constexpr FigureKey values_key = "values";
constexpr FigureKey text_key = "text";
constexpr std::size_t most_named = 8;  ///< elements of a list

std::string list_text(const std::vector<std::string>& list) {
  if (list.size() <= most_named) return join(list, ", ");
  const std::vector<std::string> first(list.begin(), list.begin() + most_named);
  return fmt::format("{} and {} more", join(first, ", "), list.size() - most_named);
}

std::string number_text(double number, Unit unit, std::string_view form) {
  if (form.empty()) return text_in(unit, number);
  if (form == "si") return si(number, symbol_of(unit));
  const double shown = unit == Unit::share ? 100.0 * number : number;
  return fmt::format(fmt::runtime(fmt::format("{{:{}}}{}", form, unit == Unit::share ? " %" : "")),
                     shown);
}

/// A sentence with the values of a note in their places.
class Filling {
 public:
  explicit Filling(const std::vector<NoteValue>& values) : values_(values) {}

  std::string fill(std::string_view sentence) {
    std::string text;
    while (!sentence.empty()) {
      const std::size_t at = std::min(sentence.find_first_of("{[<"), sentence.size());
      text += sentence.substr(0, at);
      sentence.remove_prefix(at);
      if (sentence.empty()) break;
      const char open = sentence.front();
      const std::size_t end = sentence.find(open == '{' ? '}' : open == '[' ? ']' : '>');
      const std::string_view inside = sentence.substr(1, end - 1);
      text += open == '{' ? value(inside) : open == '[' ? choice(inside) : part(inside);
      sentence.remove_prefix(end + 1);
    }
    return text;
  }

 private:
  /// The value of a place, `2share:.0f`.
  std::string value(std::string_view place) {
    const auto [rest, error] = std::from_chars(place.data(), place.data() + place.size(), next_);
    place.remove_prefix(static_cast<std::size_t>(rest - place.data()));
    const NoteValue value = next_ < values_.size() ? values_[next_] : NoteValue();
    ++next_;
    complete_ = complete_ && !value.is_missing();
    if (const auto count = value.count()) count_ = count;
    const std::size_t colon = std::min(place.find(':'), place.size());
    return value.text(unit_of_key(place.substr(0, colon)),
                      place.substr(std::min(colon + 1, place.size())));
  }

  std::string choice(std::string_view words) {
    std::optional<std::int64_t> count = count_;
    for (std::size_t i = 0; i < values_.size() && !count; ++i) count = values_[i].count();
    const std::size_t bar = words.find('|');
    return fill(count == 1 ? words.substr(0, bar) : words.substr(bar + 1));
  }

  std::string part(std::string_view sentence) {
    complete_ = true;
    const std::string text = fill(sentence);
    return complete_ ? text : std::string();
  }

  const std::vector<NoteValue>& values_;
  std::size_t next_ = 0;
  std::optional<std::int64_t> count_;  ///< the last one that was written
  bool complete_ = true;               ///< no value of the part is missing
};

}  // namespace

NoteValue::NoteValue(const JsonValue& from) {
  const Json& json = from.json();
  if (json.is_string()) {
    value_ = json.text();
  } else if (json.is_array()) {
    std::vector<std::string>& texts = value_.emplace<std::vector<std::string>>();
    from.for_each_element([&texts](const JsonValue& each) { texts.push_back(each.text()); });
  } else if (json.is_number_integer()) {
    value_ = from.integer();
  } else if (!json.is_null()) {
    value_ = from.number();
  }
}

std::optional<std::int64_t> NoteValue::count() const {
  if (const auto* const count = std::get_if<std::int64_t>(&value_)) return *count;
  const auto* const list = std::get_if<std::vector<std::string>>(&value_);
  return list == nullptr ? std::nullopt : std::optional<std::int64_t>(list->size());
}

std::string NoteValue::text(Unit unit, std::string_view form) const {
  struct {
    Unit unit;
    std::string_view form;
    std::string operator()(std::monostate /*missing*/) const { return {}; }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(const std::vector<std::string>& list) const { return list_text(list); }
    std::string operator()(std::int64_t count) const {
      if (form == "d") return fmt::format("{}", count);
      if (unit == Unit::none && form.empty()) return with_thousands(count);
      return number_text(static_cast<double>(count), unit, form);
    }
    std::string operator()(double number) const { return number_text(number, unit, form); }
  } visitor{unit, form};
  return std::visit(visitor, value_);
}

Json NoteValue::json() const {
  return std::visit(
      [](const auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
          return Json();
        else
          return Json(value);
      },
      value_);
}

std::string fill_in(std::string_view text, const std::vector<NoteValue>& values) {
  return Filling(values).fill(text);
}

std::string Note::text() const {
  return code.sentence() == nullptr ? as_read : fill_in(code.sentence()->text, values);
}

std::string Note::with_subject() const {
  return subject.empty() ? text() : format("{}: {}", subject, text());
}

Json encode_json(const Note& note) {
  Json values = Json::array();
  for (const NoteValue& value : note.values) values.push_back(value.json());
  return {{code_key.key(), note.code.name()},
          {subject_key.key(), note.subject.empty() ? Json() : Json(note.subject)},
          {values_key.key(), std::move(values)},
          {text_key.key(), note.text()}};
}

Json schema_of_json(For<Note> /*type*/) {
  const Json text = {{"type", "string"}};
  return {{"type", "object"},
          {"properties",
           {{code_key.key(), text},
            {subject_key.key(), codec::or_null(text)},
            {values_key.key(), {{"type", "array"}}},
            {text_key.key(), text}}},
          {"required", Json::array({code_key.key(), values_key.key(), text_key.key()})}};
}

void decode_json(Note& note, const JsonValue& from) {
  const JsonFields fields = from.object();
  note = Note{.code = NoteCode(fields.text(code_key.key())),
              .subject = fields.optional_text(subject_key.key()).value_or(""),
              .as_read = fields.text(text_key.key())};
  fields.at(values_key.key()).for_each_element([&note](const JsonValue& value) {
    note.values.emplace_back(value);
  });
}

void add_notes(std::vector<Note>& notes, const std::vector<Note>& more) {
  for (const Note& note : more) {
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
  }
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
