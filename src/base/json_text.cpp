// The parser is nlohmann's SAX interface, whose events build our values; numbers and texts are
// printed by the same library, so that files are to the letter what they were.

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "rooflab/base/json.hpp"

namespace rooflab {

// ---- printing -----------------------------------------------------------------------------------

namespace {

using Library = nlohmann::json;

void print_text(const std::string& text, bool ascii, std::string& to) {
  const bool plain = std::ranges::all_of(
      text, [](char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; });
  if (plain) {
    to.append(1, '"').append(text).append(1, '"');
  } else {
    to += Library(text).dump(-1, ' ', ascii, Library::error_handler_t::replace);
  }
}

/// The shortest digits that are read back as the same number, as `Library(value).dump()` has them
/// without its buffers. JSON has no infinities.
void print_number(double value, std::string& to) {
  if (!std::isfinite(value)) {
    to += "null";
    return;
  }
  std::array<char, 64> digits{};
  char* const end = nlohmann::detail::to_chars(digits.data(), digits.data() + digits.size(), value);
  to.append(digits.data(), end);
}

struct Style {
  int indent = -1;
  bool ascii = false;
};

void print(const Json& value, const Style& style, int depth, std::string& to) {
  const auto new_line = [&](int level) {
    if (style.indent < 0) return;
    to += '\n';
    to.append(static_cast<std::size_t>(style.indent) * static_cast<std::size_t>(level), ' ');
  };
  switch (value.kind()) {
    case Json::Kind::null:
      to += "null";
      return;
    case Json::Kind::boolean:
      to += value.get<bool>() ? "true" : "false";
      return;
    case Json::Kind::integer:
      to += std::to_string(value.get<std::int64_t>());
      return;
    case Json::Kind::natural:
      to += std::to_string(value.get<std::uint64_t>());
      return;
    case Json::Kind::real:
      print_number(value.get<double>(), to);
      return;
    case Json::Kind::text:
      print_text(value.text(), style.ascii, to);
      return;
    case Json::Kind::array:
    case Json::Kind::object:
      break;
  }
  const bool keyed = value.is_object();
  to += keyed ? '{' : '[';
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (i > 0) to += ',';
    new_line(depth + 1);
    if (keyed) {
      print_text(value.keys()[i], style.ascii, to);
      to += style.indent < 0 ? ":" : ": ";
    }
    print(value.begin()[i], style, depth + 1, to);
  }
  if (!value.empty()) new_line(depth);
  to += keyed ? '}' : ']';
}

}  // namespace

std::string Json::dump(int indent) const {
  std::string text;
  print(*this, {.indent = indent}, 0, text);
  return text;
}

std::string Json::dump_ascii() const {
  std::string text;
  print(*this, {.ascii = true}, 0, text);
  return text;
}

std::ostream& operator<<(std::ostream& stream, const Json& json) { return stream << json.dump(); }

// ---- parsing ------------------------------------------------------------------------------------

/// Builds a value from the events of nlohmann's parser.
class JsonBuilder final : public nlohmann::json_sax<Library> {
 public:
  /// `unique`: a key that an object has twice ends the parsing.
  explicit JsonBuilder(bool unique) : unique_(unique) {}

  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(Json(value)); }
  bool number_integer(number_integer_t value) override { return add(Json(value)); }
  bool number_unsigned(number_unsigned_t value) override { return add(Json(value)); }
  bool number_float(number_float_t value, const string_t&) override { return add(Json(value)); }
  bool string(string_t& value) override { return add(Json(std::move(value))); }
  bool binary(binary_t&) override { return false; }  // not of JSON's texts
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    ++keys;
    const std::size_t members = open_.back()->size();
    target_ = &(*open_.back())[name];
    if (!unique_ || open_.back()->size() > members) return true;
    twice = name;
    return false;  // without a fault of the parser's
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    constexpr int number_out_of_range = 406;
    fault.emplace(error.what(), position,
                  error.id == number_out_of_range ? Json::Fault::Problem::number_out_of_range
                                                  : Json::Fault::Problem::syntax);
    return false;
  }

  Json root;
  std::optional<Json::Fault> fault;
  std::size_t keys = 0;              ///< so far
  std::optional<std::string> twice;  ///< the last of them, which its object had before

 private:
  bool add(Json value) {
    (void)place(std::move(value));
    return true;
  }
  bool open(Json list) {
    if (open_.size() == Json::deepest) return false;  // without a fault of the parser's
    open_.push_back(place(std::move(list)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  Json* place(Json value) {
    if (open_.empty()) {
      root = std::move(value);
      return &root;
    }
    Json& list = *open_.back();
    if (list.is_array()) {
      list.push_back(std::move(value));
      return &list.back();
    }
    *target_ = std::move(value);
    return target_;
  }

  bool unique_;
  std::vector<Json*> open_;  // a list grows only while those inside it are closed
  Json* target_ = nullptr;   // where the value of the last key goes
};

namespace {

/// Place of the bracket that is too deep, counted from 1. All before it is valid.
std::size_t place_too_deep(std::string_view text) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (letter == '"') quoted = !quoted;
    if (quoted) {
      if (letter == '\\') ++i;
    } else if (letter == '[' || letter == '{') {
      if (++depth > Json::deepest) return i + 1;
    } else if (letter == ']' || letter == '}') {
      --depth;
    }
  }
  return text.size();
}

/// Place of the key of that number, counted from 1, as the place is. All before it is valid.
std::size_t place_of_key(std::string_view text, std::size_t number) {
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (letter == '"') {
      quoted = !quoted;
      if (quoted) begin = i;
    } else if (quoted) {
      if (letter == '\\') ++i;
    } else if (letter == ':' && --number == 0) {
      return begin + 1;
    }
  }
  return text.size();
}

}  // namespace

std::optional<Json> Json::parse_if_valid(std::string_view text) {
  JsonBuilder builder(false);
  if (!Library::sax_parse(text, &builder)) return std::nullopt;
  return std::move(builder.root);
}

Json Json::parse(std::string_view text) {
  JsonBuilder builder(true);
  if (!Library::sax_parse(text, &builder)) {
    if (builder.fault) throw *builder.fault;
    if (builder.twice) {
      throw Fault(*builder.twice, place_of_key(text, builder.keys), Fault::Problem::key_twice);
    }
    throw Fault("too deep", place_too_deep(text), Fault::Problem::too_deep);
  }
  return std::move(builder.root);
}

}  // namespace rooflab
