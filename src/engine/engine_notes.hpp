#pragma once

#include "rooflab/describe/note.hpp"

namespace rooflab::engine {

/// What the workers say: a worker and the program that starts it have the same words.
struct Sentences {
  NoteSentence link_not_measured{"link_not_measured", "{} was not measured: {}"};
  NoteSentence no_sensors{"no_sensors", "no power, energy or clocks: {}"};
  NoteSentence too_short_for_energy{
      "too_short_for_energy",
      "no energy: the timed steps took {s}, too short for the device's counter"};
  NoteSentence kernels_not_traced{"kernels_not_traced", "Kernels were not traced: {}."};
  NoteSentence counters_not_read{"counters_not_read", "Hardware counters were not read: {}."};
  NoteSentence counters_failed{"counters_failed", "{}< {}>", NoteRank::answers};
  NoteSentence overlap_left_out{
      "overlap_left_out",
      "{} next to all-reduces over {} ranks was not measured: the all-reduces ended first in {} of"
      " {} rounds"};
  NoteSentence part_failed{"part_failed", "{}", NoteRank::answers};
  NoteSentence no_clocks{"no_clocks", "no clocks: {}"};
  NoteSentence arrays_below_caches{
      "arrays_below_caches",
      "the test arrays (an eighth of the memory) are smaller than 4 times the caches: bandwidths"
      " may include cache hits"};
  NoteSentence arrays_below_l2{
      "arrays_below_l2",
      "the test arrays are smaller than 20 times the L2 cache: bandwidths may include cache hits"};
  NoteSentence products_of_reference_blas{
      "products_of_reference_blas",
      "the products on the CPU ran in {}, which may be the reference BLAS"};
};
inline constexpr Sentences says{};

}  // namespace rooflab::engine
