#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/predict/predicted_scaling.hpp"
#include "rooflab/record/scale_run.hpp"

namespace rooflab::analyze {

/// A planned stage with its measured run. Times and bytes are per step.
struct PartitionStage {
  std::int64_t number = 0;
  predict::PlannedStage planned = {};
  std::optional<record::StageResult> run = {};  ///< nullopt: not run, or it failed

  /// Time of the stage's own work, without transfers.
  [[nodiscard]] Seconds time() const {
    return planned.forward + planned.backward + planned.optimizer;
  }
};

/// A device that may run a stage.
struct PartitionDevice {
  std::string device = {};
  Bytes memory = {};
  std::optional<Bytes> least_memory = {};  ///< smallest memory with which a partition would fit
};

/// A network cut over devices, as planned and, where it was run, as measured.
struct PartitionResult {
  std::string model = {};
  std::int64_t batch = 1;
  Phase phase = Phase::inference;
  Precision precision = Precision::fp32;
  std::vector<std::string> devices = {};  ///< one per stage, as the user named them
  std::vector<Bytes> memory = {};  ///< memory of each device, or the limit where one was given
  std::string link = {};           ///< name, bandwidth and latency of the link, for people
  predict::PartitionOutcome outcome = {};
  std::optional<predict::PartitionPlan> own = {};  ///< plan for the cut that was asked for
  std::optional<record::StageRun> run = {};
  std::vector<Note> notes = {};
  std::string command = {};

  /// The plan to run: the cut that was asked for, else the best one; nullptr: no plan.
  [[nodiscard]] const predict::PartitionPlan* plan() const;
  /// Median of whole steps; nullopt: not run, or it failed.
  [[nodiscard]] std::optional<double> measured_step_s() const;
  /// Planned over measured time of a pipelined step.
  [[nodiscard]] std::optional<double> ratio() const;
  /// Measured samples per second, else planned ones; nullopt without a plan.
  [[nodiscard]] std::optional<double> samples_per_s() const;
  [[nodiscard]] std::vector<PartitionStage> stages() const { return stages_of(plan()); }
  /// Stages of one of the plans; empty for nullptr.
  [[nodiscard]] std::vector<PartitionStage> stages_of(const predict::PartitionPlan* plan) const;
  [[nodiscard]] std::vector<PartitionDevice> stage_devices() const;
};

[[nodiscard]] std::span<const Field> fields_of(For<PartitionStage>);
[[nodiscard]] std::span<const Field> fields_of(For<PartitionDevice>);
[[nodiscard]] std::span<const Field> fields_of(For<PartitionResult>);

}  // namespace rooflab::analyze
