#pragma once

#include <filesystem>
#include <vector>

#include "rooflab/device/calibration.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/task/probe.hpp"

namespace rooflab::task {

struct ProbeRun {
  device::Calibration calibration;
  /// Journals of finished parts, which are not needed once the calibration is saved.
  std::vector<std::filesystem::path> finished;
  bool cut_short = false;  ///< a worker ended early
};

/// Runs the workers of a probe.
[[nodiscard]] ProbeRun run_probe(const ProbeRequest& request, const device::Catalog& catalog,
                                 const Session& session);

void fit_rows(device::Calibration& calibration, double multiprocessors, const Session& session);

}  // namespace rooflab::task
