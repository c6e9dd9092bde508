#pragma once

#include <string>
#include <string_view>

#include "rooflab/analyze/comparison.hpp"
#include "rooflab/describe/parameter.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// Request to compare two results case by case.
struct CompareRequest {
  static constexpr std::string_view command = "compare";

  std::string a = {};
  std::string b = {};
  DeviceFiles device_files = {};
  CalibrationFiles calibrations = {};  ///< for predictions with the measuring host's issue costs
};
const Parameters& parameters_of(For<CompareRequest>);

/// Compares two results. A calibrated prediction of a measured case is repeated with the issue
/// costs of the measuring host, where these are known. Throws Error (input) for files that cannot
/// be read, and where they have no case in common.
[[nodiscard]] analyze::ComparisonList run(const CompareRequest& request, Session& session);

/// Whether B is significantly slower in a case, or lacks a case of A.
[[nodiscard]] bool is_worse(const analyze::ComparisonList& list);

}  // namespace rooflab::task
