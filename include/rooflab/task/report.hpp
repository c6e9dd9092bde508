#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooflab/analyze/result_set.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// Results of any kind, for one page.
struct ReportRequest {
  static constexpr std::string_view command = "report";

  std::vector<std::string> results;  ///< files and folders of them
  std::string as_device;             ///< set everything against this one of the catalog
  DeviceFiles device_files;
  CalibrationFiles calibrations;
};
const Parameters& parameters_of(For<ReportRequest>);

/// Throws Error (usage, input).
[[nodiscard]] analyze::ResultSet run(const ReportRequest& request, Session& session);

}  // namespace rooflab::task
