#pragma once

#include "rooflab/describe/note.hpp"

namespace rooflab::recording {

/// What a recording does not hold.
struct Sentences {
  NoteSentence batch_of_no_input{
      "batch_of_no_input",
      "the recording says batch {}, which divides no extent of an input: samples/s are computed"
      " with it",
      NoteRank::changes};
  NoteSentence recording_gaps{"recording_gaps",
                              "the recording does not hold what {} did: that work is not counted",
                              NoteRank::changes};
  NoteSentence recording_assumed{
      "recording_assumed",
      "the recording assumed a value for {}< at {}>[| ({2} times)]: the program may do other work",
      NoteRank::changes};
};
inline constexpr Sentences says{};

}  // namespace rooflab::recording
