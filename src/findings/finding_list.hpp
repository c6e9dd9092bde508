#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rooflab/findings/finding.hpp"

namespace rooflab::findings {

/// What the rules add to, for one result. No second is saved twice: what the rules before have
/// taken of the step is gone for those behind them, and so is the step's floor.
class FindingList {
 public:
  /// `step_s`: what shares of `worth_s` are of.
  /// `of_pytorch`: the program is one of PyTorch, as far as anybody knows, so that the kinds' lines
  /// of PyTorch can be tried.
  explicit FindingList(std::optional<double> step_s = {}, std::string subject = {},
                       bool of_pytorch = true)
      : step_s_(step_s), subject_(std::move(subject)), of_pytorch_(of_pytorch) {}

  /// `attempt`: a command line, or a line of PyTorch; nullopt: the kind's line; empty: none.
  Finding& add(FindingKind kind, std::vector<NoteValue> values, std::optional<double> worth_s = {},
               std::optional<std::string> attempt = {});
  /// The same, of time that is not of the list's step but of another one.
  Finding& add_of(double step_s, FindingKind kind, std::vector<NoteValue> values, double worth_s,
                  std::optional<std::string> attempt = {});

  /// The step takes at least that long whatever is done; 0 until it is told.
  void set_floor(double floor_s) { floor_s_ = floor_s; }
  /// What the findings of a kind that stand in the list save.
  [[nodiscard]] double worth_of(FindingKind kind) const;

  /// The most worth first, then what has none, in the order of the kinds.
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
