// Labels of lines, written along them. Candidates are tried in order of liking; the first that
// disturbs nothing wins, else the one that crosses the fewest lines and markers. A slanted text is
// kept free as a chain of small squares along its baseline, so that all tests are of rectangles.

#include "guide_labels.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "text_extent.hpp"

namespace rooflab::chart {
namespace {

constexpr double gap = 3.0;            // between a line and its text
constexpr double wide_gap = 14.0;      // where markers stand on the line
constexpr double end_gap = 8.0;        // between a line's end and its text
constexpr double least_length = 20.0;  // of a line with a label
constexpr double slide_step = 8.0;

std::vector<Rectangle> boxes_of(const PlacedText& text) {
  const double width = text_width(text.text, text.font_px) + 4.0;
  const double height = line_height(text.font_px);
  const double angle = text.angle * std::numbers::pi / 180.0;
  if (angle == 0.0) {
    const double left = text.align == Align::left ? text.at.x - 2.0 : text.at.x - width / 2.0;
    return {{left, text.at.y - height / 2.0, left + width, text.at.y + height / 2.0}};
  }
  std::vector<Rectangle> boxes;
  const int count = static_cast<int>(std::ceil(width / height));
  for (int i = 0; i < count; ++i) {
    const double along = ((i + 0.5) / count - 0.5) * width;
    const PixelPoint center = {text.at.x + along * std::cos(angle),
                               text.at.y - along * std::sin(angle)};
    boxes.push_back(square_around(center, height / 2.0));
  }
  return boxes;
}

/// Collects candidates and remembers the least disturbing one.
class Choice {
 public:
  explicit Choice(const GuideLabelField& field) : field_(field) {}

  void consider(const PlacedText& candidate, const Segment& own_line) {
    if (best_ && best_disturbance_ == 0) return;
    std::vector<Rectangle> boxes = boxes_of(candidate);
    int disturbance = 0;
    for (const Rectangle& box : boxes) {
      const auto overlaps = [&](const Rectangle& other) { return other.overlaps(box); };
      if (!field_.plot.contains(box) || std::ranges::any_of(field_.occupied, overlaps)) return;
      disturbance += 3 * static_cast<int>(std::ranges::count_if(field_.markers, overlaps));
      disturbance +=
          2 * static_cast<int>(std::ranges::count_if(field_.lines, [&](const Segment& line) {
            return !same(line, own_line) && box.crossed_by(line);
          }));
    }
    if (best_ && disturbance >= best_disturbance_) return;
    best_ = candidate;
    best_boxes_ = std::move(boxes);
    best_disturbance_ = disturbance;
  }

  /// The best candidate; its boxes become occupied.
  std::optional<PlacedText> settle(GuideLabelField& field) const {
    if (best_) {
      field.occupied.insert(field.occupied.end(), best_boxes_.begin(), best_boxes_.end());
    }
    return best_;
  }

 private:
  static bool same(const Segment& a, const Segment& b) {
    return a.from.x == b.from.x && a.from.y == b.from.y && a.to.x == b.to.x && a.to.y == b.to.y;
  }

  const GuideLabelField& field_;
  std::optional<PlacedText> best_;
  std::vector<Rectangle> best_boxes_;
  int best_disturbance_ = 0;
};

/// Places along a segment as distances from its left end to the text's middle, the liked ones
/// first.
std::vector<double> middles_along(double length, double width, bool flat) {
  std::vector<double> middles;
  const double first = width / 2.0 + end_gap;
  const double last = length - width / 2.0 - end_gap;
  if (first > last) {
    // The end of a roof's text may stand over the line, its beginning left of it.
    if (flat && length >= least_length) middles.push_back(last);
    return middles;
  }
  if (flat) {
    for (double middle = last; middle >= first; middle -= slide_step) middles.push_back(middle);
    return middles;
  }
  const double center = length / 2.0;
  middles.push_back(center);
  for (double off = slide_step; center + off <= last; off += slide_step) {
    middles.push_back(center + off);
    middles.push_back(center - off);
  }
  return middles;
}

void consider_along(const std::string& text, const Segment& own_line, Choice& choice) {
  Segment line = own_line;
  if (line.to.x < line.from.x) std::swap(line.from, line.to);
  const double dx = line.to.x - line.from.x;
  const double dy = line.to.y - line.from.y;
  const double length = std::hypot(dx, dy);
  if (length == 0.0) return;
  const double rise = -dy / length;
  const double run = dx / length;
  const double angle = std::atan2(rise, run) * 180.0 / std::numbers::pi;
  const bool flat = std::abs(angle) < 2.0;
  const double near = line_height(label_font) / 2.0 + gap;
  const double far = line_height(label_font) / 2.0 + wide_gap;
  for (const double off : {near, -near, far, -far}) {
    for (const double middle : middles_along(length, text_width(text, label_font), flat)) {
      const PixelPoint at = {line.from.x + run * middle - rise * off,
                             line.from.y - rise * middle - run * off};
      choice.consider({text, at, Align::center, label_font, flat ? 0.0 : angle}, own_line);
    }
  }
}

}  // namespace

std::optional<PlacedText> place_along(const std::string& text,
                                      const std::vector<std::vector<PixelPoint>>& path,
                                      GuideLabelField& field) {
  std::vector<Segment> segments;
  for (const std::vector<PixelPoint>& piece : path) {
    for (std::size_t i = 0; i + 1 < piece.size(); ++i) segments.push_back({piece[i], piece[i + 1]});
  }
  const auto length = [](const Segment& segment) {
    return std::hypot(segment.to.x - segment.from.x, segment.to.y - segment.from.y);
  };
  std::ranges::stable_sort(
      segments, [&](const Segment& a, const Segment& b) { return length(a) > length(b); });
  Choice choice(field);
  for (const Segment& segment : segments) consider_along(text, segment, choice);
  return choice.settle(field);
}

std::optional<PlacedText> place_at_foot(const std::string& text, const Segment& line,
                                        GuideLabelField& field) {
  const double height = line_height(label_font);
  const double foot = std::max(line.from.y, line.to.y);
  const double head = std::min(line.from.y, line.to.y);
  const double width = text_width(text, label_font);
  Choice choice(field);
  for (double y = foot - height / 2.0 - gap; y > head + height; y -= height + 1.0) {
    choice.consider({text, {line.from.x + gap + 2.0, y}, Align::left, label_font, 0.0}, line);
    choice.consider({text, {line.from.x - gap - 2.0 - width, y}, Align::left, label_font, 0.0},
                    line);
  }
  return choice.settle(field);
}

}  // namespace rooflab::chart
