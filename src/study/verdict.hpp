#pragma once

#include <span>
#include <string>
#include <vector>

#include "expression.hpp"
#include "published/explanation.hpp"

namespace rooflab::study {

/// Verdict on a hypothesis, whose check should hold in every case: one clear contradiction refutes
/// it, it is supported if it holds in all clear cases, and cases that are too close to call decide
/// nothing. Cases with a published figure that has an explanation do not count.
struct Verdict {
  std::string name;
  std::string text;
  std::string check;
  Judgement result = Judgement::undecided;
  /// Reason, which follows the result: `in 1 of 4 cases: for device a100, mode predict`.
  std::string reason;
  std::vector<Expression::Instance> instances;
  std::vector<Expression::Missing> missing;

  /// The verdict as text: `refuted in 1 of 4 cases: for device a100, mode predict`.
  [[nodiscard]] std::string sentence() const;
};

/// Judges a hypothesis. Throws Error (input) like Expression::parse() and evaluate().
/// `explanations` explain published figures that are not what they claim to be.
[[nodiscard]] Verdict judge(const Hypothesis& hypothesis, std::span<const StudyCase> cases,
                            std::span<const Explanation> explanations = {});

}  // namespace rooflab::study
