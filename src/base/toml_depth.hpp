#pragma once

#include <optional>
#include <string_view>

namespace rooflab {

/// Tables and arrays within one another in a TOML text: parts of dotted keys and headers, braces
/// and brackets all count.
inline constexpr int deepest_toml = 100;

/// Line and column, counted from 1.
struct TomlPosition {
  int line = 1;
  int column = 1;
};

/// Where a text first nests deeper; nullopt: nowhere. One pass, without recursion. A text that is
/// not valid TOML may be accepted, but not before its first fault.
[[nodiscard]] std::optional<TomlPosition> too_deep_toml(std::string_view text);

}  // namespace rooflab
