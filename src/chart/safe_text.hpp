#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooflab/chart/safe_text.hpp"

namespace rooflab::chart {

/// The code points of UTF-8; each byte that is not part of a valid sequence becomes U+FFFD.
[[nodiscard]] std::vector<char32_t> code_points(std::string_view text);

void append_utf8(std::string& text, char32_t code_point);

}  // namespace rooflab::chart
