#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "evidence.hpp"
#include "finding_list.hpp"
#include "kernel_times.hpp"
#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/analyze/scaling.hpp"
#include "rooflab/trace/trace_analysis.hpp"

/// Inputs of the rules: each kind of result with the figures that most rules need.
namespace rooflab::findings {

/// The mean step of a trace, by our rule; for several devices that of the busiest one, which bounds
/// the step.
struct TraceFacts {
  const analyze::ImportedCase& imported;
  const trace::TracePanes& panes;
  const trace::StepWork& work;
  Evidence seen;
  double step_ns = 0.0;  ///< above 0

  [[nodiscard]] double role_ns(trace::StepRole role) const {
    return panes.breakdown.busiest.role_ns[static_cast<std::size_t>(role)];
  }
  [[nodiscard]] double step_share(double time_ns) const { return time_ns / step_ns; }
  [[nodiscard]] double kernel_share(double time_ns) const {
    return work.kernel_ns > 0.0 ? time_ns / work.kernel_ns : 0.0;
  }
  /// Time in which kernels run, minus the savings of the findings so far.
  [[nodiscard]] double kernels_left_s(const FindingList& found) const;
};

/// A network on a device, predicted or measured. In a measured step, rows have their expected
/// shares.
struct NetworkFacts {
  const analyze::CaseResult& result;
  double step_s = 0.0;  ///< measured, else expected, else the limit; above 0
  double scale = 1.0;   ///< `step_s` over the sum of the rows
  std::string command;  ///< command line that repeats the case; may be empty
  /// Smallest possible time of the step with any fusion of ops: its arithmetic, and reading each
  /// input once. 0: not known.
  double ideal_s = 0.0;
  /// Smallest possible time on the fastest units that advice names: tensor cores for FP32 on CUDA
  /// cores.
  double floor_s = 0.0;

  /// Limits a saving to the remaining time above the ideal.
  [[nodiscard]] double above_ideal_s(double worth_s) const;
  /// Takes up to `time_s` of the row's time in the step that no finding has taken yet; returns the
  /// taken time.
  double take(const analyze::LayerRow& row, double time_s) const;
  /// Time of a row in the step; 0: not known.
  [[nodiscard]] double row_s(const analyze::LayerRow& row) const;
  /// Time of a row above its limit.
  [[nodiscard]] double above_limit_s(const analyze::LayerRow& row) const;
  [[nodiscard]] std::optional<double> peak(ArithmeticPath path) const;
  [[nodiscard]] std::optional<double> bandwidth() const;
  /// Share of the step that the alternative `other` saves by its prediction; nullopt without a
  /// prediction.
  [[nodiscard]] std::optional<double> gain(const std::optional<Seconds>& other) const;
  /// Advises twice the batch in a finding; no change without a command.
  void advise_twice_the_batch(Finding& finding) const;
  /// The row's name as a module of PyTorch (`layer1.0.conv1`); empty: it is not one.
  [[nodiscard]] std::string module_of(const analyze::LayerRow& row) const;
  /// Whether the data are wider than 16 bits.
  [[nodiscard]] bool has_wide_data() const;
  /// Whether FP32 work runs on the CUDA cores of a device with faster units.
  [[nodiscard]] bool is_on_cuda_cores() const;

  mutable std::map<const analyze::LayerRow*, double> taken_s = {};
};
/// Facts of a case; nullopt: it has no time, or only for a part of its ops.
[[nodiscard]] std::optional<NetworkFacts> network_facts(const analyze::CaseResult& result);
[[nodiscard]] std::optional<NetworkFacts> network_facts(const analyze::MeasuredCase& measured);

/// Kernels with counters.
struct CounterFacts {
  const analyze::ImportedCase& imported;
  Evidence seen;
  double kernels_s = 0.0;  ///< time of all, above 0
  KernelTimes times;
  /// Names of the kernels of findings so far; a kernel's time belongs to one finding only.
  mutable std::set<std::string> taken = {};
};

inline constexpr double seconds_per_ns = 1e-9;

/// Whether the recorded program may use PyTorch. Other programs are usually recorded only by Nsight
/// Systems: there the names of kernels decide (`at::native::...`, `triton_...`).
[[nodiscard]] bool may_be_of_pytorch(const record::Record& record);

/// Advises a change of the request that made a result.
void advise(Finding& finding, std::string command_line, std::vector<RequestChange> changes);
/// The change to twice a batch.
[[nodiscard]] RequestChange twice_the_batch(std::int64_t batch);

/// Shortens a kernel's name to fit in a line.
[[nodiscard]] std::string short_name(const std::string& kernel);

}  // namespace rooflab::findings
