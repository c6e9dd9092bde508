#pragma once

#include <concepts>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "rooflab/base/enum_names.hpp"

namespace rooflab::record {

/// A fact about a case that is not known in some recordings of other programs; then it is null in
/// JSON. It converts to its value, which is a default where it is not known: code that handles such
/// recordings must check `known()`.
template <class T>
class Told {
 public:
  // NOLINTBEGIN(google-explicit-constructor): it is used like its value.
  template <std::convertible_to<T> U>
  requires(!std::same_as<std::remove_cvref_t<U>, Told>) Told(U&& value)
      : value_(std::forward<U>(value)) {}
  operator const T&() const { return value_; }
  // NOLINTEND(google-explicit-constructor)
  [[nodiscard]] const T& value() const { return value_; }
  [[nodiscard]] std::optional<T> known() const {
    return is_known_ ? std::optional<T>(value_) : std::nullopt;
  }
  void forget() { is_known_ = false; }

  friend bool operator==(const Told& told, const T& value) { return told.value_ == value; }
  template <std::same_as<Told> U>  // only for a Told, not for types that convert to one
  friend bool operator==(const Told& a, const U& b) {
    return a.value_ == b.value_ && a.is_known_ == b.is_known_;
  }

 private:
  T value_;
  bool is_known_ = true;
};

}  // namespace rooflab::record

namespace rooflab {

/// Name of the enumerator.
template <Named T>
[[nodiscard]] constexpr std::string_view name_of(const record::Told<T>& told) {
  return name_of(told.value());
}

}  // namespace rooflab
