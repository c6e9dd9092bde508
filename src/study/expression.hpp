#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "figures.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::study {

struct Statement;  // src/study/statement.hpp

/// Result of checking a statement, in one case or in all.
enum class Judgement {
  supported,
  refuted,
  undecided,  ///< too close to call, or a figure is missing
};
constexpr auto names_in_order(For<Judgement>) {
  return names_through<Judgement::undecided>("supported", "refuted", "undecided");
}

/// A checkable statement over the cases of a study; docs/methods/hypotheses.md is the language.
///
///     time(resnet50) > time(resnet18)
///     throughput(v100, published) / throughput(a100, published) >= 1.5
///     memory(batch=256) <= 2 * memory(batch=128) and flops(resnet18) > 1 GFLOP
///
/// `time(...)` is a figure of the cases that match all words in the brackets: `key=value`, or a
/// value of any attribute. Open attributes are joined: the statement is evaluated once for every
/// choice of one case per figure in which any two cases have equal values in all attributes that
/// neither figure fixes and both cases have. `group`, `named`, `place` and `source` are not
/// compared; a word that matches `named`, the study's word for a device, fixes the device.
/// Operators: + - * /, < <= > >= == ~, `and`, `or`, `not`, brackets; == is equal within 1e-9 of the
/// larger, ~ within 5 %.
///
///     const Expression check = Expression::parse("time > limit", place);
///     for (const Expression::Instance& each : check.evaluate(cases)) ... each.numbers ...
///
/// A value: copies share what was read.
class Expression {
 public:
  /// Parses a statement. Throws Error (input) for wrong syntax, unknown quantities (with the
  /// nearest name), a comparison in place of a number, or a number in place of a comparison.
  /// `place`: place of the string's opening quote; a fault is `offset + 1` columns after it. A text
  /// of several lines is located at `place`; escapes of TOML are not counted.
  [[nodiscard]] static Expression parse(std::string_view text, const Location& place);

  /// The statement for one combination of cases.
  struct Instance {
    /// Attributes that the figures leave open and the cases have: `device` is `v100`, `mode` is
    /// `predict`. Includes `source`, which is not compared but distinguishes published cases: `A`
    /// or `A and B`.
    Attributes where;
    bool holds = false;   ///< judged from the values alone
    std::string numbers;  ///< `24.1 ms / 11.9 ms = 2.025 (allowed over 1)`
    /// Whether other values within the figures' intervals would give another result, so that it may
    /// be chance.
    bool close = false;
    /// Ids of the cases, one per different figure, in the order of the text.
    std::vector<std::string> cases;
    /// Reason why a published figure in it is not what it claims to be; empty: none is known. Set
    /// by judge() (verdict.hpp), not by evaluate().
    std::string doubt{};

    [[nodiscard]] Judgement judgement() const {
      if (close || !doubt.empty()) return Judgement::undecided;
      return holds ? Judgement::supported : Judgement::refuted;
    }
  };
  /// Evaluates the statement for all combinations, in the order of the first figure's cases, then
  /// of the others. Combinations with a divisor of 0 are left out. Throws Error (input) at the
  /// check when there are more than 100,000 combinations.
  [[nodiscard]] std::vector<Instance> evaluate(std::span<const StudyCase> cases) const;

  /// A figure that no case has.
  struct Missing {
    std::string figure;  ///< `time(resnet55)`
    std::string reason;  ///< reason of the first matching case, or the word that no case matches
  };
  [[nodiscard]] std::vector<Missing> missing(std::span<const StudyCase> cases) const;

  /// Names of the quantities in the statement.
  [[nodiscard]] std::set<std::string> quantities() const;

  /// Reason why evaluate() returns nothing although no figure is missing: `the divisor is 0 in all
  /// 4 cases`, or that no cases agree in an attribute: `... (mode: measure versus predict)`.
  [[nodiscard]] std::string obstacle(std::span<const StudyCase> cases) const;

 private:
  explicit Expression(std::shared_ptr<const Statement> statement);

  std::shared_ptr<const Statement> statement_;
};

}  // namespace rooflab::study
