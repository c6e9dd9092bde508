#pragma once

#include <optional>
#include <string>

#include "finding_list.hpp"
#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/analyze/scaling.hpp"
#include "rooflab/trace/trace_analysis.hpp"

/// What the rules look at, each kind of result with what most rules ask of it.
namespace rooflab::findings {

/// The mean step of a trace, by our rule.
struct TraceFacts {
  const analyze::ImportedCase& imported;
  const trace::TracePanes& panes;
  const trace::StepWork& work;
  double step_ns = 0.0;  ///< above 0

  [[nodiscard]] double role_ns(trace::StepRole role) const {
    return panes.breakdown.mean.role_ns[static_cast<std::size_t>(role)];
  }
  [[nodiscard]] double step_share(double time_ns) const { return time_ns / step_ns; }
  [[nodiscard]] double kernel_share(double time_ns) const {
    return work.kernel_ns > 0.0 ? time_ns / work.kernel_ns : 0.0;
  }
};

inline constexpr double seconds_per_ns = 1e-9;

/// A name that a line has room for.
[[nodiscard]] std::string short_name(const std::string& kernel);

}  // namespace rooflab::findings
