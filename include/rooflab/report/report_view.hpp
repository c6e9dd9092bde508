#pragma once

#include <cstddef>
#include <string>

#include "rooflab/analyze/result_set.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// Everything about a set of results on one page: cards, a table of all results, rooflines by
/// device, where the time went, memory, kernels, operators, layers, environments, warnings, and the
/// command line behind each.
///
/// Text, Markdown and JSON have the tables (docs/cli/report.md); text has the first `top` rows of
/// each, 0: all.
[[nodiscard]] Document report_view(const analyze::ResultSet& results, std::string command,
                                   std::size_t top = 0);

}  // namespace rooflab::report
