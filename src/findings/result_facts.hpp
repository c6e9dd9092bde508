#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "evidence.hpp"
#include "finding_list.hpp"
#include "kernel_times.hpp"
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
  Evidence seen;
  double step_ns = 0.0;  ///< above 0

  [[nodiscard]] double role_ns(trace::StepRole role) const {
    return panes.breakdown.busiest.role_ns[static_cast<std::size_t>(role)];
  }
  [[nodiscard]] double step_share(double time_ns) const { return time_ns / step_ns; }
  [[nodiscard]] double kernel_share(double time_ns) const {
    return work.kernel_ns > 0.0 ? time_ns / work.kernel_ns : 0.0;
  }
  /// Time in which kernels run, less what the findings so far save of it.
  [[nodiscard]] double kernels_left_s(const FindingList& found) const;
};

/// A network on a device, predicted or measured. Of a measured step the rows have the parts that
/// they are expected to have.
struct NetworkFacts {
  const analyze::CaseResult& result;
  double step_s = 0.0;  ///< measured, else expected, else the limit; above 0
  double scale = 1.0;   ///< `step_s` over what the rows sum up to
  std::string command;  ///< gives the case again; may be empty
  /// No step of the network is faster, however its ops are fused: it computes, and it reads once
  /// what it must read. 0: not known.
  double ideal_s = 0.0;
  /// The same on the fastest units that advice names: tensor cores for FP32 on CUDA cores.
  double floor_s = 0.0;

  /// At most what is left of a time above the ideal.
  [[nodiscard]] double above_ideal_s(double worth_s) const;
  /// Takes up to `time_s` of the row's part of the step that no finding has taken yet.
  double take(const analyze::LayerRow& row, double time_s) const;
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
  /// The command of twice the batch; empty without one.
  [[nodiscard]] std::string with_twice_the_batch() const;
  /// The command with a flag, or the line of PyTorch without one.
  [[nodiscard]] std::string with_or(TryLine line, const std::string& flag,
                                    const std::string& value = {}) const;
  /// The row as a module of PyTorch (`layer1.0.conv1`); empty: its name is not one.
  [[nodiscard]] std::string module_of(const analyze::LayerRow& row) const;
  /// Its data are wider than 16 bits.
  [[nodiscard]] bool has_wide_data() const;
  /// FP32 work on the CUDA cores of a device with something faster.
  [[nodiscard]] bool is_on_cuda_cores() const;

  mutable std::map<const analyze::LayerRow*, double> taken_s = {};
};
/// nullopt: the case has no time at all, or one of a part of its ops.
[[nodiscard]] std::optional<NetworkFacts> network_facts(const analyze::CaseResult& result);
[[nodiscard]] std::optional<NetworkFacts> network_facts(const analyze::MeasuredCase& measured);

/// Kernels with counters.
struct CounterFacts {
  const analyze::ImportedCase& imported;
  Evidence seen;
  double kernels_s = 0.0;  ///< time of all, above 0
  KernelTimes times;
  /// Names of the kernels that a finding is about: what they cost is in no other one.
  mutable std::set<std::string> taken = {};
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
/// The same with a batch of `to` in place of `from`: of a layer, the first extent of its input.
[[nodiscard]] std::string command_with_batch(const std::string& line, std::int64_t from,
                                             std::int64_t to);
/// The same with twice the number that the flag has; empty where it has none.
[[nodiscard]] std::string command_with_twice(const std::string& line, const std::string& flag);

}  // namespace rooflab::findings
