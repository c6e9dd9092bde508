#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "rooflab/base/error.hpp"

namespace rooflab {

/// The version of all JSON that Rooflab writes. It is raised when a key changes its meaning or is
/// removed, not when one is added.
inline constexpr int schema_version = 3;

class Json;
class JsonPart;

namespace json_source {

template <class T>
concept Text = std::convertible_to<const T&, std::string_view>;

/// A list or map of the standard library, whose elements become those of an array or object.
template <class T>
concept Range = !Text<T> && !std::derived_from<T, Json> && requires(const T& range) {
  typename T::value_type;
  range.begin();
  range.end();
  range.size();
};

}  // namespace json_source

/// A JSON value of our own files: null, truth value, number, text, array or object. Keys keep the
/// order in which they were written. A value type. Parser and printer are nlohmann's and used only
/// in json.cpp, because that header is very large.
///
///     Json json = {{"name", "resnet18"}, {"batches", Json::array()}};
///     json["batches"].push_back(64);
///     stream << json.dump(2);
class Json {
 public:
  enum class Kind : std::uint8_t { null, boolean, integer, natural, real, text, array, object };

  // NOLINTBEGIN(google-explicit-constructor): a value in braces is JSON as it is written there.
  Json() noexcept {}  // NOLINT(modernize-use-equals-default): the union has no default
  Json(std::nullptr_t) noexcept {}
  template <std::same_as<bool> T>
  Json(T value) : kind_(Kind::boolean) {
    content_.boolean = value;
  }
  template <std::signed_integral T>
  Json(T value) : kind_(Kind::integer) {
    content_.integer = value;
  }
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) Json(T value) : kind_(Kind::natural) {
    content_.natural = value;
  }
  template <std::floating_point T>
  Json(T value) : kind_(Kind::real) {
    content_.real = value;
  }
  Json(const char* text) : Json(std::string(text)) {}
  Json(std::string_view text) : Json(std::string(text)) {}
  Json(std::string text);
  template <json_source::Range T>
  Json(const T& range);
  /// An object if every part is a pair of a text and a value, else an array.
  Json(std::initializer_list<JsonPart> parts);
  // NOLINTEND(google-explicit-constructor)

  Json(const Json& other);
  Json(Json&& other) noexcept
      : kind_(std::exchange(other.kind_, Kind::null)),
        content_(std::exchange(other.content_, Content{})) {}
  // NOLINTNEXTLINE(performance-unnecessary-value-param): the copy is swapped in
  Json& operator=(Json other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(content_, other.content_);
    return *this;
  }
  ~Json() {
    if (kind_ >= Kind::text) destroy();
  }

  [[nodiscard]] static Json array();
  [[nodiscard]] static Json array(std::initializer_list<JsonPart> parts);
  [[nodiscard]] static Json object();

  /// Deepest nesting of lists and objects in a text that is read: values are copied, compared and
  /// printed recursively.
  static constexpr std::size_t deepest = 200;

  /// The error for a text that is not JSON, or too deep.
  struct Fault : Error {
    enum class Problem : std::uint8_t { syntax, number_out_of_range, too_deep, key_twice };
    Fault(const std::string& message, std::size_t at, Problem what)
        : Error(ErrorKind::input, message), byte(at), problem(what) {}
    /// Place of the first wrong byte, counted from 1; not known for numbers
    std::size_t byte = {};
    Problem problem = {};
  };
  /// Parses a text; throws Fault, also for an object with a key twice: one of the two is wrong.
  [[nodiscard]] static Json parse(std::string_view text);
  /// Parses a text of other programs; nullopt if it is not JSON, or too deep. If a key occurs
  /// twice, the last member counts.
  [[nodiscard]] static std::optional<Json> parse_if_valid(std::string_view text);

  /// Prints on one line, or each member on a separate line, with `indent` blanks per level. Bytes
  /// that are not UTF-8 become U+FFFD.
  [[nodiscard]] std::string dump(int indent = -1) const;
  /// Prints on one line, letters beyond ASCII as escapes.
  [[nodiscard]] std::string dump_ascii() const;

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is_null() const { return kind_ == Kind::null; }
  [[nodiscard]] bool is_boolean() const { return kind_ == Kind::boolean; }
  [[nodiscard]] bool is_number() const {
    return kind_ == Kind::integer || kind_ == Kind::natural || kind_ == Kind::real;
  }
  [[nodiscard]] bool is_number_integer() const {
    return kind_ == Kind::integer || kind_ == Kind::natural;
  }
  [[nodiscard]] bool is_number_unsigned() const { return kind_ == Kind::natural; }
  [[nodiscard]] bool is_number_float() const { return kind_ == Kind::real; }
  [[nodiscard]] bool is_string() const { return kind_ == Kind::text; }
  [[nodiscard]] bool is_array() const { return kind_ == Kind::array; }
  [[nodiscard]] bool is_object() const { return kind_ == Kind::object; }

  /// Converts to a number, text, truth value or list of such. Throws std::logic_error for a value
  /// of another kind; numbers convert to one another.
  template <class T>
  [[nodiscard]] T get() const;

  /// The text; throws std::logic_error if this is not a text.
  [[nodiscard]] const std::string& text() const;

