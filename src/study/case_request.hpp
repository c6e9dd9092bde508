#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plan.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/task/request_kind.hpp"

namespace rooflab::study {

/// One case of a product: its values by key.
struct Choice {
  Mode mode = Mode::predict;
  std::map<std::string, PlacedValue, std::less<>> values;

  /// The value of a key; nullptr: it has none.
  [[nodiscard]] const std::string* find(std::string_view key) const;
};

/// A device of a case, resolved.
struct Place {
  std::string word{};  ///< in a command line: `cuda:0`, `cpu`, `t4`; empty: no such device
  std::string id{};    ///< for people and for joins: the catalog's id where there is one
  bool here = false;
  bool catalogued = false;
  std::string missing{};  ///< why no such device was found

  [[nodiscard]] bool is_cpu() const { return word == "cpu"; }
};

/// Throws Error (input) at the value at fault: batches, phases and precisions that there are not,
/// numbers of GPUs where a mode takes none, a prediction without a device, two networks; at the
/// study's line for a key that the mode's request does not have.
void check_choice(const CaseGroup& group, const Choice& choice);

/// A key of the case that changes what a step does and that `predict` does not take; empty: all
/// can be predicted.
[[nodiscard]] std::string unpredictable_key(const CaseGroup& group, const Choice& choice);

/// A file that the study names, from where the program runs.
[[nodiscard]] std::string path_of_study(const Study& study, const std::string& name);

/// A network in a file of its own, as `model` or as `file`: an ONNX file or a recording.
[[nodiscard]] bool is_model_file(std::string_view name);
/// The name of such a file without folders and ending; any other name as it is.
[[nodiscard]] std::string model_of_file(std::string_view name);

/// Value of the factor `gpus`; 1 without. Throws Error (input) for anything but a number from 1 to
/// 1024.
[[nodiscard]] int gpus_of(const Choice& choice);

/// What a case asks for.
struct CaseRequest {
  GivenWords given;                ///< words by the keys of its request's members
  std::vector<std::string> words;  ///< the command line after `rooflab`
};

/// What `mode` makes of a choice: what it works on, where, and its further keys. A prediction in
/// place of something else takes only those that `predict` has too. Throws Error (input) at the
/// study's line for a key that the mode's request does not have, and for a value that cannot be.
[[nodiscard]] CaseRequest request_of(Mode mode, const Study& study, const CaseGroup& group,
                                     const Choice& choice, const Place& place,
                                     const Machine& machine);

}  // namespace rooflab::study
