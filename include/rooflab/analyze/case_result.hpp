#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rooflab/analyze/layer_table.hpp"
#include "rooflab/analyze/network_count.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/predict/memory_model.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::analyze {

/// One network on one device: limit, memory, verdict and layers.
struct CaseResult {
  std::string model;
  std::int64_t batch = 1;
  Phase phase = Phase::inference;
  Precision precision = Precision::fp32;
  device::Device device;
  NetworkCount count;
  predict::NetworkLimit limit;  ///< its `ops` are folded into `layers`
  predict::MemoryEstimate memory;
  std::optional<predict::Fit> fit;  ///< nullopt: the device's memory is not known
  std::vector<LayerRow> layers;
  std::vector<std::string> notes;  ///< what a reader must know: fallbacks, missing figures
  std::string command;             ///< the command line for this one case
};

[[nodiscard]] CaseResult analyze_case(const schedule::Schedule& schedule,
                                      const predict::MemoryEstimate& memory,
                                      const device::Device& device,
                                      predict::PercentOfPeak percent);

}  // namespace rooflab::analyze
