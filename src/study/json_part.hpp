#pragma once

#include <optional>
#include <string>

#include "rooflab/base/json.hpp"
#include "rooflab/describe/figure_key.hpp"

/// Tolerant reading of commands' results: members that are missing, null or of another type are
/// unknown and not an error, because an older or newer program may have written the file.
namespace rooflab::study {

/// The member of an object; null when it is missing.
[[nodiscard]] const Json& part(const Json& json, FigureKey key);
/// The first, or last, entry of the list under `key`; null without entries.
[[nodiscard]] const Json& first_of(const Json& json, FigureKey key);
[[nodiscard]] const Json& last_of(const Json& json, FigureKey key);
/// The list under `key`; an empty one when it is missing.
[[nodiscard]] const Json& list_of(const Json& json, FigureKey key);

/// The number under `key`; nullopt: missing, or not a finite number.
[[nodiscard]] std::optional<double> number_of(const Json& json, FigureKey key);
[[nodiscard]] std::optional<double> number_at(const Json& json, std::string_view key);
/// The text under `key`; empty: missing, or not a text.
[[nodiscard]] std::string string_of(const Json& json, FigureKey key);
/// The truth value under `key`; false: missing, or not a truth value.
[[nodiscard]] bool flag_of(const Json& json, FigureKey key);

}  // namespace rooflab::study
