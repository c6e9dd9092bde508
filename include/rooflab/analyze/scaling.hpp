#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/predict/predicted_scaling.hpp"
#include "rooflab/record/scale_run.hpp"

/// Data-parallel training of networks on several numbers of devices: how much faster more devices
/// are, what the exchange of gradients costs, what each rank did. Steps are measured, predicted, or
/// both. docs/methods/scaling.md.
namespace rooflab::analyze {

/// Batch that is kept when devices are added.
enum class ScalingKind : std::uint8_t {
  weak,    ///< the batch per device: more work for more devices
  strong,  ///< the global batch: the same work on more devices
  mixed,   ///< neither of them: no speed-up is given
};
constexpr auto names_in_order(For<ScalingKind>) {
  return names_through<ScalingKind::mixed>("weak", "strong", "mixed");
}

/// Cost of exchanging gradients in a step. Shares are fractions; nullopt: not known.
struct ScalingExchange {
  std::optional<double> alone_s = {};              ///< the step without any exchange
  std::optional<double> communication_s = {};      ///< all-reduces of a step, hidden or not
  std::optional<double> communication_share = {};  ///< share of the step
  std::optional<double> hidden_share = {};         ///< overlapped share of the communication
  bool hidden_derived = false;                     ///< `hidden_share` is from times of steps

  /// Share of the step that is communication without overlap.
  [[nodiscard]] std::optional<double> exposed_share() const;
};

/// Memory of a step, of one rank or of all; nullopt: not known.
struct ScalingMemory {
  std::optional<Bytes> allocated_peak = {};  ///< largest sum of tensors alive
  std::optional<Bytes> reserved_peak = {};   ///< memory that the framework's allocator reserved
  /// Memory in use on the device: measured over all its processes, predicted with the driver's
  /// context.
  std::optional<Bytes> device_used = {};

  [[nodiscard]] bool is_known() const { return allocated_peak || reserved_peak || device_used; }
  /// The largest known figure: of the device, else reserved, else allocated memory.
  [[nodiscard]] std::optional<Bytes> most() const;
};

/// A step on a number of devices, measured or predicted.
struct ScalingStep {
  std::optional<double> step_s = {};         ///< measured: the longest of the ranks' medians
  std::optional<double> step_low_s = {};     ///< predicted: 90 % of cases lie between low and high
  std::optional<double> step_high_s = {};    ///< nullopt: a model without an interval
  std::optional<double> samples_per_s = {};  ///< all devices together
  std::optional<double> speedup = {};        ///< samples/s over those of one device of the series
  std::optional<double> efficiency = {};     ///< speed-up over the number of devices
  ScalingExchange exchange = {};        ///< measured: of the slowest rank; empty for one device
  std::optional<double> slowdown = {};  ///< predicted: of kernels during an all-reduce
  std::optional<double> all_reduce_slowdown = {};  ///< predicted: by concurrent kernels
  std::vector<std::int64_t> bucket_bytes = {};     ///< in the order of their exchange
  ScalingMemory rank_memory = {};                  ///< measured: largest rank, by figure
  ScalingMemory all_memory = {};  ///< sum over the ranks; nullopt: one is not known
  std::optional<predict::MemoryEstimate> memory_parts = {};  ///< predicted: of one rank
  std::optional<predict::Verdict> verdict = {};  ///< memory of one rank; nullopt: not known
};

/// One rank of a run.
struct ScalingRank {
  int rank = 0;
  std::string host = {};
  std::string device = {};  ///< `cuda:1`
  std::string device_name = {};
  std::optional<double> step_s = {};  ///< median; nullopt: the rank timed no step
  /// Whether the other ranks wait for this one: its time is the longest. Compared are steps without
  /// exchange where all ranks timed them (with exchange all wait for the slowest), else steps.
  bool slowest = false;
  std::optional<double> utilization = {};    ///< mean of the monitor's samples
  std::optional<double> busy_share = {};     ///< share of the time in which a kernel runs
  std::optional<double> sm_efficiency = {};  ///< see trace::DeviceUse
  std::optional<double> occupancy = {};
  std::optional<double> communication_kernel_share = {};  ///< share of the time in kernels
  ScalingExchange exchange = {};
  ScalingMemory memory = {};
  std::string message = {};  ///< how the rank failed; empty: it did not
};

/// Results for one number of devices.
struct ScalingRow {
  int devices = 1;
  std::int64_t batch_per_device = 0;
  std::int64_t global_batch = 0;
  std::optional<record::Status> status = {};  ///< status of the run; nullopt: only predicted
  std::string message = {};                   ///< why the status is not ok
  std::optional<ScalingStep> measured = {};   ///< nullopt: no run, or no rank timed a step
  std::optional<ScalingStep> predicted = {};
  std::optional<double> measured_over_predicted = {};  ///< ratio of the steps' times
  /// Excess of the slowest rank's own time over the mean of all ranks, as a fraction; nullopt:
  /// fewer than two ranks.
  std::optional<double> imbalance = {};
  std::vector<ScalingRank> ranks = {};
  std::vector<Note> warnings = {};
  std::string command_line = {};

