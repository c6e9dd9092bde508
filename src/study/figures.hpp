#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "case_file.hpp"
#include "study.hpp"

namespace rooflab::study {

/// A value of a quantity. `low` and `high` are its interval where it has one: 95 % of a measured
/// median, 90 % of a calibrated prediction.
struct Figure {
  std::string quantity;
  double value = 0.0;
  std::optional<double> low{};
  std::optional<double> high{};
};

/// A case as hypotheses, tables and charts see it: planned and run, or published.
struct StudyCase {
  std::string id;
  Attributes attributes;  ///< planned; for a published row its `where`, `mode` is `published`
  std::string note;       ///< what a reader must know; may be empty
  /// Why it has no figures: `not run yet`, `oom: out of memory: ...`; empty: it has. One that ran
  /// and did not end well may still have what is known of its memory.
  std::string reason;
  std::string command;  ///< empty for what was published
  std::vector<Figure> figures;

  [[nodiscard]] const Figure* find(std::string_view quantity) const;
  /// nullopt: it has no such figure.
  [[nodiscard]] std::optional<double> value(std::string_view quantity) const;
  /// The value of an attribute; empty: it has none.
  [[nodiscard]] std::string_view attribute(std::string_view key) const {
    return value_in(attributes, key);
  }
};

/// `published-1` for the first row.
[[nodiscard]] std::string id_of_published(std::size_t row);

/// The figures in what a command wrote with `-o x.json`. Where a command writes several cases, the
/// first; for a scaling study the largest number of devices. What is null there, or not there at
/// all, does not become a figure, and a case that did not end well has at most its memory.
[[nodiscard]] std::vector<Figure> figures_of(Mode mode, const Json& result);

/// All cases of a study in the order of the plan, those without an outcome with that as their
/// reason; then the vector additions of its probes, each a case with `launch`, `memory` and
/// `elements`; then the published rows as `published-1`, ... The outcomes are in the order of the
/// plan.
[[nodiscard]] std::vector<StudyCase> cases_of(const Study& study, std::span<const PlannedCase> plan,
                                              std::span<const std::optional<CaseOutcome>> outcomes);

}  // namespace rooflab::study
