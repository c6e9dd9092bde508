#pragma once

#include <filesystem>
#include <vector>

#include "rooflab/device/calibration.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/task/probe.hpp"

namespace rooflab::task {

struct ProbeRun {
  device::Calibration calibration;
  /// Journals of parts that are done: of no use once the calibration is saved.
  std::vector<std::filesystem::path> finished;
  bool cut_short = false;  ///< a worker ended before it was done
};

/// What workers measure.
[[nodiscard]] ProbeRun run_probe(const ProbeRequest& request, const device::Catalog& catalog,
                                 const Session& session);

void fit_rows(device::Calibration& calibration, double multiprocessors, const Session& session);

}  // namespace rooflab::task
