#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/analyze/network_count.hpp"
#include "rooflab/analyze/result_set.hpp"
#include "rooflab/analyze/roofline_points.hpp"
#include "rooflab/findings/finding.hpp"
#include "rooflab/task/cases.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/network.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// Request to combine results of any kind on one page.
struct ReportRequest {
  static constexpr std::string_view command = "report";

  std::vector<std::string> results = {};  ///< files and folders of files
  std::string as_device = {};  ///< device of the catalog that everything is compared with
  DeviceFiles device_files = {};
  CalibrationFiles calibrations = {};
};
const Parameters& parameters_of(For<ReportRequest>);

struct ReportResult {
  analyze::ResultSet results = {};
  std::vector<findings::Finding> findings = {};  ///< what costs the time
};

/// Throws Error (usage, input).
[[nodiscard]] ReportResult run(const ReportRequest& request, Session& session);

/// Request to draw networks, records and logs of kernels below the roofs of one device.
struct RooflineRequest {
  static constexpr std::string_view command = "roofline";

  CaseGrid grid = {};  ///< models may also be files of results, and folders of files
  CalibrationFiles calibrations = {};
  std::optional<analyze::PointPer> per = {};  ///< nullopt: as roofline_of() chooses
  bool measured = false;                      ///< also draw the measured roofs
};
const Parameters& parameters_of(For<RooflineRequest>);

struct RooflineResult {
  analyze::Roofline roofline = {};
  std::vector<analyze::CaseResult> cases = {};
  /// Calibration with the device's measured roofs; nullptr: not requested.
  std::shared_ptr<const device::Calibration> measured = {};
  std::vector<std::string> remarks = {};  ///< remarks about sources, one sentence each
};

/// Reads the sources of a roofline. Throws Error (usage, input), also where they come from several
/// devices.
[[nodiscard]] RooflineResult run(const RooflineRequest& request, Session& session);

/// Request to count one network: layers, MACs, FLOPs, bytes.
struct SummaryRequest {
  static constexpr std::string_view command = "summary";

  std::string model = {};
  NetworkSettings network = {};
  LayerChoice layers = {};        ///< at most one layer
  std::optional<int> depth = {};  ///< layers deeper than this are folded into their scope
};
const Parameters& parameters_of(For<SummaryRequest>);

/// Throws Error (usage, input).
[[nodiscard]] analyze::NetworkSummary run(const SummaryRequest& request, Session& session);

}  // namespace rooflab::task
