#pragma once

#include <string>
#include <string_view>

#include "rooflab/analyze/comparison.hpp"
#include "rooflab/base/parameter.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// Two results, case by case.
struct CompareRequest {
  static constexpr std::string_view command = "compare";

  std::string a;
  std::string b;
  DeviceFiles device_files;
  CalibrationFiles calibrations;  ///< for predictions of what was measured, made anew
};
const Parameters& parameters_of(For<CompareRequest>);

/// A calibrated prediction of what was measured is made anew with the issue costs of the measuring
/// host, where they are known. Throws Error (input) for files that cannot be read, and where they
/// have no case in common.
[[nodiscard]] analyze::ComparisonList run(const CompareRequest& request, Session& session);

/// B is significantly slower somewhere, or lacks a case of A.
[[nodiscard]] bool is_worse(const analyze::ComparisonList& list);

}  // namespace rooflab::task
