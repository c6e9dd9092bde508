#pragma once

#include <array>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>

#include "fields.hpp"
#include "member_name.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/describe/figure_key.hpp"

/// Functions for writing tables of fields, for the one source of a type that has its table.
namespace rooflab {

/// A member of a member, used like a member: `field<Within{&Case::record, &Record::status}>`.
template <class Row, class Middle, class Value>
struct Within {
  Middle Row::*outer;
  Value Middle::*inner;
};
// Clang before 17 deduces no parameters of aggregates.
template <class Row, class Middle, class Value>
Within(Middle Row::*, Value Middle::*) -> Within<Row, Middle, Value>;

/// A member of an optional member, used like a member; null without a value.
template <class Row, class Middle, class Value>
struct IfThere {
  std::optional<Middle> Row::*outer;
  Value Middle::*inner;
};
template <class Row, class Middle, class Value>
IfThere(std::optional<Middle> Row::*, Value Middle::*) -> IfThere<Row, Middle, Value>;

namespace codec {

template <class Row>
const Row& row_of(const void* row) {
  return *static_cast<const Row*>(row);
}

template <auto member>
struct Member;
template <class Row, class Value, Value Row::*member>
requires(!std::is_function_v<Value>) struct Member<member> {
  using RowType = Row;
  using ValueType = Value;
  static const Value& value_of(const void* row) { return row_of<Row>(row).*member; }
  static Json get(const void* row) { return encode(value_of(row)); }
  static void set(void* row, const JsonValue& from) {
    decode(static_cast<Row*>(row)->*member, from);
  }
  static constexpr Field::Set setter = &set;
  static constexpr bool required = !IsOptional<Value>::value;
};
template <class Row, class Middle, class Value, Within<Row, Middle, Value> place>
struct Member<place> {
  using RowType = Row;
  using ValueType = Value;
  static const Value& value_of(const void* row) {
    return row_of<Row>(row).*place.outer.*place.inner;
  }
  static Json get(const void* row) { return encode(value_of(row)); }
  static void set(void* row, const JsonValue& from) {
    decode(static_cast<Row*>(row)->*place.outer.*place.inner, from);
  }
  static constexpr Field::Set setter = &set;
  static constexpr bool required = !IsOptional<Value>::value;
};
template <class Row, class Middle, class Value, IfThere<Row, Middle, Value> place>
struct Member<place> {
  using RowType = Row;
  static Json get(const void* row) {
    const std::optional<Middle>& middle = row_of<Row>(row).*place.outer;
    return middle ? encode((*middle).*place.inner) : Json();
  }
  static void set(void* row, const JsonValue& from) {
    std::optional<Middle>& middle = static_cast<Row*>(row)->*place.outer;
    if (!middle) middle.emplace();
    decode((*middle).*place.inner, from);
  }
  static constexpr Field::Set setter = &set;
  static constexpr bool required = false;
};
template <class Row, class Value, Value (Row::*member)() const>
struct Member<member> {
  using RowType = Row;
  static Json get(const void* row) { return encode((row_of<Row>(row).*member)()); }
  static constexpr Field::Set setter = nullptr;
  static constexpr bool required = false;
};
template <class Row, class Value, Value (*function)(const Row&)>
struct Member<function> {
  using RowType = Row;
  static Json get(const void* row) { return encode(function(row_of<Row>(row))); }
  static constexpr Field::Set setter = nullptr;
  static constexpr bool required = false;
};

template <class Traits>
inline constexpr bool in_bytes = false;
template <class Traits>
requires requires { typename Traits::ValueType; }
inline constexpr bool in_bytes<Traits> =
    std::same_as<typename Traits::ValueType, Bytes> ||
    std::same_as<typename Traits::ValueType, std::optional<Bytes>>;

}  // namespace codec

namespace codec {

/// Value of a member, or of an optional member.
template <class Value>
struct Held {
  using Type = Value;
  static const void* of(const Value& value) { return &value; }
};
template <class Value>
struct Held<std::optional<Value>> {
  using Type = Value;
  static const void* of(const std::optional<Value>& value) { return value ? &*value : nullptr; }
};

/// The field with those of a described value that the member holds.
template <class Traits>
[[nodiscard]] consteval Field with_held(const Field& field) {
  if constexpr (requires { typename Traits::ValueType; }) {
    using Inner = Held<typename Traits::ValueType>;
    if constexpr (Described<typename Inner::Type>) {
      return field.holding(
          []() -> std::span<const Field> { return fields_of(For<typename Inner::Type>{}); },
          [](const void* row) -> const void* { return Inner::of(Traits::value_of(row)); });
    }
  }
  return field;
}

}  // namespace codec

/// Converts a member in nanoseconds to the seconds of results: `field<&in_seconds<&Row::wait_ns>>`.
template <auto member>
[[nodiscard]] double in_seconds(const typename codec::Member<member>::RowType& row) {
  return static_cast<double>(row.*member) * 1e-9;
}

/// Field of a data member, which is written and read; or of a member function or function of the
/// row, which is only written because it follows from the others.
template <auto member>
[[nodiscard]] consteval Field field(FigureKey key) {
  using Traits = codec::Member<member>;
  Field made(key.figure(), &Traits::get, Traits::setter, Traits::required);
  if constexpr (requires { typename Traits::ValueType; }) {
    made = made.typed(&codec::schema_of<typename Traits::ValueType>);
  }
  return codec::with_held<Traits>(made);
}

/// Field with the member's own name as key, plus the unit's ending if it is a number of bytes
/// without one: `field<&MemoryUse::context>()` has the key `context_bytes`.
template <auto member>
[[nodiscard]] consteval Field field() {
  using Traits = codec::Member<member>;
  constexpr std::string_view name = member_name<member>();
  constexpr std::string_view ending =
      codec::in_bytes<Traits> && !name.ends_with("_bytes") ? "_bytes" : "";
  return field<member>(FigureKey(name, ending));
}

/// Table of several members: `return members<&Loss::what, &Loss::count, &Loss::first>;`
template <auto... all>
inline constexpr std::array<Field, sizeof...(all)> members = {field<all>()...};
/// Table of several members that JSON leaves out where they are null.
template <auto... all>
inline constexpr std::array<Field, sizeof...(all)> sparse_members = {field<all>().sparse()...};

/// Field written by `get`, a function of the row, and read by `set`: a function `void(Row&, const
/// JsonValue&)` or a data member, which may be `Within` another. A null is not read.
template <auto get, auto set>
[[nodiscard]] consteval Field field(FigureKey key) {
  using Row = typename codec::Member<get>::RowType;
  constexpr Field::Set setter = [](void* row, const JsonValue& from) {
    if constexpr (std::is_member_object_pointer_v<decltype(set)>) {
      codec::decode(static_cast<Row*>(row)->*set, from);
    } else if constexpr (requires { set.outer; }) {
      codec::decode(static_cast<Row*>(row)->*set.outer.*set.inner, from);
    } else {
      set(*static_cast<Row*>(row), from);
    }
  };
  Field made(key.figure(), &codec::Member<get>::get, setter, false);
  if constexpr (requires { typename codec::Member<get>::ValueType; }) {
    made = made.typed(&codec::schema_of<typename codec::Member<get>::ValueType>);
  } else {
    using Written = std::remove_cvref_t<std::invoke_result_t<decltype(get), const Row&>>;
    if constexpr (!std::same_as<Written, Json>) made = made.typed(&codec::schema_of<Written>);
  }
  return codec::with_held<codec::Member<get>>(made);
}

/// Fields of a described member, placed among the fields of the whole.
template <auto member>
requires Described<typename codec::Member<member>::ValueType>
[[nodiscard]] consteval Field part() {
  using Traits = codec::Member<member>;
  using Value = typename Traits::ValueType;
  return Field([]() -> std::span<const Field> { return fields_of(For<Value>{}); },
               [](const void* row) -> const void* { return &Traits::value_of(row); });
}

/// Fields of a described base class.
template <class Row, class Base>
[[nodiscard]] consteval Field base_part() {
  return Field([]() -> std::span<const Field> { return fields_of(For<Base>{}); },
               [](const void* row) -> const void* {
                 return static_cast<const Base*>(static_cast<const Row*>(row));
               });
}

/// A table of single fields and `members<...>`, in their order.
template <class... Parts>
[[nodiscard]] consteval auto field_table(const Parts&... parts) {
  const auto fields_in = [](const auto& part) {
    if constexpr (requires { part.size(); }) {
      return part;
    } else {
      return std::array{part};
    }
  };
  return std::apply([](const auto&... all) { return std::array{all...}; },
                    std::tuple_cat(fields_in(parts)...));
}

}  // namespace rooflab
