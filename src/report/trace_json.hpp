#pragma once

#include "rooflab/analyze/trace_analysis.hpp"
#include "rooflab/analyze/trace_job.hpp"
#include "rooflab/base/json.hpp"

namespace rooflab::report {

/// `panes` of docs/formats/import.md.
[[nodiscard]] Json panes_json(const analyze::TraceAnalysis& analysis);

/// `job` of docs/formats/import.md.
[[nodiscard]] Json job_json(const analyze::TraceJob& job);

}  // namespace rooflab::report
