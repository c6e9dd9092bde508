#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "figures.hpp"
#include "finding.hpp"
#include "quantity.hpp"
#include "study.hpp"

namespace rooflab::study {

/// A figure of a case; nullptrs where no case has it.
struct OwnFigure {
  const StudyCase* of = nullptr;
  const Figure* figure = nullptr;
};

/// A published figure and ours of the same case. It refers to the study, its cases and findings,
/// which must live longer.
struct PublishedFigure {
  const PublishedRow* row = nullptr;
  const Quantity* quantity = nullptr;
  double value = 0.0;
  OwnFigure predicted{};  ///< or counted by the model
  OwnFigure measured{};
  const Finding* finding = nullptr;  ///< the first that explains it; nullptr: none

  /// The measured one, else the predicted one.
  [[nodiscard]] const OwnFigure& own() const;
  /// Published over ours; nullopt: nothing of ours, or one of both is not above zero.
  [[nodiscard]] std::optional<double> ratio() const;
  /// Published within 10 % of ours, or in the interval of ours.
  [[nodiscard]] bool agrees() const;
  /// How far it is from ours, as a factor above one; nullopt: it agrees, or has no ratio.
  [[nodiscard]] std::optional<double> error_factor() const;
};

/// All of a study, row by row.
[[nodiscard]] std::vector<PublishedFigure> published_figures(const Study& study,
                                                             std::span<const StudyCase> cases,
                                                             std::span<const Finding> findings);

/// Published over ours; nullopt as for PublishedFigure::ratio().
[[nodiscard]] std::optional<double> ratio_to(double published, const OwnFigure& own);

/// How far the worst figure is that the finding explains.
[[nodiscard]] std::optional<double> error_factor_of(const Finding& finding, const Study& study,
                                                    std::span<const PublishedFigure> figures);

/// The findings whose figures are farthest from ours first, then those whose figures have nothing
/// of ours beside them.
void sort_worst_first(std::vector<Finding>& findings, const Study& study,
                      std::span<const StudyCase> cases);

}  // namespace rooflab::study
