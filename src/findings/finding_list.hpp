#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rooflab/findings/finding.hpp"

namespace rooflab::findings {

/// What the rules add to, for one result.
class FindingList {
 public:
  /// `step_s`: what shares of `worth_s` are of.
  /// `of_pytorch`: the program is one of PyTorch, as far as anybody knows, so that the kinds' lines
  /// of PyTorch can be tried.
  explicit FindingList(std::optional<double> step_s = {}, std::string subject = {},
                       bool of_pytorch = true)
      : step_s_(step_s), subject_(std::move(subject)), of_pytorch_(of_pytorch) {}

  /// `attempt` empty: the kind's line of PyTorch.
  Finding& add(FindingKind kind, std::vector<NoteValue> values, std::optional<double> worth_s = {},
               std::string attempt = {});

  /// The most worth first, then what has none, in the order of the kinds.
  [[nodiscard]] std::vector<Finding> sorted() &&;

 private:
  std::optional<double> step_s_;
  std::string subject_;
  bool of_pytorch_ = true;
  std::vector<Finding> found_;
};

void sort_by_worth(std::vector<Finding>& findings);

}  // namespace rooflab::findings
