#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rooflab/report/document.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::report {

struct SummaryRequest {
  std::string model;               ///< as the user named it
  std::optional<int> depth;        ///< fold scopes below so many components
  std::vector<std::string> notes;  ///< of the importer
};

/// The layer table of a schedule with totals. Its JSON is described in docs/formats/summary.md.
[[nodiscard]] Document summary_report(const schedule::Schedule& schedule,
                                      const SummaryRequest& request);

}  // namespace rooflab::report
