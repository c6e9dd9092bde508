// A roof bounds what is counted in its own terms: bytes of the device's memory, FLOPs of its path,
// at the clock of the peak. A point above the highest roof therefore says that one of the terms
// does not hold; add_above() names the cause by where the point lies and how it was observed. A
// modelled point lies on or under its roof by construction (tests hold it to that).

#include "roofline_captions.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace rooflab::report {
namespace {

using analyze::PointKind;
using analyze::Roofline;
using analyze::RooflinePoint;
using analyze::RooflineSeries;

/// Rounding puts a point that is at its roof a hair above it.
constexpr double tolerance = 1e-6;

bool has_kind(const Roofline& roofline, PointKind kind) {
  return std::ranges::find(roofline.series, kind, &RooflineSeries::kind) != roofline.series.end();
}

/// A datasheet's figure as printed, a measured one in the unit that suits it.
std::string text_of(const device::Figure& figure, std::string_view base_unit) {
  if (figure.measured) return si(figure.value, base_unit, 3);
  return format("{:g} {}{}", figure.printed_value, figure.unit,
                figure.recalled ? " (recalled)" : "");
}

/// The roofs' figures, each with where it is from.
std::string figures_of(const Roofline& roofline) {
  const device::Device& device = roofline.device;
  std::vector<std::string> printed;
  std::vector<std::string> measured;
  const auto add = [&](std::string_view roof, const device::Figure& figure,
                       std::string_view base_unit) {
    (figure.measured ? measured : printed)
        .push_back(format("{} {}", roof, text_of(figure, base_unit)));
  };
  for (const ArithmeticPath path : roofline.paths) {
    if (const auto peak = device.peaks.find(path); peak != device.peaks.end()) {
      add(label_of(path), peak->second,
          path == ArithmeticPath::int8_tensor_int32 ? "OP/s" : "FLOP/s");
    }
  }
  if (device.bandwidth) add("memory", *device.bandwidth, "B/s");
  std::vector<std::string> origins;
  if (!printed.empty()) {
    origins.push_back(format("{}; dense peaks at boost clock", join(printed, ", ")));
  }
  if (!measured.empty()) {
    origins.push_back(format("{}, as measured by `rooflab probe`", join(measured, ", ")));
  }
  return format("{}: {}.", device.name, join(origins, "; "));
}

void add_kinds(const Roofline& roofline, std::vector<std::string>& captions) {
  const bool whole = roofline.per == analyze::PointPer::model;
  const std::string_view point = whole                                      ? "a whole network"
                                 : roofline.per == analyze::PointPer::layer ? "a layer"
                                                                            : "a class of ops";
  if (has_kind(roofline, PointKind::limit)) {
    captions.push_back(
        format("Limit, a tick: {} with each op at its roof, over compulsory bytes.{}", point,
               whole ? "" : " Area: share of the network's time."));
  }
  if (has_kind(roofline, PointKind::predicted)) {
    captions.emplace_back(
        "Predicted, a disc: the expected time of the same work; on its line lie 90 % of cases.");
  }
  if (has_kind(roofline, PointKind::timed)) {
    captions.emplace_back(
        "Measured, a diamond: the time is measured, FLOPs and compulsory bytes are modelled. A"
        " cache that saves traffic can lift a point above the memory's slope.");
  }
  if (has_kind(roofline, PointKind::counted)) {
    captions.emplace_back(
        format("Counted, a triangle on its tip: {} whose time, FLOPs and DRAM bytes the device's"
               " counters measured.{}",
               whole ? "a network" : "a kernel, a layer or a sum of them",
               whole ? "" : " Area: share of the kernels' time."));
  }
  if (has_kind(roofline, PointKind::published)) {
    captions.emplace_back("Published, a triangle: FLOPs, bytes and time as others printed them.");
  }
}

std::string counted_points(int count, const RooflineSeries& series, analyze::PointPer per) {
  const bool counted = series.kind == PointKind::counted;
  if (counted && series.point == name_of(analyze::PointPer::op_class)) {
    return count == 1 ? "1 class of work" : format("{} classes of work", count);
  }
  if (counted) return plural(count, series.point);
  if (per != analyze::PointPer::op_class) return plural(count, name_of(per));
  return count == 1 ? "1 class of ops" : format("{} classes of ops", count);
}

/// What a series has no points for.
void add_missing(const RooflineSeries& series, analyze::PointPer per,
                 std::vector<std::string>& captions) {
  if (series.kind == PointKind::predicted) return;  // the limit's says the same
  const bool counted = series.kind == PointKind::counted;
  if (!series.remark.empty()) captions.push_back(format("{}: {}.", series.name, series.remark));
  if (series.without_flops > 0) {
    const std::optional<double> share = series.without_flops_share;
    captions.push_back(format("{}: {} without FLOPs{} {} not drawn.", series.name,
                              counted_points(series.without_flops, series, per),
                              share ? format(" ({:.1f} % of the time)", *share * 100.0) : "",
                              series.without_flops == 1 ? "is" : "are"));
  }
  if (series.points.empty()) {
    captions.push_back(format("{}: no {}, no points.", series.name,
                              series.kind == PointKind::limit ? "limit"
                              : counted                       ? "FLOPs and bytes"
                                                              : "FLOPs"));
  }
}

/// Points of one kind above the slope or above the flat roof.
struct Above {
  int points = 0;
  std::string first;
  double times = 0.0;  ///< the first one over its roof
};

Above above_of(const Roofline& roofline, PointKind kind, bool under_the_slope) {
  const std::vector<DrawnRoof> roofs = drawn_roofs(roofline);
  Above above;
  if (roofs.empty()) return above;
  const double last_ridge = std::ranges::max(roofs, {}, &DrawnRoof::ridge).ridge;
  for (const RooflineSeries& series : roofline.series) {
    if (series.kind != kind) continue;
    for (const RooflinePoint& point : series.points) {
      if ((point.intensity < last_ridge) != under_the_slope) continue;
      const double roof = *highest_roof(roofline, point.intensity);
      if (!(point.flops_per_s > roof * (1.0 + tolerance))) continue;
      if (above.points++ > 0) continue;
      above.first =
          point.label == series.name ? point.label : format("{} ({})", point.label, series.name);
      above.times = point.flops_per_s / roof;
    }
  }
  return above;
}

void add_above(const Roofline& roofline, std::vector<std::string>& captions) {
  struct Cause {
    PointKind kind;
    bool under_the_slope;
    std::string_view roof;
    std::string_view words;
  };
  constexpr Cause causes[] = {
      {PointKind::predicted, true, "the memory's slope",
       "a cache kept data that the model counts as memory traffic"},
      {PointKind::predicted, false, "the highest roof",
       "the algorithm that was measured does fewer FLOPs than the model counts"},
      {PointKind::timed, true, "the memory's slope",
       "a cache kept data that the model counts as memory traffic"},
      {PointKind::timed, false, "the highest roof",
       "the algorithm does fewer FLOPs than the model counts, or the clock was above the peak's"},
      {PointKind::counted, true, "the memory's slope",
       "time and bytes were counted in different runs of the kernel, with other data in the cache"},
      {PointKind::counted, false, "the highest roof",
       "FLOPs were counted on a path whose roof is not drawn, or the clock was above the peak's"},
  };
  for (const Cause& cause : causes) {
    const Above above = above_of(roofline, cause.kind, cause.under_the_slope);
    if (above.points == 0) continue;
    captions.push_back(
        format("{} {} {} above {}, first {}, {:.3g} times as high. Possible cause: {}.",
               above.points, name_of(cause.kind), above.points == 1 ? "point lies" : "points lie",
               cause.roof, above.first, above.times, cause.words));
  }
}

}  // namespace

