#pragma once

#include "describe/fields.hpp"
#include "rooflab/record/told.hpp"

/// Writes and reads facts that may not be known: null if they are not.
namespace rooflab::record {

template <class T>
[[nodiscard]] Json encode_json(const Told<T>& told) {
  return codec::encode(told.known());
}

template <class T>
[[nodiscard]] Json schema_of_json(For<Told<T>> /*type*/) {
  return codec::or_null(codec::schema_of<T>());
}

template <class T>
void decode_json(Told<T>& told, const JsonValue& from) {
  if (from.json().is_null()) return told.forget();
  T value{};
  codec::decode(value, from);
  told = std::move(value);
}

}  // namespace rooflab::record
