#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/base/enum_names.hpp"

namespace rooflab::analyze {

/// Kind of a point by its measured figures. Charts give each kind a separate shape.
enum class PointKind {
  limit,      ///< FLOPs, bytes and time modelled: what the roofs let it reach
  predicted,  ///< the expected time, FLOPs and compulsory bytes modelled
  timed,      ///< time measured, FLOPs and compulsory bytes modelled
  counted,    ///< time, FLOPs and DRAM bytes measured by the device's counters
  published,  ///< printed by other authors
};
constexpr auto names_in_order(For<PointKind>) {
  return names_through<PointKind::published>("limit", "predicted", "measured", "counted",
                                             "published");
}

/// One class of ops, layer, network or kernel on a roofline, at its limit, its expected time or its
/// measured time.
struct RooflinePoint {
  std::string label = {};
  double intensity = 0.0;    ///< FLOP per compulsory byte; counted: per DRAM byte
  double flops_per_s = 0.0;  ///< FLOPs over the time
  double time_s = 0.0;       ///< the limit's, expected or measured
  double time_share = 0.0;   ///< share of its network's time, or of the kernels', 0 to 1
  /// Bound by the model; `none` for counted points, whose place below the roofs shows it.
  predict::Bound bound = predict::Bound::none;
  /// Lower end of the interval that holds 90 % of times, in seconds; predicted points only.
  std::optional<double> low_s = std::nullopt;
  std::optional<double> high_s = std::nullopt;
  std::int64_t launches = 1;  ///< how often a kernel ran
  /// FLOP per byte of L2 traffic; nullopt: not counted.
  std::optional<double> l2_intensity = std::nullopt;

  /// FLOPs of the point.
  [[nodiscard]] double flops() const { return flops_per_s * time_s; }
};

struct RooflineSeries {
  /// The network and the settings that distinguish the cases: `resnet18, batch 32`.
  std::string name = {};
  PointKind kind = PointKind::limit;
  std::string network = {};  ///< the network or file, which has one hue in charts
  /// Kind of a counted point: `kernel`, `layer`, `class`, `network` or `file`.
  std::string_view point = "kernel";
  std::vector<RooflinePoint> points = {};
  bool joined = false;    ///< the points are cases of one network, by their intensity
  int without_flops = 0;  ///< classes, layers or kernels without a place: they only move data
  /// Share of those in the total time of the points' shares; nullopt: not all times are known.
  std::optional<double> without_flops_share = 0.0;
  std::string remark = {};              ///< explanation of the points; may be empty
  std::set<ArithmeticPath> paths = {};  ///< paths that the work uses

  /// Adds a point from FLOPs, bytes and time. Returns false where one of them is zero or not known:
  /// the point has no place and is only counted.
  bool add(std::string label, std::optional<double> flops, std::optional<double> bytes,
           std::optional<double> time_s, std::optional<double> time_share,
           predict::Bound bound = predict::Bound::none);
};

/// Extent of a point: all ops of a class (graph::WorkClass), a layer, or a whole case.
enum class PointPer { op_class, layer, model };
constexpr auto names_in_order(For<PointPer>) {
  return names_through<PointPer::model>("class", "layer", "model");
}

/// The roofs of a device for the paths that the work uses, and points below them.
struct Roofline {
  device::Device device = {};
  PointPer per = PointPer::op_class;
  std::string setting = {};  ///< settings of all cases: `batch 32, inference, fp32`; may be empty
  std::set<ArithmeticPath> paths = {};
  std::vector<RooflineSeries> series = {};
  std::optional<double> l2_bytes_per_s = std::nullopt;  ///< read by a probe of the device

  /// Whether some point has an L2 intensity.
  [[nodiscard]] bool has_l2_points() const;

  /// Adds a series and the roofs of its paths.
  void add(RooflineSeries added);
};

/// Counted FLOPs, DRAM bytes and times of a network as points: its layers, its classes of ops, or
/// all its kernels together.
[[nodiscard]] RooflineSeries counted_series(const CountedLayers& counted, const std::string& name,
                                            PointPer per = PointPer::layer);

/// Puts predicted and measured cases of one device below its roofs, each at its limit and, if
/// available, its prediction; both lists may be empty. Measured cases must have a model and times.
/// A case without a limit gives an empty series, a case measured without layer times gives one
/// point, and a case with counters also gives its counted points unless `counted` is false. Default
/// of `per`: the class of ops, or the model where one network has several cases, whose points are
/// then joined.
[[nodiscard]] Roofline roofline_of(const device::Device& device,
                                   std::span<const CaseResult* const> cases,
                                   std::span<const MeasuredCase* const> measured,
                                   std::optional<PointPer> per = std::nullopt, bool counted = true);

}  // namespace rooflab::analyze
