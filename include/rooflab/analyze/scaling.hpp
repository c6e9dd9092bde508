#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/note.hpp"
#include "rooflab/predict/scaling.hpp"
#include "rooflab/record/scale_run.hpp"

/// Data-parallel training of networks on several numbers of devices: how much faster more devices
/// are, what the exchange of gradients costs, what each rank did. Measured, predicted, or both
/// beside each other. docs/methods/scaling.md.
namespace rooflab::analyze {

/// What stays the same when devices are added.
enum class ScalingKind : std::uint8_t {
  weak,    ///< a device's batch: more work for more devices
  strong,  ///< the global batch: the same work on more devices
  mixed,   ///< neither: without a speed-up
};
constexpr auto names_in_order(For<ScalingKind>) {
  return names_through<ScalingKind::mixed>("weak", "strong", "mixed");
}

/// What the exchange of gradients costs a step. Shares are fractions; the unknown is absent.
struct ScalingExchange {
  std::optional<double> alone_s;              ///< the same step without any exchange
  std::optional<double> communication_s;      ///< all-reduces of a step, hidden or not
  std::optional<double> communication_share;  ///< share of the step
  std::optional<double> hidden_share;         ///< share of the communication: behind other work
  bool hidden_derived = false;                ///< from times of steps, not from kernels

  /// Share of the step that is communication which nothing hides.
  [[nodiscard]] std::optional<double> exposed_share() const;
};

/// Memory of a step, of one rank or of all; the unknown is absent.
struct ScalingMemory {
  std::optional<Bytes> allocated_peak;  ///< largest sum of tensors alive
  std::optional<Bytes> reserved_peak;   ///< what the framework's allocator took for them
  /// On the device: measured of all processes there; predicted with the driver's context.
  std::optional<Bytes> device_used;

  [[nodiscard]] bool is_known() const { return allocated_peak || reserved_peak || device_used; }
  /// The largest of them that is known: the device's, else what was reserved or allocated.
  [[nodiscard]] std::optional<Bytes> most() const;
};

/// A step on some devices, measured or predicted.
struct ScalingStep {
  std::optional<double> step_s;         ///< measured: the longest of the ranks' medians
  std::optional<double> step_low_s;     ///< predicted: 90 % of cases lie between low and high
  std::optional<double> step_high_s;    ///< nullopt: a model without an interval
  std::optional<double> samples_per_s;  ///< all devices together
  std::optional<double> speedup;        ///< samples/s over those of one device of the series
  std::optional<double> efficiency;     ///< speed-up over the number of devices
  ScalingExchange exchange;             ///< measured: the slowest rank's; empty for one device
  std::optional<double> slowdown;       ///< predicted: of other kernels while an all-reduce runs
  std::optional<double> all_reduce_slowdown;  ///< predicted: by the kernels beside them
  std::vector<std::int64_t> bucket_bytes;     ///< in the order of their exchange
  ScalingMemory rank_memory;                  ///< measured: of each figure the largest rank's
  ScalingMemory all_memory;                   ///< sum over the ranks; absent where one is unknown
  std::optional<predict::MemoryEstimate> memory_parts;  ///< predicted: of one rank
  std::optional<predict::Verdict> verdict;              ///< memory of one rank; nullopt: not known
};

/// One rank of a run.
struct ScalingRank {
  int rank = 0;
  std::string host;
  std::string device;  ///< `cuda:1`
  std::string device_name;
  std::optional<double> step_s;  ///< median; nullopt: it timed none
  /// The rank that the others wait for: its own time is the longest, which is the step without
  /// exchange where all ranks timed it (with exchange all wait for the slowest), else the step.
  bool slowest = false;
  std::optional<double> utilization;    ///< mean of the monitor's samples
  std::optional<double> busy_share;     ///< time with a kernel over time
  std::optional<double> sm_efficiency;  ///< see trace_devices.hpp
  std::optional<double> occupancy;
  std::optional<double> communication_kernel_share;  ///< share of the time in kernels
  ScalingExchange exchange;
  ScalingMemory memory;
  std::string message;  ///< how it ended, where it failed
};

/// One number of devices.
struct ScalingRow {
  int devices = 1;
  std::int64_t batch_per_device = 0;
  std::int64_t global_batch = 0;
  std::optional<record::Status> status;  ///< the run's; nullopt: a prediction alone
  std::string message;                   ///< why the status is not ok
  std::optional<ScalingStep> measured;   ///< nullopt: no run, or no rank timed a step
  std::optional<ScalingStep> predicted;
  std::optional<double> measured_over_predicted;  ///< steps
  /// How much longer the slowest rank's own time is than the mean of all; nullopt: fewer than two.
  std::optional<double> imbalance;
  std::vector<ScalingRank> ranks;
  std::vector<Note> warnings;
  std::string command_line;

