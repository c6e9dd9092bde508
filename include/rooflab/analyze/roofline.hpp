#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/measured_case.hpp"

namespace rooflab::analyze {

/// One layer or network on a roofline: what the limit lets it reach, or what it reached. FLOPs and
/// bytes are modelled either way.
struct RooflinePoint {
  std::string label;
  double intensity = 0.0;    ///< FLOP per compulsory byte
  double flops_per_s = 0.0;  ///< FLOPs over the time
  double time_s = 0.0;       ///< the limit's, or measured
  double time_share = 0.0;   ///< of its network's, 0 to 1
  predict::Bound bound = predict::Bound::none;
};

struct RooflineSeries {
  /// The network, with what tells the cases apart: `resnet18, batch 32`; `measured: ` before it.
  std::string name;
  bool measured = false;
  std::vector<RooflinePoint> points;
  int without_flops = 0;             ///< layers that only move data: no place on the chart
  double without_flops_share = 0.0;  ///< of the network's time
  std::string remark;                ///< what a reader must know of the points; may be empty
};

/// A device's roofs, only those of paths that the cases use, and points below them.
struct Roofline {
  device::Device device;
  std::string setting;  ///< what all cases share: `batch 32, inference, fp32`; may be empty
  std::vector<ArithmeticPath> paths;
  std::vector<RooflineSeries> series;
};

enum class PointPer { layer, model };

/// Of cases on one and the same device. Cases without a limit give an empty series.
[[nodiscard]] Roofline roofline_of(std::span<const CaseResult* const> cases, PointPer per);

/// The same with measured cases, each after its own limit. All devices, the measured ones' model's
/// included, are one and the same; a measured case has a model and times. A case measured without
/// layer times is one point.
[[nodiscard]] Roofline roofline_of(std::span<const CaseResult* const> cases,
                                   std::span<const MeasuredCase* const> measured, PointPer per);

}  // namespace rooflab::analyze
