#pragma once

#include <span>
#include <string>
#include <vector>

#include "expression.hpp"
#include "rooflab/base/enum_names.hpp"

namespace rooflab::study {

/// What became of a hypothesis.
struct Verdict {
  enum class Result {
    holds,      ///< in all cases
    fails,      ///< in all cases
    depends,    ///< holds in some, fails in others
    undecided,  ///< no case has all its figures
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
constexpr auto names_in_order(For<Verdict::Result>) {
  return names_through<Verdict::Result::undecided>("holds", "fails", "depends", "undecided");
}

/// Throws Error (input) like Expression::parse() and evaluate().
[[nodiscard]] Verdict judge(const Hypothesis& hypothesis, std::span<const StudyCase> cases);

}  // namespace rooflab::study
