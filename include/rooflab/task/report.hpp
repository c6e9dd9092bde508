#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/analyze/network_count.hpp"
#include "rooflab/analyze/result_set.hpp"
#include "rooflab/analyze/roofline.hpp"
#include "rooflab/task/cases.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/network.hpp"
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

/// Networks, records and logs of kernels below the roofs of one device.
struct RooflineRequest {
  static constexpr std::string_view command = "roofline";

  CaseGrid grid;  ///< its models may be files of results and folders of them
  CalibrationFiles calibrations;
  std::optional<analyze::PointPer> per;  ///< nullopt: as roofline_of() chooses
  bool measured = false;                 ///< draw the measured roofs too
};
const Parameters& parameters_of(For<RooflineRequest>);

struct RooflineResult {
  analyze::Roofline roofline;
  std::vector<analyze::CaseResult> cases;
  /// Holds the device's own measured roofs, where they were asked for.
  std::shared_ptr<const device::Calibration> measured;
  std::vector<std::string> remarks;  ///< a sentence each: what a reader must know of a source
};

/// Throws Error (usage, input): also where the sources come from several devices.
[[nodiscard]] RooflineResult run(const RooflineRequest& request, Session& session);

/// Counts of one network: layers, MACs, FLOPs, bytes.
struct SummaryRequest {
  static constexpr std::string_view command = "summary";

  std::string model;
  NetworkSettings network;
  LayerChoice layers;        ///< one layer at most
  std::optional<int> depth;  ///< layers deeper than this are folded into their scope
};
const Parameters& parameters_of(For<SummaryRequest>);

/// Throws Error (usage, input).
[[nodiscard]] analyze::NetworkSummary run(const SummaryRequest& request, Session& session);

}  // namespace rooflab::task
