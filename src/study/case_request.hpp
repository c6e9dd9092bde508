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

  /// Value of a key; nullptr: none.
  [[nodiscard]] const std::string* find(std::string_view key) const;
};

/// A device of a case, resolved.
struct Place {
  std::string word{};  ///< word in a command line: `cuda:0`, `cpu`, `t4`; empty: no such device
  std::string id{};    ///< for people and for joins: id in the catalog if there is one
  bool here = false;
  bool catalogued = false;
  std::string missing{};  ///< why no such device was found

  [[nodiscard]] bool is_cpu() const { return word == "cpu"; }
};

/// Throws Error (input) at the value at fault: impossible batches, phases or precisions, numbers of
/// GPUs for a mode without them, a prediction without a device, two networks. A key that the mode's
/// request does not have is reported at the study's line.
void check_choice(const CaseGroup& group, const Choice& choice);

/// A key of the case that changes the work of a step and that `predict` does not take; empty: none.
[[nodiscard]] std::string unpredictable_key(const CaseGroup& group, const Choice& choice);

/// Path of a file that the study names, relative to the working folder.
[[nodiscard]] std::string path_of_study(const Study& study, const std::string& name);

/// Whether a value of `model` or `file` is a network in a file: an ONNX file or a recording.
[[nodiscard]] bool is_model_file(std::string_view name);
/// Name of a network's file without folders and ending; other names are not changed.
[[nodiscard]] std::string model_of_file(std::string_view name);

/// Value of the factor `gpus`; 1 if it is missing. Throws Error (input) for anything but a number
/// from 1 to 1024.
[[nodiscard]] int gpus_of(const Choice& choice);

/// Request of a case.
struct CaseRequest {
  GivenWords given;                ///< words by the keys of its request's members
  std::vector<std::string> words;  ///< the command line after `rooflab`
};

/// Request of `mode` for a choice: its network, its device and its further keys. A prediction that
/// replaces another mode takes only keys that `predict` has too. Throws Error (input) at the
/// study's line for a key that the mode's request does not have, and for an impossible value.
[[nodiscard]] CaseRequest request_of(Mode mode, const Study& study, const CaseGroup& group,
                                     const Choice& choice, const Place& place,
                                     const Machine& machine);

}  // namespace rooflab::study
