#pragma once

#include "rooflab/describe/note.hpp"

namespace rooflab::probe {

/// What a calibration says about its measurements.
struct Sentences {
  NoteSentence kind_too_small{"kind_too_small", "there are too few measurements for a model"};
  NoteSentence launch_subtracted{
      "launch_subtracted",
      "<the plateau is {s}; >{s} of launch were subtracted, and {} of {} rows were dropped as too"
      " short"};
  NoteSentence reference_factor{
      "reference_factor",
      "{} published times<, with {s} added,> are {:.2f} times our own (median) on the device that"
      " has both, with a spread of {share:.0f}: {}"};
  NoteSentence times_corrected{"times_corrected",
                               "times were divided by {:.3g}, with a spread of {share:.0f}: {}"};
  NoteSentence outliers_left_out{"outliers_left_out",
                                 "{} outlier[ is|s are] not used; lines of the table: {}"};
  NoteSentence too_few_rows{"too_few_rows", "{} row[ is|s are] left, too few for a model"};
};
inline constexpr Sentences says{};

}  // namespace rooflab::probe
