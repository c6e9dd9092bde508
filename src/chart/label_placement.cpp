// Where the labels of points stand.
//
// Point-feature labelling without overlap is NP-hard; a chart needs a good answer that is the same
// every time. This one is greedy: requests are taken by falling weight (ties in the order given).
// Each tries candidate boxes on rings around its marker, near ones first: eight directions in touch
// with the marker, then sixteen on rings further out, which are joined to the marker by a leader.
// A candidate that breaks a rule of place_labels() is out. Among the rest the lowest cost wins:
//
//     cost = 4 * ring + 0.3 * rank of direction + 3 * lines under the box
//            + 2.5 * other markers at the box, if no leader says whose the label is
//
// so that a label rather moves one ring out than stand on a roof or next to another point. What
// finds no candidate is hidden; nothing is moved afterwards, so a light label never displaces a
// heavy one.
//
// Cost: requests x candidates x neighbours. Beyond the heaviest `most_attempts` a chart is full and
// no room is looked for. Candidates and order of directions follow E. Imhof, "Positioning names on
// maps", The American Cartographer 2(2), 1975: right of the point first, above before below.

#include "label_placement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>

namespace rooflab::chart {
namespace {

constexpr std::size_t most_attempts = 400;
constexpr std::array ring_distances = {3.0, 14.0, 26.0, 40.0, 56.0, 76.0};
/// Sixteenths of a turn, anticlockwise from the right; the first eight are those of the near ring.
constexpr std::array directions = {0, 2, 6, 8, 14, 10, 4, 12, 1, 7, 15, 9, 3, 5, 13, 11};
constexpr std::size_t near_directions = 8;
/// A marker within this distance in pixels of a label could seem to belong to it.
constexpr double nearby = 5.0;

double cross(PixelPoint origin, PixelPoint a, PixelPoint b) {
  return (a.x - origin.x) * (b.y - origin.y) - (a.y - origin.y) * (b.x - origin.x);
}

bool intersect(const Segment& a, const Segment& b) {
  const double a_from = cross(b.from, b.to, a.from);
  const double a_to = cross(b.from, b.to, a.to);
  const double b_from = cross(a.from, a.to, b.from);
  const double b_to = cross(a.from, a.to, b.to);
  return a_from * a_to < 0.0 && b_from * b_to < 0.0;
}

PixelPoint nearest_in(const Rectangle& box, PixelPoint point) {
  return {std::clamp(point.x, box.left, box.right), std::clamp(point.y, box.top, box.bottom)};
}

Rectangle box_at(const LabelRequest& request, int direction, double distance) {
  const double angle = direction * std::numbers::pi / 8.0;
  const double x = std::cos(angle);
  const double y = -std::sin(angle);
  // The box touches the ring with the edge or corner that faces the marker.
  const double reach = request.marker_radius + distance;
  const double center_x =
      request.anchor.x + x * reach + std::clamp(1.5 * x, -1.0, 1.0) * request.width / 2.0;
  const double center_y =
      request.anchor.y + y * reach + std::clamp(1.5 * y, -1.0, 1.0) * request.height / 2.0;
  return {center_x - request.width / 2.0, center_y - request.height / 2.0,
          center_x + request.width / 2.0, center_y + request.height / 2.0};
}

std::optional<Segment> leader_to(const Rectangle& box, const LabelRequest& request) {
  const PixelPoint end = nearest_in(box, request.anchor);
  const double dx = end.x - request.anchor.x;
  const double dy = end.y - request.anchor.y;
  const double length = std::hypot(dx, dy);
  if (length <= request.marker_radius) return std::nullopt;
  const double rim = request.marker_radius / length;
  return Segment{{request.anchor.x + dx * rim, request.anchor.y + dy * rim}, end};
}

/// Places one label after the other and remembers what they take up.
class Placer {
 public:
  explicit Placer(const LabelField& field) : field_(field), boxes_(field.occupied) {}

  std::optional<PlacedLabel> place(const LabelRequest& request) {
    look_around(request);
    std::optional<PlacedLabel> best;
    double best_cost = 0.0;
    for (std::size_t ring = 0; ring < ring_distances.size(); ++ring) {
      const double ring_cost = 4.0 * static_cast<double>(ring);
      if (best && best_cost <= ring_cost) break;
      const std::size_t count = ring == 0 ? near_directions : directions.size();
      for (std::size_t rank = 0; rank < count; ++rank) {
        PlacedLabel candidate{box_at(request, directions.at(rank), ring_distances.at(ring)), {}};
        if (ring > 0) candidate.leader = leader_to(candidate.box, request);
        if (!is_allowed(candidate)) continue;
        const double cost = ring_cost + 0.3 * static_cast<double>(rank) + disturbance(candidate);
        if (best && cost >= best_cost) continue;
        best = candidate;
        best_cost = cost;
      }
    }
    if (best) {
      boxes_.push_back(best->box);
      if (best->leader) leaders_.push_back(*best->leader);
    }
    return best;
  }

