#pragma once

#include "rooflab/base/json.hpp"
#include "rooflab/trace/trace_analysis.hpp"
#include "rooflab/trace/trace_job.hpp"

namespace rooflab::report {

/// `panes` of docs/formats/import.md.
[[nodiscard]] Json panes_json(const trace::TraceAnalysis& analysis);

/// `job` of docs/formats/import.md.
[[nodiscard]] Json job_json(const trace::TraceJob& job);

}  // namespace rooflab::report
