#pragma once

#include "rooflab/describe/note.hpp"

namespace rooflab::probe {

/// What a calibration says about its measurements.
struct Sentences {
  NoteSentence kind_too_small{"kind_too_small", "too few measurements for a model"};
  NoteSentence launch_subtracted{
      "launch_subtracted",
      "<the plateau is {s}, >{s} of launch subtracted, {} of {} rows dropped as too short"};
  NoteSentence reference_factor{
      "reference_factor",
      "on the device that was measured both ways {} published times<, with {s} added,> are {:.2f}"
      " of its own (median), spread {share:.0f}: {}"};
  NoteSentence times_corrected{"times_corrected",
                               "times divided by {:.3g}, spread {share:.0f}: {}"};
  NoteSentence outliers_left_out{"outliers_left_out",
                                 "{} outlier[ is|s are] not used; lines of the table: {}"};
  NoteSentence too_few_rows{"too_few_rows", "{} row[ is|s are] left, too few for a model"};
};
inline constexpr Sentences says{};

}  // namespace rooflab::probe
