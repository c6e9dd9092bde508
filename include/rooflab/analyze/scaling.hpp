#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/predict/scaling.hpp"
#include "rooflab/record/scale_run.hpp"

/// Data-parallel runs of one network side by side: how much faster more devices are, what each rank
/// did, what the exchange of gradients costs. docs/methods/scaling.md.
namespace rooflab::analyze {

/// What stays the same when devices are added.
enum class Scaling : std::uint8_t {
  weak,    ///< a device's batch: more work for more devices
  strong,  ///< the global batch: the same work on more devices
  mixed,   ///< neither: no speed-up can be told
};
constexpr auto names_in_order(For<Scaling>) {
  return names_through<Scaling::mixed>("weak", "strong", "mixed");
}

/// One rank of a run. Shares are fractions; what was not observed is absent.
struct ScalingRank {
  int rank = 0;
  std::string host;
  std::string device;  ///< `cuda:1`
  std::string device_name;
  std::optional<double> step_s;         ///< median; nullopt: it timed none
  bool slowest = false;                 ///< its step is the run's
  std::optional<double> utilization;    ///< mean of the monitor's samples
  std::optional<double> busy;           ///< time with a kernel over time
  std::optional<double> sm_efficiency;  ///< as in trace_devices.hpp
  std::optional<double> occupancy;
  std::optional<double> exchange_s;  ///< all-reduces of a step: their kernels, or by themselves
  std::optional<double> communication_of_kernels;  ///< of the time in kernels
  std::optional<double> communication_of_step;     ///< hidden or not
  std::optional<double> hidden;                    ///< of the communication: behind other kernels
  bool hidden_derived = false;                     ///< from times of steps, not from kernels
  std::optional<double> exposed_s;                 ///< step with the exchange minus step without
  std::string message;                             ///< how it ended, where it failed
};

/// One run beside one device of the same study, and beside its prediction.
struct ScalingRow {
  record::ScaleRun run;
  int gpus = 1;
  std::int64_t batch_per_gpu = 0;
  std::int64_t global_batch = 0;
  std::optional<double> step_s;        ///< median of the slowest rank
  std::optional<double> images_per_s;  ///< of all ranks
  std::optional<double> speedup;       ///< against one device; nullopt: none was run, or mixed
  std::optional<double> efficiency;    ///< speed-up over the number of devices
  std::optional<double> communication_of_step;  ///< of the slowest rank
  std::optional<double> hidden;                 ///< likewise
  bool hidden_derived = false;
  /// Slowest over mean of the ranks' own time, minus 1: the step without exchange where it was
  /// timed (with it all wait for the slowest), else the step. nullopt: fewer than two ranks.
  std::optional<double> imbalance;
  std::optional<predict::ScaledStep> predicted;
  std::optional<double> predicted_ratio;    ///< measured step over predicted
  std::optional<double> predicted_speedup;  ///< where one device was predicted too
  std::vector<ScalingRank> ranks;
};

/// Rows that may be compared: one network, one precision, one kind of scaling; by devices.
struct ScalingSeries {
  std::string model;
  std::string variant;
  std::string precision;
  std::string backend;  ///< of the first row that has one
  Scaling scaling = Scaling::weak;
  std::int64_t batch = 0;  ///< what is kept: a device's (weak) or the global one (strong); 0: mixed
  std::vector<ScalingRow> rows;
  std::vector<std::string> findings;  ///< a sentence each, from the figures
};

struct ScalingStudy {
  std::vector<ScalingSeries> series;
};

/// Puts runs side by side. Which kind of scaling they are follows from their batches: equal ones a
/// device are weak, equal global ones strong; a run may be in both (one device in most cases is).
/// Runs that share neither with any other are shown as `mixed`, without a speed-up.
/// `predictions`: none, or one (or nullopt) for each run, in the order of `runs`.
[[nodiscard]] ScalingStudy scaling_study(
    std::vector<record::ScaleRun> runs,
    std::vector<std::optional<predict::ScaledStep>> predictions = {});

/// Lowers the run's own network as `rooflab predict` does and predicts it on as many devices.
/// nullopt: the run holds no network, or nothing can be predicted of it there. Throws Error (input)
/// when the network cannot be read.
[[nodiscard]] std::optional<predict::ScaledStep> predicted_step_of(
    const record::ScaleRun& run, const CalibratedModel& model, const predict::LinkModel& link,
    predict::AllReduce algorithm = predict::AllReduce::automatic);

}  // namespace rooflab::analyze
