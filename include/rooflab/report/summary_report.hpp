#pragma once

#include "rooflab/analyze/network_summary.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// The layer table of a network with totals. Its JSON is described in docs/formats/summary.md.
[[nodiscard]] Document summary_report(const analyze::NetworkSummary& summary);

}  // namespace rooflab::report
