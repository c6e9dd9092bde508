#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "rooflab/base/version.hpp"

/// Declarations that the header of a described type needs (fields.hpp).
namespace rooflab {

class Field;
struct FileKind;

/// A type as an argument: it selects an overload.
template <class T>
using For = std::type_identity<T>;

// The names of enumerations. An enumeration states them once, in the order of its values, right
// behind its declaration:
//
//   enum class Status { ok, oom };
//   constexpr auto names_in_order(For<Status>) {
//     return names_through<Status::oom>("ok", "oom");
//   }
//
// Its values are 0, 1, 2, ...; the function is found in the namespace of the enumeration.

/// Names of the values up to `last`, one each.
template <auto last, class... Names>
constexpr auto names_through(Names... names) {
  static_assert(static_cast<std::size_t>(last) + 1 == sizeof...(Names), "one name for each value");
  return std::array<std::string_view, sizeof...(Names)>{names...};
}

template <class E>
concept Named = std::is_enum_v<E> && requires {
  names_in_order(For<E>{});
};

template <Named E>
inline constexpr auto enum_names = names_in_order(For<E>{});

template <std::size_t count>
constexpr bool are_distinct(std::array<std::string_view, count> names) {
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) == names.end();
}

template <Named E>
[[nodiscard]] constexpr std::string_view name_of(E value) {
  static_assert(are_distinct(enum_names<E>), "a different name for each value");
  return enum_names<E>.at(static_cast<std::size_t>(value));
}

/// The value with this name; nullopt for an unknown name.
template <Named E>
[[nodiscard]] constexpr std::optional<E> from_name(std::string_view name) {
  const auto found = std::ranges::find(enum_names<E>, name);
  if (found == enum_names<E>.end()) return std::nullopt;
  return static_cast<E>(found - enum_names<E>.begin());
}

/// Every value, in order.
template <Named E>
inline constexpr auto values_of = [] {
  std::array<E, enum_names<E>.size()> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<E>(i);
  return values;
}();

/// All names in the order of the values, for hints.
template <Named E>
[[nodiscard]] std::vector<std::string> names_of() {
  return {enum_names<E>.begin(), enum_names<E>.end()};
}

}  // namespace rooflab
