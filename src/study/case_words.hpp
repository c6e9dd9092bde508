#pragma once

#include <map>
#include <string>
#include <string_view>
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

/// Throws Error (input) at the value at fault: batches, phases and precisions that there are not,
/// numbers of GPUs where a mode takes none, a prediction without a device, two networks.
void check_choice(const CaseGroup& group, const Choice& choice);

/// A flag of the case that changes what a step does and that `predict` does not take; empty: there
/// is none.
[[nodiscard]] std::string unpredictable_flag(const CaseGroup& group, const Choice& choice);

/// A file that the study names, from where the program runs.
[[nodiscard]] std::string path_of_study(const Study& study, const std::string& name);

/// A network in a file of its own, as `model` or as `file`.
[[nodiscard]] bool is_onnx(std::string_view name);

/// Of the factor `gpus`; 1 without. Throws Error (input) for anything but a number from 1 to 1024.
[[nodiscard]] int gpus_of(const Choice& choice);

/// The command line after `rooflab` of what `mode` makes of a choice: the mode's subcommand, what
/// it works on, where, and the flags. A prediction in place of something else takes only those
/// flags that `predict` has too.
[[nodiscard]] std::vector<std::string> words_of(Mode mode, const Study& study,
                                                const CaseGroup& group, const Choice& choice,
                                                const Place& place, const Machine& machine);

}  // namespace rooflab::study
