#pragma once

#include <string>
#include <string_view>

#include "rooflab/base/enum_names.hpp"

namespace rooflab::report {

/// What a word in a table is to its reader. A page has a class of that name, a terminal a colour;
/// the word itself always stands there.
enum class Tone { none, good, warning, bad, quiet };
constexpr auto names_in_order(For<Tone>) {
  return names_through<Tone::quiet>("", "good", "warning", "bad", "quiet");
}

/// The tone of a cell, and of a note by the words that it begins with.
[[nodiscard]] Tone tone_of_cell(std::string_view text);
[[nodiscard]] Tone tone_of_note(std::string_view text);

/// The text in the colour of its tone, for a terminal.
[[nodiscard]] std::string colored(Tone tone, std::string_view text);
[[nodiscard]] std::string bold(std::string_view text);
[[nodiscard]] std::string dimmed(std::string_view text);

}  // namespace rooflab::report
