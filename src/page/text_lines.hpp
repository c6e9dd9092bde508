#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Lines of text for a terminal: `width` columns, 0 for no limit.
namespace rooflab::page {

/// Breaks a text at blanks; a part without blanks is broken at the end of a line. An empty text has
/// no lines.
[[nodiscard]] std::vector<std::string> wrapped_lines(std::string_view text, std::size_t width);

/// Breaks a command line so that a shell reads it unchanged: lines end in backslashes. Breaks are
/// at blanks, and after the commas of long lists, outside single quotes.
[[nodiscard]] std::vector<std::string> command_lines(std::string_view command, std::size_t width);

}  // namespace rooflab::page
