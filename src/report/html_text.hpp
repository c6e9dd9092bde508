#pragma once

#include <string>
#include <string_view>

#include "chart/safe_text.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::report {

/// Any text as HTML text or attribute value: escaped, valid UTF-8, and without changes of the
/// writing direction.
[[nodiscard]] inline std::string html_text(std::string_view text) {
  return escape_html(chart::safe_text(text));
}

}  // namespace rooflab::report
