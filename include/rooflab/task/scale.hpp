#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/analyze/scaling.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/findings/finding.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/network.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// Batch that is kept when devices are added: per device (weak), of all devices (strong), or both
/// in turn.
enum class ScaledBatch : std::uint8_t { weak, strong, both };
constexpr auto names_in_order(For<ScaledBatch>) {
  return names_through<ScaledBatch::both>("weak", "strong", "both");
}

/// Request for data-parallel training of networks on several devices of this host, or under a
/// launcher.
struct ScaleRequest {
  static constexpr std::string_view command = "scale";

  std::vector<std::string> models = {};
  std::vector<std::string> device = {};  ///< one per rank
  std::vector<int> gpus = {};            ///< numbers of devices; empty: 1, 2, 4, ... and all
  ScaledBatch scaling = ScaledBatch::weak;
  NetworkSettings network = {.batch = {64}, .phase = {Phase::training}};
  double timeout = 60.0;  ///< seconds until a silent rank is given up
  TimingChoice timing = {.iterations = 50};
  bool steps_only = false;
  LinkChoice link = {};        ///< link of the prediction
  std::string as_device = {};  ///< device of the catalog for the prediction
  CalibrationFiles calibrations = {};
  DeviceFiles device_files = {};
  bool resume = false;
  std::filesystem::path folder = {};  ///< folder for the runs; empty: they are not kept
};
const Parameters& parameters_of(For<ScaleRequest>);

struct ScaleResult {
  analyze::Scaling scaling = {};
  std::vector<findings::Finding> findings = {};  ///< what costs the time
  std::vector<record::ScaleRun> runs = {};       ///< on ranks other than the first only failed runs
  bool reports = true;                           ///< false on ranks other than the first
  bool interrupted = false;  ///< runs are missing, or the last one is incomplete
  /// Error that ended the work early, for example a full disk; the result has the work done before.
  std::optional<Error> failure = {};

  [[nodiscard]] bool all_ok() const;
  [[nodiscard]] bool doubtful() const;  ///< some run has a warning
};

/// Runs each rank in a separate worker, and writes each run as soon as it ends. Under torchrun,
/// srun or mpirun this process runs only its own rank. Throws Error (usage, input, capability,
/// system) for errors before the first run ends.
[[nodiscard]] ScaleResult run(const ScaleRequest& request, Session& session);

}  // namespace rooflab::task
