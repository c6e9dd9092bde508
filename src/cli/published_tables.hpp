#pragma once

#include <string>

#include "console.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/device/catalog.hpp"

namespace rooflab::cli {

/// What `rooflab probe --from` was asked for.
struct PublishedTables {
  std::string descriptions;  ///< files, by commas
  std::string tables;        ///< folder of the tables; empty: that of each description
  std::string device;        ///< as the catalog finds it
  std::string command;
};

/// The calibration that the tables make of one device. Throws Error (usage, input).
[[nodiscard]] device::Calibration calibration_from(const PublishedTables& request,
                                                   const device::Catalog& catalog,
                                                   const Console& console);

}  // namespace rooflab::cli
