#pragma once

#include "rooflab/describe/note.hpp"

namespace rooflab::record {

/// What a record says about its own figures.
struct Sentences {
  NoteSentence steps_spread{
      "steps_spread", "step times vary by {share:.1f} of their median (5th to 95th percentile)",
      NoteRank::changes};
  NoteSentence times_unsettled{"times_unsettled", "times had not settled after {} warm-up step[|s]",
                               NoteRank::changes};
  NoteSentence few_steps{"few_steps",
                         "only {} timed step[|s]: the median's interval is not a 95 % one"};
  NoteSentence host_bound{
      "host_bound",
      "the host takes {s} to issue a step that takes {s}: the device waits for the host",
      NoteRank::changes};
  NoteSentence clocks_held_down{"clocks_held_down",
                                "the device held its clocks down< in {} of {} samples>: {}",
                                NoteRank::changes};
  NoteSentence clock_moved{"clock_moved",
                           "the clock moved from {hz} to {hz} while measuring ({share:+.1f})",
                           NoteRank::changes};
  NoteSentence data_unreadable{"data_unreadable",
                               "{} file[|s] of the data could not be read, the first: {}",
                               NoteRank::changes};
  NoteSentence trace_not_used{
      "trace_not_used", "{} part[|s] of the trace could not be used: `lost` lists [it|them]"};
  NoteSentence never_zero{
      "never_zero",
      "{}: {} of {} launches have 0, which no kernel that runs can have: these are unknown, and no"
      " mean includes them",
      NoteRank::changes};
};
inline constexpr Sentences says{};

}  // namespace rooflab::record
