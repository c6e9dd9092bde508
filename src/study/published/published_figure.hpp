#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explanation.hpp"
#include "study/figures.hpp"
#include "study/study.hpp"
#include "study/study_quantity.hpp"

namespace rooflab::study {

/// A figure of one of our cases; members are nullptr where no case has it.
struct OwnFigure {
  const StudyCase* of = nullptr;
  const Figure* figure = nullptr;
};

/// A published figure and ours for its case. It refers to the study, its cases and explanations,
/// which must live longer.
struct PublishedFigure {
  const PublishedRow* row = nullptr;
  const Quantity* quantity = nullptr;
  double value = 0.0;
  OwnFigure predicted{};  ///< predicted, or counted by the model
  OwnFigure measured{};
  const Explanation* explanation = nullptr;  ///< the first one of it; nullptr: none

  /// The measured one, else the predicted one.
  [[nodiscard]] const OwnFigure& own() const;
  /// Published figure over ours; nullopt: we have none, or one of both is not above zero.
  [[nodiscard]] std::optional<double> ratio() const;
  /// Whether the published figure is within 10 % of ours, or in our interval.
  [[nodiscard]] bool agrees() const;
  /// Difference from ours as a factor above one; nullopt: it agrees, or has no ratio.
  [[nodiscard]] std::optional<double> error_factor() const;
};

/// All published figures of a study, row by row.
[[nodiscard]] std::vector<PublishedFigure> published_figures(
    const Study& study, std::span<const StudyCase> cases,
    std::span<const Explanation> explanations);

/// A published value over ours; nullopt: we have none, or one of both is not above zero.
[[nodiscard]] std::optional<double> ratio_to(double published, const OwnFigure& own);

/// Largest error_factor() of the explained figures; nullopt: none has one.
[[nodiscard]] std::optional<double> error_factor_of(const Explanation& explanation,
                                                    const Study& study,
                                                    std::span<const PublishedFigure> figures);

/// Sorts explanations: those whose figures differ most from ours first, then those without a figure
/// of ours for comparison.
void sort_worst_first(std::vector<Explanation>& explanations, const Study& study,
                      std::span<const StudyCase> cases);

}  // namespace rooflab::study
