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

  /// Whether an incomplete case is a failure.
  [[nodiscard]] bool strict() const { return network_.strict(); }

 private:
  /// That gives this one case again.
  [[nodiscard]] std::string command_line(const analyze::CaseResult& result) const;

  std::vector<std::string> models_;
  ModelOptions network_;
  DeviceOptions devices_;
};

/// Every op counted, every figure known.
[[nodiscard]] bool is_complete(const std::vector<analyze::CaseResult>& cases);

}  // namespace rooflab::cli
