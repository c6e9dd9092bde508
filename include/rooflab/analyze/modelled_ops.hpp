#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "rooflab/analyze/roof_place.hpp"
#include "rooflab/analyze/roofline_points.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/record/modelled_step.hpp"
#include "rooflab/trace/trace_analysis.hpp"

namespace rooflab::analyze {

/// All calls of one op in one pass of a step. FLOPs and bytes are modelled from the shapes of its
/// tensors, the time is that of its kernels. Nothing modelled is ever added to what was counted.
struct ModelledOpRow {
  std::string op = {};
  std::string pass = {};  ///< empty: not known
  /// Classes of the modules that called it, by falling time; may be empty
  std::string modules = {};
  double calls = 0.0;  ///< in a mean step
  double launches = 0.0;
  std::optional<double> time_s = {};
  std::optional<double> time_share = {};  ///< share of all kernels' time
  std::optional<double> flops = {};       ///< nullopt: a call has no rule
  std::optional<double> bytes = {};       ///< compulsory; nullopt: a call has no rule
  /// FLOPs that counters measured for these kernels; nullopt: not counted in full.
  std::optional<double> counted_flops = {};
  std::optional<double> counted_bytes = {};
  std::optional<ArithmeticPath> path = {};
  std::optional<RoofPlace> roof_place = {};

  [[nodiscard]] std::optional<double> flops_per_s() const { return quotient(flops, time_s); }
  [[nodiscard]] std::optional<double> bytes_per_s() const { return quotient(bytes, time_s); }
  [[nodiscard]] std::optional<double> intensity() const { return quotient(flops, bytes); }
};

/// The ops of a step (or of a part of the run where no step is known), and the share of kernel time
/// that they explain.
struct ModelledOps {
  std::vector<ModelledOpRow> ops = {};        ///< longest first
  double launches = 0.0;                      ///< all kernels
  std::optional<double> time_s = {};          ///< time of all kernels
  std::optional<double> op_share = {};        ///< share of it in kernels of a known op
  std::optional<double> modelled_share = {};  ///< share of it in ops with modelled FLOPs and bytes
  ModelledOpRow modelled = {};                ///< sum of the ops with modelled FLOPs and bytes
  std::set<ArithmeticPath> paths = {};        ///< paths whose roofs limit the ops
  bool part_of_run = false;

  /// Counted over modelled FLOPs of the ops that have both.
  std::optional<double> flop_ratio = {};
  std::optional<double> bytes_ratio = {};
};

/// Modelled ops of a profile.
[[nodiscard]] ModelledOps modelled_ops_of(const record::ModelledStep& step,
                                          const std::optional<device::Device>& device);
/// Modelled ops of the mean step of a trace with shapes; nullopt where no op has modelled work.
[[nodiscard]] std::optional<ModelledOps> modelled_ops_of(
    const trace::TraceAnalysis& trace, const std::optional<device::Device>& device);

/// The ops as points of a roofline: at modelled FLOPs and bytes over measured time. `name`: the
/// program that ran.
[[nodiscard]] RooflineSeries modelled_series(const ModelledOps& ops, const std::string& name);

[[nodiscard]] std::span<const Field> fields_of(For<ModelledOpRow>);
[[nodiscard]] std::span<const Field> fields_of(For<ModelledOps>);

}  // namespace rooflab::analyze
