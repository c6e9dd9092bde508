#pragma once

#include <string>
#include <string_view>

#include "rooflab/base/enum_names.hpp"

namespace rooflab::chart {

/// Meaning of a word in a table for a reader. Pages have a class of that name, terminals a colour;
/// the word itself is always shown.
enum class Tone { none, good, warning, bad, quiet };
constexpr auto names_in_order(For<Tone>) {
  return names_through<Tone::quiet>("", "good", "warning", "bad", "quiet");
}

/// Tone of a cell; tone_of_note() uses the first words of a note.
[[nodiscard]] Tone tone_of_cell(std::string_view text);
[[nodiscard]] Tone tone_of_note(std::string_view text);

/// The text in the colour of its tone, for a terminal.
[[nodiscard]] std::string colored(Tone tone, std::string_view text);
[[nodiscard]] std::string bold(std::string_view text);
[[nodiscard]] std::string dimmed(std::string_view text);

}  // namespace rooflab::chart