  /// The measured step, else the predicted one; an empty one without both.
  [[nodiscard]] ScalingStep step() const;
  /// Beside a measured step.
  [[nodiscard]] std::optional<double> predicted_speedup() const;
  /// Parts of the predicted memory that every rank holds whatever its batch: the model's replica,
  /// its gradients and optimizer state, the buckets, the context. nullopt: nothing is predicted.
  [[nodiscard]] std::optional<Bytes> replicated_memory() const;
};

/// What predicted steps rest on.
struct ScalingBasis {
  PredictionModel model = PredictionModel::calibrated;
  std::string link;               ///< id in the list of links, `measured` or `published`
  double link_bytes_per_s = 0.0;  ///< one direction; fitted to times where there are any
  double link_latency_s = 0.0;    ///< latency of one message
  predict::AllReduce all_reduce = predict::AllReduce::automatic;
  std::optional<double> one_device_step_s{};  ///< what predicted speed-ups are against
};

/// Rows that may be compared: one network, one device, one precision, one kind of scaling.
struct ScalingSeries {
  std::string model;
  std::string variant;
  std::string device;  ///< predictions alone: id of the device; else the name of the first rank's
  Precision precision = Precision::fp32;
  std::string backend;  ///< backend of the first run that has one
  ScalingKind kind = ScalingKind::weak;
  std::optional<std::int64_t> batch;  ///< a device's (weak) or the global one (strong)
  std::optional<ScalingBasis> basis;  ///< nullopt: nothing is predicted
  std::vector<ScalingRow> rows;       ///< runs by number of devices; predictions alone as asked
  std::vector<Note> notes;            ///< about the prediction
  std::string command_line;           ///< for predictions alone: a run has its own

  /// Nothing was run.
  [[nodiscard]] bool is_predicted_alone() const;
};

struct Scaling {
  std::vector<ScalingSeries> series;
  std::vector<Note> notes;
};

/// A step has two tables: its time is a median where it was measured, else an expected time.
[[nodiscard]] std::span<const Field> measured_step_fields();
[[nodiscard]] std::span<const Field> predicted_step_fields();
[[nodiscard]] std::span<const Field> fields_of(For<ScalingExchange>);
[[nodiscard]] std::span<const Field> fields_of(For<ScalingMemory>);
[[nodiscard]] std::span<const Field> fields_of(For<ScalingRank>);
[[nodiscard]] std::span<const Field> fields_of(For<ScalingRow>);
[[nodiscard]] std::span<const Field> fields_of(For<ScalingBasis>);
[[nodiscard]] std::span<const Field> fields_of(For<ScalingSeries>);
[[nodiscard]] std::span<const Field> fields_of(For<Scaling>);

/// The predicted step of a run and what it rests on.
struct RunPrediction {
  predict::DataParallelStep step;
  ScalingBasis basis;
};

/// Puts runs side by side. Which kind of scaling they are follows from their batches: equal ones a
/// device are weak, equal global ones strong; a run may be in both (one device in most cases is).
/// Runs that share neither with any other are shown as `mixed`, without a speed-up.
/// `predictions`: none, or one (or nullopt) for each run, in the order of `runs`.
[[nodiscard]] Scaling scaling_of(std::span<const record::ScaleRun> runs,
                                 std::vector<std::optional<RunPrediction>> predictions = {});

/// Rows of predictions alone. `one` is the step of one device that speed-ups are against.
[[nodiscard]] std::vector<ScalingRow> predicted_rows(
    const predict::DataParallelStep& one, std::span<const predict::DataParallelStep> steps);

[[nodiscard]] ScalingBasis scaling_basis(PredictionModel model, const predict::LinkModel& link,
                                         predict::AllReduce all_reduce);

/// Lowers the run's own network as `rooflab predict` does and predicts it on as many devices.
/// nullopt: the run holds no network, or nothing can be predicted of it there. Throws Error (input)
/// when the network cannot be read.
[[nodiscard]] std::optional<RunPrediction> prediction_of(
    const record::ScaleRun& run, const CalibratedModel& model, const predict::LinkModel& link,
    predict::AllReduce all_reduce = predict::AllReduce::automatic);

}  // namespace rooflab::analyze
