#pragma once

#include <string>
#include <string_view>

#include "rooflab/base/text.hpp"
#include "safe_text.hpp"

namespace rooflab::chart {

/// Any text as HTML text or attribute value: escaped, valid UTF-8, and without changes of the
/// writing direction.
[[nodiscard]] inline std::string html_text(std::string_view text) {
  return escape_html(safe_text(text));
}

}  // namespace rooflab::chart
