#include "rooflab/base/json.hpp"

#include <algorithm>
#include <stdexcept>

#include "assert.hpp"

namespace rooflab {

struct Json::List {
  std::vector<Json> values;
  std::vector<std::string> keys;  ///< empty for an array
};

// NOLINTBEGIN(cppcoreguidelines-owning-memory): the union owns, as kind_ says
Json::Json(std::string text) : kind_(Kind::text) {
  content_.text = new std::string(std::move(text));
}

Json::Json(std::initializer_list<JsonPart> parts) {
  const bool pairs = std::ranges::all_of(parts, [](const JsonPart& part) {
    return part.value_.is_array() && part.value_.size() == 2 && part.value_.front().is_string();
  });
  make(pairs ? Kind::object : Kind::array);
  for (const JsonPart& part : parts) {
    if (pairs) {
      // The first of two members with one key counts.
      std::vector<Json>& pair = part.value_.content_.list->values;
      const std::string& key = *pair.front().content_.text;
      if (!contains(key)) (*this)[key] = std::move(pair.back());
    } else {
      push_back(std::move(part.value_));
    }
  }
}

Json::Json(const Json& other) : kind_(other.kind_), content_(other.content_) {
  if (kind_ == Kind::text) {
    content_.text = new std::string(*other.content_.text);
  } else if (kind_ > Kind::text) {
    content_.list = new List(*other.content_.list);
  }
}

// Without recursion: a hostile file nests deeper than the stack is.
void Json::destroy() noexcept {
  if (kind_ == Kind::text) {
    delete content_.text;
    return;
  }
  std::vector<Json> open = std::move(content_.list->values);
  delete content_.list;
  while (!open.empty()) {
    Json last = std::move(open.back());
    open.pop_back();
    if (last.kind_ <= Kind::text) continue;
    std::vector<Json>& inner = last.content_.list->values;
    for (Json& each : inner) {
      if (each.kind_ > Kind::text) open.push_back(std::move(each));
    }
    inner.clear();
  }
}

void Json::make(Kind kind) {
  ROOFLAB_ASSERT(is_null());
  content_.list = new List;
  kind_ = kind;
}
// NOLINTEND(cppcoreguidelines-owning-memory)

Json Json::array() {
  Json json;
  json.make(Kind::array);
  return json;
}

Json Json::array(std::initializer_list<JsonPart> parts) {
  Json json = array();
  for (const JsonPart& part : parts) json.push_back(std::move(part.value_));
  return json;
}

Json Json::object() {
  Json json;
  json.make(Kind::object);
  return json;
}

const Json* Json::begin() const {
  if (kind_ > Kind::text) return content_.list->values.data();
  return this;
}

const Json* Json::end() const {
  if (kind_ > Kind::text) return content_.list->values.data() + content_.list->values.size();
  return is_null() ? this : this + 1;
}

Json* Json::begin() { return const_cast<Json*>(std::as_const(*this).begin()); }
Json* Json::end() { return const_cast<Json*>(std::as_const(*this).end()); }

const std::vector<std::string>& Json::keys() const {
  static const std::vector<std::string> none;
  return kind_ == Kind::object ? content_.list->keys : none;
}

const Json* Json::find(std::string_view key) const {
  if (!is_object()) return end();
  return begin() + (std::ranges::find(keys(), key) - keys().begin());
}

Json Json::value(std::string_view key, const Json& otherwise) const {
  const Json* const found = find(key);
  return found == end() ? otherwise : *found;
}

const Json& Json::at(std::string_view key) const {
  const Json* const found = find(key);
  if (found == end()) throw std::out_of_range("JSON without the key " + std::string(key));
  return *found;
}

const Json& Json::at(std::size_t index) const {
  if (kind_ <= Kind::text || index >= size()) {
    throw std::out_of_range("JSON without an element " + std::to_string(index));
  }
  return begin()[index];
}

Json& Json::at(std::string_view key) { return const_cast<Json&>(std::as_const(*this).at(key)); }
Json& Json::at(std::size_t index) { return const_cast<Json&>(std::as_const(*this).at(index)); }

Json& Json::operator[](std::string_view key) {
  if (is_null()) make(Kind::object);
  if (!is_object())
    throw std::logic_error("JSON that is not an object has no key " + std::string(key));
  const Json* const found = find(key);
  if (found != end()) return const_cast<Json&>(*found);
  content_.list->keys.emplace_back(key);
  return content_.list->values.emplace_back();
}

void Json::push_back(Json element) {
  if (is_null()) make(Kind::array);
  if (!is_array()) throw std::logic_error("JSON that is not an array has no end to add to");
  content_.list->values.push_back(std::move(element));
}

void Json::update(const Json& other) {
  if (is_null()) make(Kind::object);
  for (const auto& [key, value] : other.items()) (*this)[key] = value;
}

bool Json::erase(std::string_view key) {
  const Json* const found = find(key);
  if (!is_object() || found == end()) return false;
  const std::ptrdiff_t place = found - begin();
  content_.list->keys.erase(content_.list->keys.begin() + place);
  content_.list->values.erase(content_.list->values.begin() + place);
  return true;
}

namespace {

[[noreturn]] void throw_wrong_kind(const char* wanted) {
  throw std::logic_error(std::string("wrong kind of JSON value, wanted: ") + wanted);
}

}  // namespace

void Json::read(double& value) const {
  switch (kind_) {
    case Kind::integer:
      value = static_cast<double>(content_.integer);
      return;
    case Kind::natural:
      value = static_cast<double>(content_.natural);
      return;
    case Kind::real:
      value = content_.real;
      return;
    default:
      throw_wrong_kind("number");
  }
}

void Json::read(std::int64_t& value) const {
  switch (kind_) {
    case Kind::integer:
      value = content_.integer;
      return;
    case Kind::natural:
      value = static_cast<std::int64_t>(content_.natural);
      return;
    case Kind::real:
      value = static_cast<std::int64_t>(content_.real);
      return;
    default:
      throw_wrong_kind("number");
  }
}

void Json::read(std::uint64_t& value) const {
  if (kind_ == Kind::natural) {
    value = content_.natural;
    return;
  }
  std::int64_t number = 0;
  read(number);
  value = static_cast<std::uint64_t>(number);
}

void Json::read(bool& value) const {
  if (kind_ != Kind::boolean) throw_wrong_kind("truth value");
  value = content_.boolean;
}

const std::string& Json::text() const {
  if (kind_ != Kind::text) throw_wrong_kind("text");
  return *content_.text;
}

bool operator==(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) {
    if (a.is_number_float() || b.is_number_float()) return a.get<double>() == b.get<double>();
    const bool a_below = a.kind_ == Json::Kind::integer && a.content_.integer < 0;
    const bool b_below = b.kind_ == Json::Kind::integer && b.content_.integer < 0;
    return a_below == b_below && a.content_.natural == b.content_.natural;
  }
  if (a.kind_ != b.kind_) return false;
  switch (a.kind_) {
    case Json::Kind::boolean:
      return a.content_.boolean == b.content_.boolean;
    case Json::Kind::text:
      return *a.content_.text == *b.content_.text;
    case Json::Kind::array:
    case Json::Kind::object:
      return a.content_.list->keys == b.content_.list->keys &&
             a.content_.list->values == b.content_.list->values;
    default:
      return true;
  }
}

}  // namespace rooflab