  /// The measured step, else the predicted one, else an empty one.
  [[nodiscard]] ScalingStep step() const;
  /// Predicted speed-up in a row that also has a measured step.
  [[nodiscard]] std::optional<double> predicted_speedup() const;
  /// Predicted memory that every rank holds for any batch: the model's replica, its gradients and
  /// optimizer state, the buckets, the context. nullopt: nothing is predicted.
  [[nodiscard]] std::optional<Bytes> replicated_memory() const;
};

/// Link and reference step of predictions.
struct ScalingBasis {
  PredictionModel model = PredictionModel::calibrated;
  std::string link = {};          ///< id in the list of links, `measured` or `published`
  double link_bytes_per_s = 0.0;  ///< in one direction; fitted to measured times where available
  double link_latency_s = 0.0;    ///< latency of one message
  predict::AllReduce all_reduce = predict::AllReduce::automatic;
  std::optional<double> one_device_step_s{};  ///< reference of predicted speed-ups
};

/// Rows that may be compared: one network, one device, one precision, one kind of scaling.
struct ScalingSeries {
  std::string model = {};
  std::string variant = {};
  std::string device = {};  ///< id for predictions alone; else the name of the first rank's device
  Precision precision = Precision::fp32;
  std::string backend = {};  ///< backend of the first run that has one
  ScalingKind kind = ScalingKind::weak;
  std::optional<std::int64_t> batch = {};  ///< per device (weak) or global (strong)
  std::optional<ScalingBasis> basis = {};  ///< nullopt: nothing is predicted
  std::vector<ScalingRow> rows = {};  ///< runs by number of devices; predictions alone as asked
  std::vector<Note> notes = {};       ///< about the prediction
  std::string command_line = {};      ///< for predictions alone; a run has its own

  /// Whether nothing was run.
  [[nodiscard]] bool is_predicted_alone() const;
};

struct Scaling {
  std::vector<ScalingSeries> series = {};
  std::vector<Note> notes = {};
};

/// Fields of a measured step, whose time is a median; a predicted step has other fields.
[[nodiscard]] std::span<const Field> measured_step_fields();
[[nodiscard]] std::span<const Field> predicted_step_fields();
[[nodiscard]] std::span<const Field> fields_of(For<ScalingExchange>);
[[nodiscard]] std::span<const Field> fields_of(For<ScalingMemory>);
[[nodiscard]] std::span<const Field> fields_of(For<ScalingRank>);
[[nodiscard]] std::span<const Field> fields_of(For<ScalingRow>);
[[nodiscard]] std::span<const Field> fields_of(For<ScalingBasis>);
[[nodiscard]] std::span<const Field> fields_of(For<ScalingSeries>);
[[nodiscard]] std::span<const Field> fields_of(For<Scaling>);

/// The predicted step of a run and its basis.
struct RunPrediction {
  predict::DataParallelStep step = {};
  ScalingBasis basis = {};
};

/// Groups runs into series. Equal batches per device make a weak series, equal global batches a
/// strong one; a run may be in both, as one device usually is. Runs that share neither with another
/// run are `mixed`, without a speed-up. `predictions`: none, or one (or nullopt) for each run, in
/// the order of `runs`.
[[nodiscard]] Scaling scaling_of(std::span<const record::ScaleRun> runs,
                                 std::vector<std::optional<RunPrediction>> predictions = {});

/// Rows of predictions without runs. `one`: step of one device, the reference of speed-ups.
[[nodiscard]] std::vector<ScalingRow> predicted_rows(
    const predict::DataParallelStep& one, std::span<const predict::DataParallelStep> steps);

[[nodiscard]] ScalingBasis scaling_basis(PredictionModel model, const predict::LinkModel& link,
                                         predict::AllReduce all_reduce);

/// Lowers the run's network as `rooflab predict` does and predicts it on the run's number of
/// devices. nullopt: the run has no network, or it cannot be predicted on its device. Throws Error
/// (input) when the network cannot be read.
[[nodiscard]] std::optional<RunPrediction> prediction_of(
    const record::ScaleRun& run, const CalibratedModel& model, const predict::LinkModel& link,
    predict::AllReduce all_reduce = predict::AllReduce::automatic);

}  // namespace rooflab::analyze
