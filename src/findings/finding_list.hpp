#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rooflab/findings/finding.hpp"

namespace rooflab::findings {

/// Collects the findings of the rules for one result. No time is saved twice: time that earlier
/// rules have taken from the step, and the step's floor, are not available to later rules.
class FindingList {
 public:
  /// Starts a list. `step_s`: the whole for shares of `worth_s`. `of_pytorch`: the program probably
  /// uses PyTorch, so that the kinds' lines of PyTorch can be tried.
  explicit FindingList(std::optional<double> step_s = {}, std::string subject = {},
                       bool of_pytorch = true)
      : step_s_(step_s), subject_(std::move(subject)), of_pytorch_(of_pytorch) {}

  /// Adds a finding. `attempt`: a line of PyTorch; nullopt: the kind's line; empty: none.
  Finding& add(FindingKind kind, std::vector<NoteValue> values, std::optional<double> worth_s = {},
               std::optional<std::string> attempt = {});
  /// Adds a finding about time of another step than the list's.
  Finding& add_of(double step_s, FindingKind kind, std::vector<NoteValue> values, double worth_s,
                  std::optional<std::string> attempt = {});

  /// Sets the minimum time of the step, whatever is changed; 0 by default.
  void set_floor(double floor_s) { floor_s_ = floor_s; }
  /// Sum of the savings of a kind's findings in the list.
  [[nodiscard]] double worth_of(FindingKind kind) const;

  /// The findings, largest saving first, then those without one in the order of the kinds.
  [[nodiscard]] std::vector<Finding> sorted() &&;

 private:
  [[nodiscard]] std::string tried(FindingKind kind, std::optional<std::string> attempt) const;

  std::optional<double> step_s_;
  std::string subject_;
  bool of_pytorch_ = true;
  double floor_s_ = 0.0;
  double taken_s_ = 0.0;
  std::vector<Finding> found_;
};

void sort_by_worth(std::vector<Finding>& findings);

}  // namespace rooflab::findings
