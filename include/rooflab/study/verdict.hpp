#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/study/expression.hpp"

namespace rooflab::study {

/// What became of a hypothesis.
struct Verdict {
  enum class Result {
    holds,      ///< in all cases
    fails,      ///< in all cases
    depends,    ///< holds in some, fails in others
    undecided,  ///< there is no case with all its figures
  };
  std::string name;
  std::string text;
  std::string check;
  Result result = Result::undecided;
  /// `holds in 3 of 4 cases: not for device a100, mode predict`.
  std::string sentence;
  std::vector<Expression::Instance> instances;
  std::vector<Expression::Missing> missing;
};
[[nodiscard]] std::string_view name_of(Verdict::Result result);

/// Throws Error (input) like Expression::parse() and evaluate().
[[nodiscard]] Verdict judge(const Hypothesis& hypothesis, std::span<const StudyCase> cases);

}  // namespace rooflab::study