 private:
  /// Keeps the markers and lines that a candidate of this request can meet.
  void look_around(const LabelRequest& request) {
    const double reach_x = request.marker_radius + ring_distances.back() + request.width;
    const double reach_y = request.marker_radius + ring_distances.back() + request.height;
    const Rectangle reach = {request.anchor.x - reach_x, request.anchor.y - reach_y,
                             request.anchor.x + reach_x, request.anchor.y + reach_y};
    anchor_ = request.anchor;
    markers_.clear();
    std::copy_if(field_.markers.begin(), field_.markers.end(), std::back_inserter(markers_),
                 [&](const Rectangle& marker) { return marker.overlaps(reach); });
    lines_.clear();
    std::copy_if(field_.lines.begin(), field_.lines.end(), std::back_inserter(lines_),
                 [&](const Segment& line) { return reach.crossed_by(line); });
  }

  [[nodiscard]] bool is_allowed(const PlacedLabel& candidate) const {
    const auto overlaps = [&](const Rectangle& other) { return other.overlaps(candidate.box); };
    const auto crosses_box = [&](const Segment& leader) {
      return candidate.box.crossed_by(leader);
    };
    if (!field_.area.contains(candidate.box) || std::ranges::any_of(boxes_, overlaps) ||
        std::ranges::any_of(markers_, overlaps) || std::ranges::any_of(leaders_, crosses_box)) {
      return false;
    }
    if (!candidate.leader) return true;
    const Segment& leader = *candidate.leader;
    return std::ranges::none_of(boxes_,
                                [&](const Rectangle& box) { return box.crossed_by(leader); }) &&
           std::ranges::none_of(markers_,
                                [&](const Rectangle& marker) { return hides(marker, leader); }) &&
           std::ranges::none_of(leaders_,
                                [&](const Segment& other) { return intersect(other, leader); });
  }

  /// A leader that runs over another point's marker would be read as that point's.
  [[nodiscard]] bool hides(const Rectangle& marker, const Segment& leader) const {
    const bool shares_place = marker.overlaps(square_around(anchor_, 0.5));
    return !shares_place && marker.crossed_by(leader);
  }

  [[nodiscard]] double disturbance(const PlacedLabel& candidate) const {
    const auto lines = std::ranges::count_if(
        lines_, [&](const Segment& line) { return candidate.box.crossed_by(line); });
    const double cost = 3.0 * static_cast<double>(lines);
    if (candidate.leader) return cost;
    const Rectangle& box = candidate.box;
    const Rectangle near = {box.left - nearby, box.top - nearby, box.right + nearby,
                            box.bottom + nearby};
    const auto neighbours = std::ranges::count_if(markers_, [&](const Rectangle& marker) {
      return marker.overlaps(near) && !marker.overlaps(square_around(anchor_, 0.5));
    });
    return cost + 2.5 * static_cast<double>(neighbours);
  }

  const LabelField& field_;
  PixelPoint anchor_;
  std::vector<Rectangle> boxes_;
  std::vector<Segment> leaders_;
  std::vector<Rectangle> markers_;
  std::vector<Segment> lines_;
};

}  // namespace

bool Rectangle::overlaps(const Rectangle& other) const {
  return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
}

bool Rectangle::contains(const Rectangle& other) const {
  return left <= other.left && other.right <= right && top <= other.top && other.bottom <= bottom;
}

bool Rectangle::crossed_by(const Segment& segment) const {
  // Liang-Barsky: the part of the segment that lies between each pair of edges.
  double enter = 0.0;
  double leave = 1.0;
  const auto clip = [&](double from, double delta, double low, double high) {
    if (delta == 0.0) return low < from && from < high;
    const double at_low = (low - from) / delta;
    const double at_high = (high - from) / delta;
    enter = std::max(enter, std::min(at_low, at_high));
    leave = std::min(leave, std::max(at_low, at_high));
    return enter < leave;
  };
  return clip(segment.from.x, segment.to.x - segment.from.x, left, right) &&
         clip(segment.from.y, segment.to.y - segment.from.y, top, bottom);
}

Rectangle square_around(PixelPoint center, double radius) {
  return {center.x - radius, center.y - radius, center.x + radius, center.y + radius};
}

std::vector<std::optional<PlacedLabel>> place_labels(std::span<const LabelRequest> requests,
                                                     const LabelField& field) {
  std::vector<std::size_t> order(requests.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return requests[a].weight > requests[b].weight; });
  order.resize(std::min(order.size(), most_attempts));

  std::vector<std::optional<PlacedLabel>> places(requests.size());
  Placer placer(field);
  for (const std::size_t index : order) places[index] = placer.place(requests[index]);
  return places;
}

}  // namespace rooflab::chart
