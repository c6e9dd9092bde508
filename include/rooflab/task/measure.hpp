#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/engine/case.hpp"
#include "rooflab/findings/finding.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/layer_choice.hpp"
#include "rooflab/task/network.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// Request to run networks or single layers on this machine: time, memory and energy compared with
/// limit and prediction.
struct MeasureRequest {
  static constexpr std::string_view command = "measure";

  std::vector<std::string> models = {};
  std::vector<std::string> device = {};  ///< devices to run on
  NetworkSettings network = {};
  LayerChoice layers = {};
  std::string data = "dummy";
  int data_workers = engine::MeasureSettings().data_workers;
  engine::WeightSource weights = engine::WeightSource::random;
  TimingChoice timing = {};
  std::optional<double> timeout = {};
  double host_time = 1.0;  ///< seconds after a GPU's steps for the host's issue costs; 0: none
  bool per_layer = false;  ///< show the layers' times of every case
  bool no_layers = false;
  bool counters = false;
  std::string as_device = {};  ///< device of the catalog whose limit is used
  DeviceFiles device_files = {};
  CalibrationFiles calibrations = {};
  std::optional<std::string> worker = {};  ///< name or path of a worker of others; else ours
  bool resume = false;
  std::filesystem::path folder = {};  ///< folder for the records; empty: they are not kept
};
const Parameters& parameters_of(For<MeasureRequest>);

struct MeasureResult {
  std::vector<analyze::MeasuredCase> cases = {};
  std::vector<findings::Finding> findings = {};  ///< what costs the time
  bool interrupted = false;  ///< cases are missing, or the last one is incomplete
  /// Error that ended the work early, for example a full disk; the result has the work done before.
  std::optional<Error> failure = {};

  [[nodiscard]] bool all_ok() const;
  /// Whether some case has a warning, or an op that was not counted.
  [[nodiscard]] bool doubtful() const;
};

/// Runs each case in a separate worker, and writes its record as soon as it ends. Throws Error
/// (usage, input, capability, system) for errors before the first case ends.
[[nodiscard]] MeasureResult run(const MeasureRequest& request, Session& session);

}  // namespace rooflab::task