  /// Number of elements or members; 0 for null, 1 for anything else.
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(end() - begin()); }
  [[nodiscard]] bool empty() const { return begin() == end(); }
  /// Elements of an array, or values of an object's members.
  [[nodiscard]] const Json* begin() const;
  [[nodiscard]] const Json* end() const;
  [[nodiscard]] Json* begin();
  [[nodiscard]] Json* end();
  [[nodiscard]] const Json& front() const { return *begin(); }
  [[nodiscard]] const Json& back() const { return *(end() - 1); }
  [[nodiscard]] Json& front() { return *begin(); }
  [[nodiscard]] Json& back() { return *(end() - 1); }

  /// The keys of an object, in the order of its values.
  [[nodiscard]] const std::vector<std::string>& keys() const;
  /// Pairs of key and value, for `for (const auto& [key, value] : json.items())`.
  class Items;
  [[nodiscard]] Items items() const;

  /// Finds a member; end() without such a member, or when this is not an object.
  [[nodiscard]] const Json* find(std::string_view key) const;
  [[nodiscard]] bool contains(std::string_view key) const { return find(key) != end(); }
  /// The member, or `otherwise` if it is missing.
  [[nodiscard]] Json value(std::string_view key, const Json& otherwise) const;

  /// The member or element. Throws std::out_of_range if it is missing.
  [[nodiscard]] const Json& at(std::string_view key) const;
  [[nodiscard]] Json& at(std::string_view key);
  [[nodiscard]] const Json& at(std::size_t index) const;
  [[nodiscard]] Json& at(std::size_t index);
  [[nodiscard]] const Json& operator[](std::string_view key) const { return at(key); }
  [[nodiscard]] const Json& operator[](const char* key) const { return at(std::string_view(key)); }
  template <std::integral T>
  [[nodiscard]] const Json& operator[](T index) const {
    return at(static_cast<std::size_t>(index));
  }
  template <std::integral T>
  [[nodiscard]] Json& operator[](T index) {
    return at(static_cast<std::size_t>(index));
  }
  /// Adds a null member if it is missing; null becomes an object.
  Json& operator[](std::string_view key);
  Json& operator[](const char* key) { return (*this)[std::string_view(key)]; }

  /// Appends an element; null becomes an array.
  void push_back(Json element);
  template <class... Arguments>
  void emplace_back(Arguments&&... arguments) {
    push_back(Json(std::forward<Arguments>(arguments)...));
  }
  /// Sets every member of `other`; null becomes an object.
  void update(const Json& other);
  /// Removes a member; returns whether it existed.
  bool erase(std::string_view key);

  /// Compares numbers by value, whatever their representation; members in order.
  friend bool operator==(const Json& a, const Json& b);
  friend std::ostream& operator<<(std::ostream& stream, const Json& json);

 private:
  friend class JsonPart;
  friend class JsonBuilder;
  struct List;  ///< elements, and for an object its keys
  union Content {
    bool boolean;
    std::int64_t integer;
    std::uint64_t natural;
    double real = 0.0;
    std::string* text;
    List* list;
  };

  void destroy() noexcept;
  void make(Kind kind);  ///< an empty array or object
  void read(double& value) const;
  void read(std::int64_t& value) const;
  void read(std::uint64_t& value) const;
  void read(bool& value) const;
  void read(std::string& value) const { value = text(); }

  Kind kind_ = Kind::null;
  Content content_;
};

/// A part of a braced list: a value, or a list in braces itself.
class JsonPart {
 public:
  // NOLINTBEGIN(google-explicit-constructor, bugprone-forwarding-reference-overload)
  template <class T>
  requires std::constructible_from<Json, T&&> JsonPart(T&& value)
      : value_(std::forward<T>(value)) {}
  JsonPart(std::initializer_list<JsonPart> parts) : value_(parts) {}
  // NOLINTEND(google-explicit-constructor, bugprone-forwarding-reference-overload)

 private:
  friend class Json;
  mutable Json value_;  // NOLINT(readability-identifier-naming): lists in braces are constant, and
                        // yet used once: so it is moved out
};

/// Pairs of keys and values of an object.
class Json::Items {
 public:
  struct Item {
    const std::string& key;
    const Json& value;
  };
  struct Iterator {
    const std::string* key = {};
    const Json* value = {};
    [[nodiscard]] Item operator*() const { return {*key, *value}; }
    Iterator& operator++() {
      ++key;
      ++value;
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.value == b.value; }
  };
  explicit Items(const Json& json) : json_(json) {}
  [[nodiscard]] Iterator begin() const { return {json_.keys().data(), json_.begin()}; }
  [[nodiscard]] Iterator end() const { return {nullptr, json_.begin() + json_.keys().size()}; }

 private:
  const Json& json_;
};

inline Json::Items Json::items() const { return Items(*this); }

template <json_source::Range T>
Json::Json(const T& range) {
  if constexpr (requires { typename T::mapped_type; }) {
    make(Kind::object);
    for (const auto& [key, value] : range) (*this)[std::string_view(key)] = Json(value);
  } else {
    make(Kind::array);
    for (const auto& element : range) push_back(Json(element));
  }
}

template <class T>
T Json::get() const {
  if constexpr (json_source::Range<T>) {
    T list;
    for (const Json& element : *this) {
      list.push_back(element.template get<typename T::value_type>());
    }
    return list;
  } else if constexpr (std::same_as<T, bool> || std::same_as<T, std::string>) {
    T value{};
    read(value);
    return value;
  } else {
    static_assert(std::floating_point<T> || std::integral<T>);
    using Integer = std::conditional_t<std::unsigned_integral<T>, std::uint64_t, std::int64_t>;
    std::conditional_t<std::floating_point<T>, double, Integer> value{};
    read(value);
    return static_cast<T>(value);
  }
}

}  // namespace rooflab
