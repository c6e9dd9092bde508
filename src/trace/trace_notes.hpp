#pragma once

#include "rooflab/describe/note.hpp"

namespace rooflab::trace {

/// What a trace says about the programs in it.
struct Sentences {
  NoteSentence trace_of_processes{
      "trace_of_processes",
      "{} processes (or threads with separate steps) launched work: each is read as a rank of one"
      " job",
      NoteRank::changes};
};
inline constexpr Sentences says{};

}  // namespace rooflab::trace
