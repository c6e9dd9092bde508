#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Lines of text that is as wide as a terminal: `width` columns, 0 for no limit.
namespace rooflab::report {

/// Broken at blanks; what has none is broken where a line ends. An empty text has no lines.
[[nodiscard]] std::vector<std::string> wrapped_lines(std::string_view text, std::size_t width);

/// A command line that a shell reads as before: the lines end in backslashes. It is broken at
/// blanks, and behind the commas of long lists, outside single quotes.
[[nodiscard]] std::vector<std::string> command_lines(std::string_view command, std::size_t width);

}  // namespace rooflab::report
