#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "member_name.hpp"
#include "rooflab/describe/parameter.hpp"

/// Functions for making a request's table, in the one source that defines it.
namespace rooflab {

/// Converts a value from a word and back. Small types of Rooflab have `static T from_word(word,
/// parameter)` and `word()`; other types specialise this.
template <class T>
struct ValueText;

template <>
struct ValueText<std::string> {
  static std::string read(std::string_view word, const Parameter& parameter);
  static std::string write(const std::string& value) { return value; }
};
template <>
struct ValueText<std::filesystem::path> {
  static std::filesystem::path read(std::string_view word, const Parameter&) { return word; }
  static std::string write(const std::filesystem::path& value) { return value.string(); }
};
template <>
struct ValueText<std::int64_t> {
  static std::int64_t read(std::string_view word, const Parameter& parameter);
  static std::string write(std::int64_t value);
};
template <>
struct ValueText<double> {
  static double read(std::string_view word, const Parameter& parameter);
  static std::string write(double value);
};
/// Converts a value of 32 bits; a larger number is refused.
template <>
struct ValueText<int> {
  static int read(std::string_view word, const Parameter& parameter);
  static std::string write(int value) { return ValueText<std::int64_t>::write(value); }
};
template <>
struct ValueText<std::uint64_t> {
  static std::uint64_t read(std::string_view word, const Parameter& parameter) {
    return static_cast<std::uint64_t>(ValueText<std::int64_t>::read(word, parameter));
  }
  static std::string write(std::uint64_t value) {
    return ValueText<std::int64_t>::write(static_cast<std::int64_t>(value));
  }
};

/// Index of a name, or of the only name that begins with `word`. Throws Error (usage).
[[nodiscard]] std::size_t index_of_name(std::string_view word,
                                        std::span<const std::string_view> names,
                                        const Parameter& parameter);

template <Named E>
struct ValueText<E> {
  static E read(std::string_view word, const Parameter& parameter) {
    return static_cast<E>(index_of_name(word, enum_names<E>, parameter));
  }
  static std::string write(E value) {
    return std::string(enum_names<E>.at(static_cast<std::size_t>(value)));
  }
};

template <class T>
requires requires(const T& value, const Parameter& parameter) {
  { T::from_word(std::string_view(), parameter) } -> std::same_as<T>;
  { value.word() } -> std::same_as<std::string>;
}
struct ValueText<T> {
  static T read(std::string_view word, const Parameter& parameter) {
    return T::from_word(word, parameter);
  }
  static std::string write(const T& value) { return value.word(); }
};

/// Values of a list from its words, split at commas where the parameter allows it.
[[nodiscard]] std::vector<std::string> list_items(std::span<const std::string> words,
                                                  const Parameter& parameter);

namespace parameter_member {

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};

template <class T>
constexpr ValueForm::Nature nature_of() {
  if constexpr (std::same_as<T, bool>) {
    return ValueForm::Nature::flag;
  } else if constexpr (std::is_arithmetic_v<T>) {
    return ValueForm::Nature::number;
  } else {
    return ValueForm::Nature::text;
  }
}

template <class T>
struct Form {
  using Value = T;
  static void read(T& value, std::span<const std::string> words, const Parameter& parameter) {
    value = ValueText<T>::read(words.back(), parameter);
  }
  static std::vector<std::string> write(const T& value) { return {ValueText<T>::write(value)}; }
};
template <>
struct Form<bool> {
  using Value = bool;
  static void read(bool& value, std::span<const std::string> words, const Parameter& parameter);
  static std::vector<std::string> write(bool value);
};
template <>
struct Form<std::string> {
  using Value = std::string;
  static void read(std::string& value, std::span<const std::string> words,
                   const Parameter& parameter) {
    value = ValueText<std::string>::read(words.back(), parameter);
  }
  static std::vector<std::string> write(const std::string& value) {
    return value.empty() ? std::vector<std::string>() : std::vector{value};
  }
};
template <class T>
struct Form<std::optional<T>> {
  using Value = T;
  static void read(std::optional<T>& value, std::span<const std::string> words,
                   const Parameter& parameter) {
    value = ValueText<T>::read(words.back(), parameter);
  }
  static std::vector<std::string> write(const std::optional<T>& value) {
    return value ? std::vector{ValueText<T>::write(*value)} : std::vector<std::string>();
  }
};
template <class T>
struct Form<std::vector<T>> {
  using Value = T;
  static void read(std::vector<T>& value, std::span<const std::string> words,
                   const Parameter& parameter) {
    value.clear();
    for (const std::string& item : list_items(words, parameter)) {
      value.push_back(ValueText<T>::read(item, parameter));
    }
  }
  static std::vector<std::string> write(const std::vector<T>& value) {
    std::vector<std::string> words;
    for (const T& each : value) words.push_back(ValueText<T>::write(each));
    return words;
  }
};

template <class T>
std::vector<std::string> names_of_value() {
  if constexpr (Named<T>) {
    return {enum_names<T>.begin(), enum_names<T>.end()};
  } else {
    return {};
  }
}

template <class T>
inline constexpr ValueForm form_of = {
    nature_of<typename Form<T>::Value>(), IsList<T>::value,
    [](void* value, std::span<const std::string> words, const Parameter& parameter) {
      Form<T>::read(*static_cast<T*>(value), words, parameter);
    },
    [](const void* value) { return Form<T>::write(*static_cast<const T*>(value)); },
    names_of_value<typename Form<T>::Value>};

template <class Class, class Member>
Member type_of(Member Class::*);

template <auto member>
inline constexpr bool is_switch = std::same_as<decltype(type_of(member)), bool>;

template <auto member>
[[nodiscard]] Parameters described(std::string value, std::string help, ParameterText text) {
  if (text.key.empty()) text.key = member_name<member>();
  text.value = std::move(value);
  text.help = std::move(help);
  Parameters one;
  one.push_back({std::move(text), &form_of<decltype(type_of(member))>, {place_in<member>}});
  return one;
}

}  // namespace parameter_member

