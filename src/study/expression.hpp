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

/// What figures say of a statement, in one case or in all.
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
/// `time(...)` is a figure of the cases that fit all words in the brackets: `key=value`, or a value
/// alone of any attribute. What the brackets leave open is joined: the statement is made once for
/// every choice of cases, one a figure, of which any two have equal values in all attributes that
/// neither figure fixes and both cases have; `group`, `named`, `place` and `source` are not
/// compared, and what fits `named`, the study's word for a device, fixes the device. Operators:
/// + - * /, < <= > >= == ~, `and`, `or`, `not`, brackets; == is equal within 1e-9 of the larger, ~
/// within 5 %.
///
///     const Expression check = Expression::parse("time > limit", place);
///     for (const Expression::Instance& each : check.evaluate(cases)) ... each.numbers ...
///
/// A value: copies share what was read.
class Expression {
 public:
  /// Throws Error (input) where the text cannot be read: syntax, quantities that there are not
  /// (with the nearest name), a comparison where a number is wanted and the other way round.
  /// `place` is that of the string's opening quote: a fault is `offset + 1` columns behind it. A
  /// text of several lines is located at `place`; escapes of TOML are not counted.
  [[nodiscard]] static Expression parse(std::string_view text, const Location& place);

  /// Made once for a combination.
  struct Instance {
    /// What the figures leave open and their cases have: `device` is `v100`, `mode` is `predict`.
    /// `source` too, which is not compared but tells published cases apart: `A` or
    /// `A beside B`.
    Attributes where;
    bool holds = false;   ///< judged from the values alone
    std::string numbers;  ///< `24.1 ms / 11.9 ms = 2.025 (allowed over 1)`
    /// Other values within the figures' intervals would give another result: it may be chance.
    bool close = false;
    /// Ids of the cases, one a different figure, in the order of the text.
    std::vector<std::string> cases;
    /// Why a published figure in it is not what it claims to be; empty: nothing is known against
    /// it. evaluate() leaves it empty, judge() (verdict.hpp) fills it.
    std::string doubt{};

    [[nodiscard]] Judgement judgement() const {
      if (close || !doubt.empty()) return Judgement::undecided;
      return holds ? Judgement::supported : Judgement::refuted;
    }
  };
  /// In the order of the cases, those of the first figure first. Combinations in which a quotient
  /// has a divisor of 0 are left out. Throws Error (input) at the check when there are more than
  /// 100,000 combinations.
  [[nodiscard]] std::vector<Instance> evaluate(std::span<const StudyCase> cases) const;

  /// A figure that no case gives.
  struct Missing {
    std::string figure;  ///< `time(resnet55)`
    std::string reason;  ///< that of the first case that fits, or the word that no case fits
  };
  [[nodiscard]] std::vector<Missing> missing(std::span<const StudyCase> cases) const;

  /// Names of the quantities in it.
  [[nodiscard]] std::set<std::string> quantities() const;

  /// Why evaluate() gives nothing although no figure is missing: `the divisor is 0 in all 4 cases`,
  /// or that no cases agree, and in what: `... (mode: measure beside predict)`.
  [[nodiscard]] std::string obstacle(std::span<const StudyCase> cases) const;

 private:
  explicit Expression(std::shared_ptr<const Statement> statement);

  std::shared_ptr<const Statement> statement_;
};

}  // namespace rooflab::study
