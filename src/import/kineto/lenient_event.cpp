#include "event_parser.hpp"
#include "token.hpp"

// No grammar, only extents: a string ends at a quote without a backslash before it, a nested value
// where its brackets are closed, any other value at a comma or bracket. Text in place of a key is
// skipped.

namespace rooflab::import::kineto {
namespace {

/// Behind the string that begins at `i`.
std::size_t string_end(std::string_view text, std::size_t i) {
  for (++i; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return text.size();
}

/// Behind the value that begins at `i`, strings and brackets heeded.
std::size_t value_end(std::string_view text, std::size_t i) {
  if (i < text.size() && text[i] == '"') return string_end(text, i);
  std::size_t depth = 0;
  while (i < text.size()) {
    const char c = text[i];
    if (c == '"') {
      if (depth == 0) return i;  // the next key, a comma before it missing
      i = string_end(text, i);
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') {
      if (depth == 0) return i;
      if (--depth == 0) return i + 1;
    }
    if (c == ',' && depth == 0) return i;
    ++i;
  }
  return i;
}

std::size_t behind_blanks(std::string_view text, std::size_t i) {
  const std::size_t next = text.find_first_not_of(" \t\r\n", i);
  return next == std::string_view::npos ? text.size() : next;
}

template <class Find>
void fields_of(std::string_view object, Find find, EventFields& fields) {
  std::size_t i = 1;
  while ((i = object.find('"', i)) != std::string_view::npos) {
    const std::size_t end = string_end(object, i);
    const std::size_t colon = behind_blanks(object, end);
    if (colon >= object.size() || object[colon] != ':') {
      i = end;
      continue;
    }
    const std::size_t value = behind_blanks(object, colon + 1);
    const Key key = find(object.data() + i + 1);
    i = value_end(object, value);
    if (key != Key::none) fields.set(key, without_blanks(object.substr(value, i - value)));
  }
}

}  // namespace

bool parse_leniently(std::string_view text, EventFields& fields) {
  fields.clear();
  if (!text.starts_with('{')) return false;
  fields_of(text, event_key, fields);
  const std::string_view arguments = fields[Key::args];
  if (arguments.starts_with('{')) fields_of(arguments, argument_key, fields);
  return !fields.empty();
}

}  // namespace rooflab::import::kineto
