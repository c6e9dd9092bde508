#pragma once

#include <span>
#include <string>

#include "rooflab/describe/note.hpp"

/// The notes of all rooms together: whoever shows a note finds here what this program says with its
/// code, also where a file has the note.
namespace rooflab::report {

/// Every sentence of every room.
[[nodiscard]] std::span<const NoteSentence> known_sentences();

/// The sentence in the words of this program, or as it was read where the program has none;
/// without the subject.
[[nodiscard]] std::string words_of(const Note& note);
[[nodiscard]] NoteRank rank_of(const Note& note);
/// Command line that solves the problem; empty: none is known.
[[nodiscard]] std::string command_of(const Note& note);

}  // namespace rooflab::report
