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

/// How far a point is observed. Charts give each kind a shape of its own.
enum class PointKind {
  limit,      ///< FLOPs, bytes and time modelled: what the roofs let it reach
  predicted,  ///< the expected time, FLOPs and compulsory bytes modelled
  timed,      ///< time measured, FLOPs and compulsory bytes modelled
  counted,    ///< time, FLOPs and DRAM bytes measured by the device's counters
  published,  ///< what others printed
};
constexpr auto names_in_order(For<PointKind>) {
  return names_through<PointKind::published>("limit", "predicted", "measured", "counted",
                                             "published");
}

/// One class of ops, layer, network or kernel on a roofline: what the limit lets it reach, what is
/// expected of it, or what it reached.
struct RooflinePoint {
  std::string label;
  double intensity = 0.0;    ///< FLOP per compulsory byte; counted: per DRAM byte
  double flops_per_s = 0.0;  ///< FLOPs over the time
  double time_s = 0.0;       ///< the limit's, expected or measured
  double time_share = 0.0;   ///< share of its network's time, or of the kernels', 0 to 1
  /// The model's; `none` where points are counted: their place against the roofs says it.
  predict::Bound bound = predict::Bound::none;
  /// Seconds between which 90 % of times lie, where the point is predicted.
  std::optional<double> low_s = std::nullopt;
  std::optional<double> high_s = std::nullopt;
  std::int64_t launches = 1;  ///< how often a kernel ran
  /// FLOP per byte of L2, where a counted point has that traffic too.
  std::optional<double> l2_intensity = std::nullopt;

  /// FLOPs of the point.
  [[nodiscard]] double flops() const { return flops_per_s * time_s; }
};

struct RooflineSeries {
  /// The network, with what tells the cases apart: `resnet18, batch 32`.
  std::string name;
  PointKind kind = PointKind::limit;
  std::string network;  ///< the network or file: what charts give a hue
  /// What a counted point is: `kernel`, `layer`, `class`, `network` or `file`.
  std::string_view point = "kernel";
  std::vector<RooflinePoint> points;
  bool joined = false;    ///< the points are cases of one network, by their intensity
  int without_flops = 0;  ///< classes, layers or kernels that only move data: no place
  /// Share of the same time as the points' shares; nullopt: not all of their times are known.
  std::optional<double> without_flops_share = 0.0;
  std::string remark;              ///< what a reader must know of the points; may be empty
  std::set<ArithmeticPath> paths;  ///< that its work uses

  /// Adds a point at the FLOPs over the bytes and the time. Where one of the three is zero or not
  /// known it has no place, and is counted as such: false.
  bool add(std::string label, std::optional<double> flops, std::optional<double> bytes,
           std::optional<double> time_s, std::optional<double> time_share,
           predict::Bound bound = predict::Bound::none);
};

/// What a point stands for: the ops of a class (graph::WorkClass) together, a layer, all of a case.
enum class PointPer { op_class, layer, model };
constexpr auto names_in_order(For<PointPer>) {
  return names_through<PointPer::model>("class", "layer", "model");
}

/// A device's roofs, only those of paths that the work uses, and points below them.
struct Roofline {
  device::Device device;
  PointPer per = PointPer::op_class;
  std::string setting;  ///< what all cases share: `batch 32, inference, fp32`; may be empty
  std::set<ArithmeticPath> paths;
  std::vector<RooflineSeries> series;
  std::optional<double> l2_bytes_per_s = std::nullopt;  ///< what a probe of the device read

  /// Whether some point has a place by the traffic of L2.
  [[nodiscard]] bool has_l2_points() const;

  /// Draws a series, with the roofs of its paths.
  void add(RooflineSeries added);
};

/// What the counters measured of a network: FLOPs, DRAM bytes and time of its layers, of its
/// classes of ops, or of all its kernels.
[[nodiscard]] RooflineSeries counted_series(const CountedLayers& counted, const std::string& name,
                                            PointPer per = PointPer::layer);

/// Cases and measured cases, each with its limit and, where it has one, its prediction, below the
/// roofs of one device, which all are on; there need not be any. A measured case has a model and
/// times. Cases without a limit give an empty series; a case measured without layer times is one
/// point; one with counters has the points that were counted too, unless `counted` is false. `per`,
/// where it is not given, is the class of ops, or the model where one network has
/// several cases: these are joined then.
[[nodiscard]] Roofline roofline_of(const device::Device& device,
                                   std::span<const CaseResult* const> cases,
                                   std::span<const MeasuredCase* const> measured,
                                   std::optional<PointPer> per = std::nullopt, bool counted = true);

}  // namespace rooflab::analyze