std::vector<DrawnRoof> drawn_roofs(const Roofline& roofline) {
  std::vector<DrawnRoof> roofs;
  for (const ArithmeticPath path : roofline.paths) {
    const std::optional<double> peak = device::peak(roofline.device, path);
    const std::optional<double> ridge = device::ridge_point(roofline.device, path);
    if (peak && ridge) roofs.push_back({path, *peak, *ridge});
  }
  return roofs;
}

std::optional<double> highest_roof(const Roofline& roofline, double intensity) {
  const std::vector<DrawnRoof> roofs = drawn_roofs(roofline);
  if (roofs.empty()) return std::nullopt;
  return std::min(std::ranges::max(roofs, {}, &DrawnRoof::peak).peak,
                  intensity * roofline.device.bandwidth->value);
}

std::string place_against_ridges(const Roofline& roofline, double intensity) {
  const std::vector<DrawnRoof> roofs = drawn_roofs(roofline);
  std::vector<std::string> left;
  std::vector<std::string> right;
  for (const DrawnRoof& roof : roofs) {
    (intensity < roof.ridge ? left : right).emplace_back(label_of(roof.path));
  }
  if (roofs.empty()) return {};
  const std::string_view ridges = roofs.size() == 1 ? "the ridge point" : "all ridge points";
  if (right.empty()) return format("left of {}", ridges);
  if (left.empty()) return format("right of {}", ridges);
  return format("right of the ridge point of {}, left of that of {}", join(right, ", "),
                join(left, ", "));
}

std::vector<std::string> roofline_captions(const Roofline& roofline) {
  std::vector<std::string> captions = {figures_of(roofline)};
  add_kinds(roofline, captions);
  add_above(roofline, captions);
  for (const RooflineSeries& series : roofline.series) add_missing(series, roofline.per, captions);
  return captions;
}

}  // namespace rooflab::report
