#pragma once

#include "rooflab/describe/note.hpp"

namespace rooflab::report {

/// What a page says about groups of launches that were counted.
struct Sentences {
  NoteSentence groups_counted{
      "groups_counted",
      "counters were read on {} for some launches of each group (a kernel with one grid, block and"
      " shared memory): all {} launches of {2} groups do {}<; FLOPs and DRAM bytes were counted"
      " for {share} of kernel time><, and for {share} with estimates from the same kernels' other"
      " grids>"};
  NoteSentence groups_cost{"groups_cost", "counting took {s} of {s}", NoteRank::explains};
  NoteSentence groups_once{
      "groups_once", "{} group[ was|s were] counted once: the error does not include [it|them]",
      NoteRank::explains};
  NoteSentence groups_without{"groups_without",
                              "{} group[ was|s were] not counted<: {s} of kernel time>",
                              NoteRank::changes};
};
inline constexpr Sentences says{};

}  // namespace rooflab::report
