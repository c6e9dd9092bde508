#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "console.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/device/catalog.hpp"

namespace rooflab::cli {

struct ProbeRunOptions {
  std::string device;  ///< `cpu`, `cuda:0`
  bool quick = false;
  double ops_s = 0.0;              ///< for single ops; 0: what a quick or a full probe takes
  std::vector<std::string> parts;  ///< of probe_parts
  bool links = false;              ///< asked for by name: not to measure them is worth a note
  std::string python;              ///< program whose torch is asked for issue costs; empty: none
  /// Unfinished measurements are kept in files beside this one; empty: nowhere.
  std::filesystem::path file;
  std::string command;
  device::Calibration base;  ///< to be added to; empty for a new one
};

struct ProbeRunResult {
  device::Calibration calibration;
  /// Journals of parts that are done: of no use once the calibration is saved.
  std::vector<std::filesystem::path> finished;
};

/// What can be asked for with --only, in the order in which it is measured.
inline constexpr std::string_view probe_parts[] = {
    "bandwidth", "l2", "peaks", "transfers", "launch", "vector_addition", "links", "ops", "host"};

/// Runs the workers, one after another, and fits what they measured. Parts that this machine cannot
/// measure are named in the calibration's notes. Throws Error (capability) when no worker is there.
[[nodiscard]] ProbeRunResult run_probe(const ProbeRunOptions& options,
                                       const device::Catalog& catalog, const Console& console);

}  // namespace rooflab::cli
