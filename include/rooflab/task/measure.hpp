#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/engine/case.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/layer_choice.hpp"
#include "rooflab/task/network.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// Runs networks, or single layers, here: time, memory and energy beside limit and prediction.
struct MeasureRequest {
  static constexpr std::string_view command = "measure";

  std::vector<std::string> models;
  std::vector<std::string> device;  ///< to run on
  NetworkSettings network;
  LayerChoice layers;
  std::string data = "dummy";
  int data_workers = engine::MeasureSettings().data_workers;
  engine::WeightSource weights = engine::WeightSource::random;
  TimingChoice timing;
  std::optional<double> timeout;
  double host_time = 1.0;  ///< seconds behind a GPU's steps for the host's issue costs; 0: none
  bool per_layer = false;  ///< shows the layers' times of every case
  bool no_layers = false;
  bool counters = false;
  std::string as_device;  ///< take the limit of this one of the catalog
  DeviceFiles device_files;
  CalibrationFiles calibrations;
  bool resume = false;
  std::filesystem::path folder;  ///< for the records; empty: they are kept nowhere
};
const Parameters& parameters_of(For<MeasureRequest>);

struct MeasureResult {
  std::vector<analyze::MeasuredCase> cases;
  bool interrupted = false;  ///< cases are missing, or the last is not whole
  /// What ended the work before its end, a full disk for example: what was done until then is here.
  std::optional<Error> failure = {};

  [[nodiscard]] bool all_ok() const;
  /// Some case has a warning, or an op that was not counted.
  [[nodiscard]] bool doubtful() const;
};

/// Each case runs in a worker of its own, and its record is on disk as soon as it ends. Throws
/// Error (usage, input, capability, system) for anything that is wrong before the first one ends.
[[nodiscard]] MeasureResult run(const MeasureRequest& request, Session& session);

}  // namespace rooflab::task
