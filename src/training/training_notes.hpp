#pragma once

#include "rooflab/describe/note.hpp"

namespace rooflab::training {

/// What a group of training runs came to.
struct Sentences {
  NoteSentence runs_stopped_early{"runs_stopped_early",
                                  "{} run[|s] stopped early and contribute[s|] only to samples/s"};
  NoteSentence target_not_reached{"target_not_reached",
                                  "no run reached {share:g}: the time to it is unknown"};
  NoteSentence target_reached_by_some{
      "target_reached_by_some",
      "{} of {} complete runs reached {share:g}; times and epochs to it are of these alone, and"
      " the rest would have taken longer"};
  NoteSentence runs_resumed{"runs_resumed",
                            "{} run[ was|s were] resumed; the pause is not counted"};
  NoteSentence several_libtorch{"several_libtorch",
                                "the runs used different versions of libtorch: {}"};
  NoteSentence milestone_of_all{
      "milestone_of_all",
      "the highest whole per cent that each of the {} complete runs reached is {} %"};
};
inline constexpr Sentences says{};

}  // namespace rooflab::training
