#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rooflab/base/precision.hpp"
#include "rooflab/predict/partition_plan.hpp"
#include "rooflab/record/stage_run.hpp"

namespace rooflab::analyze {

/// A network cut over devices, as planned and, where it was run, as measured.
struct PartitionResult {
  std::string model;
  std::int64_t batch = 1;
  Phase phase = Phase::inference;
  Precision precision = Precision::fp32;
  std::vector<std::string> devices;  ///< one a stage, as the user named them
  std::vector<Bytes> memory;         ///< of each, the limit where one was given
  std::string link;                  ///< its name, bandwidth and latency, for people
  predict::PartitionOutcome outcome;
  std::optional<record::StageRun> run;
  std::vector<std::string> notes;
  std::string command;

  /// Median of whole steps; nullopt: not run, or it did not end well.
  [[nodiscard]] std::optional<double> measured_step_s() const;
  /// Of what the plan says of a step run as the measured one was: pipelined.
  [[nodiscard]] std::optional<double> ratio() const;
};

}  // namespace rooflab::analyze
