#pragma once

#include <string>
#include <string_view>

namespace rooflab::chart {

/// One line of valid UTF-8 that no renderer, terminal or browser acts on: control characters, line
/// separators and changes of writing direction become blanks, bytes that are not UTF-8 U+FFFD.
[[nodiscard]] std::string safe_text(std::string_view text);

}  // namespace rooflab::chart
