#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/analyze/scaling.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/network.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// What stays the same when devices are added: each one's batch, the batch of all, or first one and
/// then the other.
enum class ScaledBatch : std::uint8_t { weak, strong, both };
constexpr auto names_in_order(For<ScaledBatch>) {
  return names_through<ScaledBatch::both>("weak", "strong", "both");
}

/// Data-parallel training of networks on several devices of this host, or under a launcher.
struct ScaleRequest {
  static constexpr std::string_view command = "scale";

  std::vector<std::string> models;
  std::vector<std::string> device;  ///< one for each rank
  std::vector<int> gpus;            ///< numbers of them; empty: 1, 2, 4, ... and all
  ScaledBatch scaling = ScaledBatch::weak;
  NetworkSettings network = {.batch = {64}, .phase = {Phase::training}};
  double timeout = 60.0;  ///< limit for a rank that does not answer
  TimingChoice timing = {.iterations = 50};
  bool steps_only = false;
  LinkChoice link;        ///< link of the prediction
  std::string as_device;  ///< predict for this one of the catalog
  CalibrationFiles calibrations;
  DeviceFiles device_files;
  bool resume = false;
  std::filesystem::path folder;  ///< for the runs; empty: they are kept nowhere
};
const Parameters& parameters_of(For<ScaleRequest>);

struct ScaleResult {
  analyze::Scaling scaling;
  std::vector<record::ScaleRun> runs;  ///< on another rank than the first: those that failed there
  bool reports = true;                 ///< false on another rank than the first
  bool interrupted = false;            ///< runs are missing, or the last is not whole
  /// What ended the work before its end, a full disk for example: what was done until then is here.
  std::optional<Error> failure = {};

  [[nodiscard]] bool all_ok() const;
  [[nodiscard]] bool doubtful() const;  ///< some run has a warning
};

/// Each rank is a worker of its own, and a run is on disk as soon as it ends. Under torchrun, srun
/// or mpirun this process runs the one rank of its place. Throws Error (usage, input, capability,
/// system) for anything that is wrong before the first run ends.
[[nodiscard]] ScaleResult run(const ScaleRequest& request, Session& session);

}  // namespace rooflab::task
