#pragma once

#include <optional>
#include <string_view>

namespace rooflab {

/// Deepest nesting of tables and arrays in a TOML text: parts of dotted keys and headers, braces
/// and brackets all count.
inline constexpr int deepest_toml = 100;

/// Line and column, counted from 1.
struct TomlPosition {
  int line = 1;
  int column = 1;
};

/// Place at which a text first nests deeper; nullopt: nowhere. Runs in one pass without recursion.
/// In text that is not valid TOML deeper nesting may be missed after the first error.
[[nodiscard]] std::optional<TomlPosition> too_deep_toml(std::string_view text);

}  // namespace rooflab
