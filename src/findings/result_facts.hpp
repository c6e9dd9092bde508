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

/// The mean step of a trace, by our rule; of several devices that of the busiest one, which the
/// step cannot end before.
struct TraceFacts {
  const analyze::ImportedCase& imported;
  const trace::TracePanes& panes;
  const trace::StepWork& work;
  double step_ns = 0.0;  ///< above 0

  [[nodiscard]] double role_ns(trace::StepRole role) const {
    return panes.breakdown.busiest.role_ns[static_cast<std::size_t>(role)];
  }
  [[nodiscard]] double step_share(double time_ns) const { return time_ns / step_ns; }
  [[nodiscard]] double kernel_share(double time_ns) const {
    return work.kernel_ns > 0.0 ? time_ns / work.kernel_ns : 0.0;
  }
};

/// A network on a device, predicted or measured. Of a measured step the rows have the parts that
/// they are expected to have.
struct NetworkFacts {
  const analyze::CaseResult& result;
  double step_s = 0.0;  ///< measured, else expected, else the limit; above 0
  double scale = 1.0;   ///< `step_s` over what the rows sum up to
  std::string command;  ///< gives the case again; may be empty

  /// The row's part of the step; 0 where nobody knows.
  [[nodiscard]] double row_s(const analyze::LayerRow& row) const;
  /// That above the limit.
  [[nodiscard]] double above_limit_s(const analyze::LayerRow& row) const;
  [[nodiscard]] std::optional<double> peak(ArithmeticPath path) const;
  [[nodiscard]] std::optional<double> bandwidth() const;
  /// Part of the step that a prediction of the same work in another way takes less; nullopt without
  /// that prediction.
  [[nodiscard]] std::optional<double> gain(const std::optional<Seconds>& other) const;
  /// The command with another value of a flag, or with a switch (`value` empty); empty without one.
  [[nodiscard]] std::string with(const std::string& flag, const std::string& value = {}) const;
};
/// nullopt: the case has no time at all.
[[nodiscard]] std::optional<NetworkFacts> network_facts(const analyze::CaseResult& result);
[[nodiscard]] std::optional<NetworkFacts> network_facts(const analyze::MeasuredCase& measured);

/// Kernels with counters.
struct CounterFacts {
  const analyze::ImportedCase& imported;
  double kernels_s = 0.0;  ///< time of all, above 0
};

inline constexpr double seconds_per_ns = 1e-9;

/// Whether the recorded program may be one of PyTorch. Only Nsight Systems records other programs
/// as a rule: there the names of kernels tell (`at::native::...`, `triton_...`).
[[nodiscard]] bool may_be_of_pytorch(const record::Record& record);

/// A name that a line has room for.
[[nodiscard]] std::string short_name(const std::string& kernel);

/// A command line of `rooflab` with `flag` set to `value`, in place of the value that it has; empty
/// for any other line, and for one that a shell would read as more. `value` empty: a switch.
[[nodiscard]] std::string command_with(const std::string& line, const std::string& flag,
                                       const std::string& value);

}  // namespace rooflab::findings
