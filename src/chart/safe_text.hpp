#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rooflab::chart {

/// Makes one line of valid UTF-8 that has no effect on a renderer, terminal or browser: control
/// characters, line separators and changes of writing direction become blanks, bytes that are not
/// UTF-8 U+FFFD.
[[nodiscard]] std::string safe_text(std::string_view text);

/// The code points of UTF-8; each byte that is not part of a valid sequence becomes U+FFFD.
[[nodiscard]] std::vector<char32_t> code_points(std::string_view text);

void append_utf8(std::string& text, char32_t code_point);

}  // namespace rooflab::chart
