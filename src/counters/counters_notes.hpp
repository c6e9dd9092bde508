#pragma once

#include "rooflab/describe/note.hpp"

namespace rooflab::counters {

/// What a profile says about its counters.
struct Sentences {
  NoteSentence profiler_warned{"profiler_warned", "{}<; {}>"};
  NoteSentence counters_not_wanted{
      "counters_not_wanted",
      "counters were not asked for (--no-counters): FLOPs and bytes were not counted"};
  NoteSentence ops_of_other_steps{
      "ops_of_other_steps",
      "ops are not known: while they were recorded, the program launched other kernels than in its"
      " step",
      NoteRank::changes};
  NoteSentence ops_of_like_steps{
      "ops_of_like_steps",
      "{} of the step's {} kernels differed while ops were recorded: each has the op of the kernel"
      " that was in its place"};
  NoteSentence ended_by_signal{"ended_by_signal", "a signal ended the program", NoteRank::changes};
  NoteSentence no_kernel_recorded{"no_kernel_recorded", "no kernel was recorded",
                                  NoteRank::changes};
  NoteSentence nothing_sampled{"nothing_sampled", "no sample was taken", NoteRank::changes};
  NoteSentence no_step_traced{"no_step_traced", "no step was traced: its kernels have no times",
                              NoteRank::changes};
  NoteSentence counters_of_like_launches{
      "counters_of_like_launches",
      "{} of the step's {} kernels have the counters of other launches with the same name, grid,"
      " block and shared memory"};
  NoteSentence launches_without_value{
      "launches_without_value",
      "{} counted launch[ has|es have] no value: the counted steps are not all alike",
      NoteRank::changes};
};
inline constexpr Sentences says{};

}  // namespace rooflab::counters
