#pragma once

#include <span>
#include <string>
#include <vector>

#include "expression.hpp"
#include "finding.hpp"

namespace rooflab::study {

/// What became of a hypothesis. Its check is meant of every case: one case that clearly contradicts
/// refutes it, all cases that are clear support it, and what is too close to call decides nothing.
/// Cases with a published figure that a finding explains do not count.
struct Verdict {
  std::string name;
  std::string text;
  std::string check;
  Judgement result = Judgement::undecided;
  /// Behind the result: `in 1 of 4 cases: for device a100, mode predict`.
  std::string reason;
  std::vector<Expression::Instance> instances;
  std::vector<Expression::Missing> missing;

  /// `refuted in 1 of 4 cases: for device a100, mode predict`.
  [[nodiscard]] std::string sentence() const;
};

/// Throws Error (input) like Expression::parse() and evaluate(). `findings` tell which published
/// figures are not what they claim to be.
[[nodiscard]] Verdict judge(const Hypothesis& hypothesis, std::span<const StudyCase> cases,
                            std::span<const Finding> findings = {});

}  // namespace rooflab::study
