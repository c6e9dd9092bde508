#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/base/json.hpp"
#include "rooflab/record/kernel_table.hpp"

/// Members of a line of a profile; nullopt or empty: missing, or of another type.
namespace rooflab::counters {

[[nodiscard]] const Json* member(const Json& json, const char* key);  ///< nullptr for null too
[[nodiscard]] std::string text_of(const Json& json, const char* key);
[[nodiscard]] std::optional<std::int64_t> integer_of(const Json& value);
[[nodiscard]] std::optional<std::int64_t> integer_of(const Json& json, const char* key);
[[nodiscard]] std::optional<std::int64_t> count_of(const Json& json, const char* key);  ///< from 0
[[nodiscard]] std::optional<int> small_of(const Json& json, const char* key);           ///< from 0
[[nodiscard]] std::optional<std::uint32_t> id_of(const Json& value);
[[nodiscard]] std::optional<std::vector<std::uint32_t>> ids_of(const Json& json, const char* key);
[[nodiscard]] std::optional<record::Extent> extent_of(const Json& json, const char* key);
[[nodiscard]] std::vector<std::string> texts_of(const Json& json, const char* key);
/// null is NaN; nullopt: something else is among them.
[[nodiscard]] std::optional<std::vector<double>> numbers_of(const Json& json, const char* key);

}  // namespace rooflab::counters
