#pragma once

#include <cstddef>
#include <string_view>

#include "log_facts.hpp"

namespace rooflab::import::ncu {

/// Begin of a table's header (`"ID",`) in a line, also after output of the application without a
/// line feed; npos: none. `ID,Process ID,` without quotes, as other programs write the table again,
/// only counts at the line's start.
[[nodiscard]] std::size_t find_header(std::string_view line);

/// Whether the line begins like a row of a table: an ID, or nothing (the row of units), then a
/// comma.
[[nodiscard]] bool begins_row(std::string_view line, bool quoted);

/// Begin of a row after output of the application: an ID and a process ID in quotes; npos: none.
[[nodiscard]] std::size_t find_row(std::string_view line);

/// Notes the message in a line outside the tables, if it is from ncu.
void note_message(std::string_view line, LogFacts& facts);

}  // namespace rooflab::import::ncu
