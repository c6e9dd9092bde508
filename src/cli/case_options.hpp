#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "device_options.hpp"
#include "model_options.hpp"
#include "rooflab/analyze/case_result.hpp"

namespace rooflab::cli {

/// Networks times batch sizes times devices: what predict and roofline work on.
class CaseOptions {
 public:
  void add_to(CLI::App& command);

  /// Every combination, by model, then batch, then device.
  [[nodiscard]] std::vector<analyze::CaseResult> run() const;

  [[nodiscard]] bool strict() const { return network_.strict(); }

 private:
  std::vector<std::string> models_;
  ModelOptions network_;
  DeviceOptions devices_;
};

}  // namespace rooflab::cli
