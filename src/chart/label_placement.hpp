#pragma once

#include <optional>
#include <span>
#include <vector>

namespace rooflab::chart {

/// Pixels from the drawing's upper left corner; y grows downwards.
struct PixelPoint {
  double x = 0.0;
  double y = 0.0;
};

struct Segment {
  PixelPoint from;
  PixelPoint to;
};

struct Rectangle {
  double left = 0.0;
  double top = 0.0;
  double right = 0.0;
  double bottom = 0.0;

  [[nodiscard]] double width() const { return right - left; }
  [[nodiscard]] double height() const { return bottom - top; }
  [[nodiscard]] PixelPoint center() const { return {(left + right) / 2.0, (top + bottom) / 2.0}; }
  /// Whether two rectangles overlap; sharing an edge is not an overlap.
  [[nodiscard]] bool overlaps(const Rectangle& other) const;
  [[nodiscard]] bool contains(const Rectangle& other) const;
  [[nodiscard]] bool crossed_by(const Segment& segment) const;
};

/// The square of half-side `radius` around a point.
[[nodiscard]] Rectangle square_around(PixelPoint center, double radius);

/// A text to be placed near its marker.
struct LabelRequest {
  PixelPoint anchor;
  double marker_radius = 0.0;
  double width = 0.0;
  double height = 0.0;
  double weight = 0.0;  ///< heavier labels are placed first
};

/// Content of the drawing before the labels.
struct LabelField {
  Rectangle area;                   ///< labels are placed inside
  std::vector<Rectangle> occupied;  ///< other texts: never covered
  std::vector<Rectangle> markers;   ///< never covered, including the labels' own
  std::vector<Segment> lines;       ///< crossed only if nothing better is found
};

struct PlacedLabel {
  Rectangle box;
  std::optional<Segment> leader;  ///< from the marker's rim to a distant box
};

/// Places labels: a place for each request in their order, or nullopt where no room is left.
///
/// No two boxes overlap, none overlaps `occupied` or `markers` or a leader, none leaves the area.
/// No two leaders cross, and none crosses a marker except one that holds its own anchor. Equal
/// input gives equal places. The method is in label_placement.cpp.
[[nodiscard]] std::vector<std::optional<PlacedLabel>> place_labels(
    std::span<const LabelRequest> requests, const LabelField& field);

}  // namespace rooflab::chart
