#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace rooflab {

/// What a sentence is worth to a reader who has time for a few: the higher ones come first.
enum class NoteRank : std::uint8_t {
  explains,  ///< the words and columns of a table
  says,      ///< something that a reader must know
  changes,   ///< the answer is incomplete or in doubt
  answers,   ///< part of the answer: it is never left out
};

/// A sentence that the program says about a result. A room that speaks has its sentences in
/// `notes/<room>_notes.hpp`, as members of one constant:
///
///     struct Sentences {
///       NoteSentence op_without_rule{"op_without_rule", "'{}' has no rule"};
///     };
///     inline constexpr Sentences says{};
///     ...
///     notes.push_back({says.op_without_rule, {name}});
///
/// Its text has places for the values of a note:
///
///     {}, {2}        the note's next value, or its value 2; a long list names its first eight
///     {s}, {share}   a number with the unit that has this ending in keys: 12.1 ms, 97.6 %
///     {share:.0f}    the same in that format; {:si} is 1.82 G, {:d} a count without commas
///     [one|many]     by the count or list before it, or else by the note's first one
///     <...>          left out where one of its values is missing
struct NoteSentence {
  std::string_view code = {};  ///< its name in files, of which all rooms together have one
  std::string_view text = {};
  NoteRank rank = NoteRank::says;
  std::string_view command = {};  ///< the command line that mends it, with values like the text
};

/// Every sentence of a room, for a list of all.
template <class Sentences>
[[nodiscard]] auto sentences_of(const Sentences& sentences) {
  static_assert(sizeof(Sentences) % sizeof(NoteSentence) == 0);
  return std::bit_cast<std::array<NoteSentence, sizeof(Sentences) / sizeof(NoteSentence)>>(
      sentences);
}

}  // namespace rooflab
