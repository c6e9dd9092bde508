#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "case_file.hpp"
#include "study.hpp"

namespace rooflab::study {

/// A value of a quantity. `low` and `high` are its interval, if any: 95 % of a measured median, 90
/// % of a calibrated prediction.
struct Figure {
  std::string quantity;
  double value = 0.0;
  std::optional<double> low{};
  std::optional<double> high{};
};

/// A case for hypotheses, tables and charts: planned and run, or published.
struct StudyCase {
  std::string id;
  Attributes attributes;  ///< planned; for a published row its `where`, `mode` is `published`
  std::string note;       ///< remark for readers; may be empty
  /// Reason for missing figures: `not run yet`, `oom: out of memory: ...`; empty: it has figures. A
  /// case that failed may still have figures of its memory.
  std::string reason;
  std::string command;  ///< empty for published cases
  std::vector<Figure> figures;

  [[nodiscard]] const Figure* find(std::string_view quantity) const;
  /// Value of a quantity; nullopt: it has no such figure.
  [[nodiscard]] std::optional<double> value(std::string_view quantity) const;
  /// Value of an attribute; empty: none.
  [[nodiscard]] std::string_view attribute(std::string_view key) const {
    return value_in(attributes, key);
  }
};

/// Id of a published row: `published-1` for the first.
[[nodiscard]] std::string id_of_published(std::size_t row);

/// Figures in the JSON that a command wrote with `-o x.json`: of the first case if there are
/// several, of the largest number of devices for a scaling study. Null or missing members give no
/// figure, and a case that failed has at most figures of its memory.
[[nodiscard]] std::vector<Figure> figures_of(Mode mode, const Json& result);

/// All cases of a study in the order of the plan, those without an outcome with a reason; then the
/// vector additions of its probes, each a case with `launch`, `memory` and `elements`; then the
/// published rows as `published-1`, ... `outcomes` must be in the order of the plan.
[[nodiscard]] std::vector<StudyCase> cases_of(const Study& study, std::span<const PlannedCase> plan,
                                              std::span<const std::optional<CaseOutcome>> outcomes);

}  // namespace rooflab::study
