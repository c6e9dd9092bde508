#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/analyze/roofline.hpp"
#include "rooflab/task/cases.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// Networks, records and logs of kernels below the roofs of one device.
struct RooflineRequest {
  static constexpr std::string_view command = "roofline";

  CaseGrid grid;  ///< its models may be files of results and folders of them
  CalibrationFiles calibrations;
  analyze::PointPer per = analyze::PointPer::layer;
  bool measured = false;  ///< draw the measured roofs too
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

}  // namespace rooflab::task