/// A table of one member, whose name is its key: `data_workers` becomes `--data-workers N`.
template <auto member>
requires(!parameter_member::is_switch<member>) [[nodiscard]] Parameters
    parameter(std::string value, std::string help, ParameterText text = {}) {
  return parameter_member::described<member>(std::move(value), std::move(help), std::move(text));
}
/// A table of one member that is a switch: a flag without a value.
template <auto member>
requires parameter_member::is_switch<member>
[[nodiscard]] Parameters parameter(std::string help, ParameterText text = {}) {
  return parameter_member::described<member>({}, std::move(help), std::move(text));
}

/// A table of members that do not change the work of a step, so that predictions may ignore them.
[[nodiscard]] Parameters aside(std::initializer_list<Parameters> parts);

/// Key of a member whose key is its name, for `ParameterText::needs` and `::beside`.
template <auto member>
[[nodiscard]] std::string key_of() {
  return std::string(member_name<member>());
}
/// A table whose flags have an effect only with another member.
[[nodiscard]] Parameters needing(const Need& need, Parameters table);

/// Table of a part, a member struct of the request; `table`: the part's table with changes for this
/// request.
template <auto member>
[[nodiscard]] Parameters part(Parameters table) {
  for (Parameter& each : table) {
    each.path.insert(each.path.begin(), parameter_member::place_in<member>);
  }
  return table;
}
/// Table of a part. Constrained, so that a table of fields in the same file can have its own
/// `part`.
template <auto member>
requires requires { parameters_of(For<decltype(parameter_member::type_of(member))>{}); }
[[nodiscard]] Parameters part() {
  using Member = decltype(parameter_member::type_of(member));
  return part<member>(parameters_of(For<Member>{}));
}

}  // namespace rooflab
