#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/analyze/modelled_ops.hpp"
#include "rooflab/analyze/recorded_case.hpp"
#include "rooflab/analyze/roof_place.hpp"
#include "rooflab/analyze/roofline_points.hpp"
#include "rooflab/analyze/trace_check.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/record/counted_groups.hpp"
#include "rooflab/record/kernel_sums.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/schedule/schedule.hpp"
#include "rooflab/trace/trace_analysis.hpp"

namespace rooflab::analyze {

/// All launches of one kernel name.
struct KernelGroup {
  std::string name = {};
  record::KernelSums sums = {};       ///< sums over launches counted in full
  std::optional<double> time_s = {};  ///< sum over the launches that have a time; nullopt: none has
  /// Share of all kernels' time; nullopt: a launch has no time
  std::optional<double> time_share = {};
  std::optional<RoofPlace> roof_place = {};

  [[nodiscard]] std::optional<double> mean_s() const {  ///< mean of the launches that have a time
    return quotient(time_s, static_cast<double>(sums.count(record::KernelFigure::time_s)));
  }
};
[[nodiscard]] std::span<const Field> fields_of(For<KernelGroup>);

/// Groups by falling time, those without a time last. `tensor_cores`: see
/// record::may_have_tensor_cores().
[[nodiscard]] std::vector<KernelGroup> kernel_groups(const record::KernelTable& kernels,
                                                     bool tensor_cores);

/// The kernels as points of a roofline at the collected figures: one point per kernel name, per
/// class of work that names tell, or one for all, called `name`.
[[nodiscard]] RooflineSeries kernel_series(std::span<const KernelGroup> groups,
                                           const record::KernelSums& totals,
                                           const std::string& name, PointPer per = PointPer::layer);

/// Adds points of kernels below the roofs of the device that ran them, with the roofs of their
/// paths.
void add_kernels(Roofline& roofline, RooflineSeries kernels);

/// FLOPs that counters recorded compared with those of the network that ran: the work that a log
/// missed.
///
/// The model counts direct algorithms. A library that pads channels or multiplies more (split
/// precision) exceeds it; Winograd and FFT convolutions stay below it. So a difference of a few
/// percent either way means nothing, and a missing tensor-core counter shows as most of the work.
struct WorkCheck {
  std::string network = {};         ///< `resnet18, batch 1, training`
  double model_matrix_flops = 0.0;  ///< FLOPs of the phase
  double model_vector_flops = 0.0;
  double cuda_core_flops = 0.0;             ///< collected
  std::optional<double> tensor_flops = {};  ///< collected; nullopt: not collected
  double model_flops = 0.0;
  double collected_flops = 0.0;
  double missing_share = 0.0;  ///< 1 - collected / model; negative: more was done than counted

  /// Largest missing share that passes the check.
  static constexpr double tolerance = 0.1;
  [[nodiscard]] bool passes() const { return missing_share <= tolerance; }
};
[[nodiscard]] std::span<const Field> fields_of(For<WorkCheck>);

/// `model`: FLOPs of the network in the phase that ran (no device needed). Throws Error (input) for
/// a network without FLOPs.
[[nodiscard]] WorkCheck check_work(const record::KernelSums& totals,
                                   const predict::NetworkLimit& model);

/// Peak rate of a chip.
struct ChipPeak {
  std::string what = {};  ///< `fp32`, `tensor tf32`
  double flops_per_s = 0.0;
};

/// Totals of samples of the hardware.
struct SampledWindow {
  record::SampleTotals totals = {};
  /// Bytes per second over the datasheet's bandwidth; nullopt: one of them is not known.
  std::optional<double> bandwidth_share = {};
};
[[nodiscard]] std::span<const Field> fields_of(For<SampledWindow>);

/// A recording of another tool with the figures derived from it.
struct ImportedCase {
  std::string source = {};  ///< the file, as the user named it, and which of several in it
  std::string file = {};    ///< the file alone
  std::string title = {};   ///< its name without folders
  record::Record record = {};
  record::KernelSums totals = {};
  std::vector<KernelGroup> kernels = {};          ///< one per kernel name, by falling time
  std::optional<record::KernelSums> step = {};    ///< one whole step with concurrent kernels
  std::optional<double> step_s = {};              ///< median of the steps without counters
  std::vector<ChipPeak> peaks = {};               ///< at the clock that the step was counted at
  std::optional<SampledWindow> sampled = {};      ///< samples of a device over time
  std::optional<record::GroupSums> grouped = {};  ///< all launches, of which some were counted
  std::optional<trace::TraceAnalysis> trace = {};
  /// Messages of a step; empty: `trace` has them
  std::vector<trace::CollectiveRow> collectives = {};
  std::optional<ModelledOps> modelled = {};   ///< nullopt: ops are not known
  std::optional<device::Device> device = {};  ///< nullopt: none fits, see `device_note`
  std::optional<Note> device_note = {};
  RecordedCase shown = {};              ///< what the recording shows of the case that ran
  std::optional<WorkCheck> check = {};  ///< set where the user named the network that ran
  /// Check of a trace; set where the user named the network
  std::optional<TraceCheck> time_check = {};

  /// Place of shown_totals() below the device's roofs.
  [[nodiscard]] std::optional<RoofPlace> roof_place() const;

  /// Totals of the kernels; where these have only times, because steps were counted as a whole at
  /// less cost, the figures of the step.
  [[nodiscard]] record::KernelSums shown_totals() const;

  /// Whether FLOPs of kernels were counted, however incomplete.
  [[nodiscard]] bool has_flops() const;
};
[[nodiscard]] std::span<const Field> fields_of(For<ImportedCase>);

/// Derives a case from a record. `roofs`: device whose roofs are shown; nullopt: the catalog's
/// entry for the device that ran the kernels.
[[nodiscard]] ImportedCase imported_case_of(record::Record record, std::string source,
                                            const device::Catalog& catalog,
                                            const std::optional<device::Device>& roofs = {});

/// The network that ran in an imported case, as the user says, and the device.
struct CheckedNetwork {
  std::string title = {};  ///< `resnet18, batch 1, training`
  schedule::Schedule schedule = {};
  std::optional<device::Device> device = {};
  bool assumes = false;  ///< some of it is assumed: neither the user nor the recording says so
};

/// Holds a case against the network: its FLOPs (`check`) where it has some, else the times of its
/// trace (`time_check`): then there are a trace and a device.
void check_network(ImportedCase& imported, const CheckedNetwork& network);

}  // namespace rooflab::analyze
