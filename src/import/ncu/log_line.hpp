#pragma once

#include <cstddef>
#include <string_view>

#include "log_facts.hpp"

namespace rooflab::import::ncu {

/// Where in a line the header of a table begins (`"ID",`), also behind output of the application
/// that had no line feed; npos: nowhere. `ID,Process ID,` without quotes, as other programs write
/// the table again, only counts at the line's start.
[[nodiscard]] std::size_t find_header(std::string_view line);

/// The line begins like a row of a table: an ID, or none (the row of units), then a comma.
[[nodiscard]] bool begins_row(std::string_view line, bool quoted);

/// Where a row begins behind output of the application: an ID and a process ID in quotes.
[[nodiscard]] std::size_t find_row(std::string_view line);

/// Notes what a line outside the tables says, if it is ncu's.
void note_message(std::string_view line, LogFacts& facts);

}  // namespace rooflab::import::ncu
