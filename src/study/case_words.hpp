#pragma once

#include <map>
#include <string>
#include <vector>

#include "place.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/study/plan.hpp"

namespace rooflab::study {

/// One case of a product: its values by key.
struct Choice {
  Mode mode = Mode::predict;
  Attributes values;
  std::map<std::string, Location> places;
};

/// Of the factor `gpus`; 1 without. Throws Error (input) for anything but a number from 1 to 1024.
[[nodiscard]] int gpus_of(const Choice& choice);

/// The command line after `rooflab` of what `mode` makes of a choice: the mode's subcommand, what
/// it works on, where, and the flags. A prediction in place of something else takes only those
/// flags that `predict` has too.
[[nodiscard]] std::vector<std::string> words_of(Mode mode, const Study& study,
                                                const CaseGroup& group, const Choice& choice,
                                                const Place& place, const Machine& machine);

}  // namespace rooflab::study
