#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "default_prediction.hpp"
#include "rooflab/record/host_costs.hpp"

namespace rooflab::accuracy {

/// One row of tools/gpu/measure_beside_pytorch.py.
struct UnseenCase {
  std::string network;
  StepRequest request;
  std::int64_t size = 0;
  bool from_file = false;
  double measured_s = 0.0;
  double allocated_bytes = 0.0;
  std::optional<record::HostCosts> host;  ///< measured between the steps
  std::optional<double> device_s;         ///< rooflab-torch's, queued in full: without any host

  [[nodiscard]] std::string text() const;
};

/// Path of a file of tests/data/accuracy.
[[nodiscard]] std::string data_path(const std::string& file);

/// The rows of a file of tests/data/accuracy, a JSON object a line.
[[nodiscard]] std::vector<UnseenCase> unseen_cases(const std::string& file);

}  // namespace rooflab::accuracy
