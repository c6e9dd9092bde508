#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "statement.hpp"

namespace rooflab::study {

[[nodiscard]] bool fits(const CaseWord& word, const StudyCase& study_case);

/// A case that fits a figure's words.
struct FittingCase {
  const StudyCase* study_case = nullptr;
  Attributes open;     ///< that no word fixes, without those that are never compared
  std::string source;  ///< that no word fixes: it is not compared, but tells cases apart
};
/// nullopt: a word does not fit the case.
[[nodiscard]] std::optional<FittingCase> fit(const FigureName& figure, const StudyCase& study_case);

/// The figure in a case; nullptr without one, or when it is not finite.
[[nodiscard]] const Figure* figure_in(const StudyCase& study_case, const FigureName& figure);

/// One case a figure, in the order of the figures.
using Combination = std::vector<const FittingCase*>;

/// Given the cases of every figure: all combinations of which any two cases have equal values in
/// what both leave open. The first figure's cases change last. Throws Error (input) at `place` when
/// there are too many to look at.
[[nodiscard]] std::vector<Combination> join_cases(std::span<const std::vector<FittingCase>> fitting,
                                                  const Location& place);

/// Where the cases of two figures agree nowhere, the attributes that keep the nearest two apart:
/// `mode: measure beside predict`. Empty: any two figures have cases that agree.
[[nodiscard]] std::string disagreement_of(std::span<const std::vector<FittingCase>> fitting);

}  // namespace rooflab::study
