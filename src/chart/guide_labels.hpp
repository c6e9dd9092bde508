#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layout.hpp"

namespace rooflab::chart {

/// Areas that guide labels must avoid; placed labels are added to them.
struct GuideLabelField {
  Rectangle plot;
  std::vector<Rectangle> occupied;  ///< texts: never covered
  std::vector<Rectangle> markers;   ///< covered only where nothing better is found
  std::vector<Segment> lines;       ///< crossed only where nothing better is found
};

/// Places a label along a guide: on a flat line at its right end, on a slope at its middle, or as
/// near as possible. The text's boxes are added to `occupied`; nullopt when no place is free of
/// other texts.
[[nodiscard]] std::optional<PlacedText> place_along(
    const std::string& text, const std::vector<std::vector<PixelPoint>>& path,
    GuideLabelField& field);

/// Places the horizontal label of a vertical line next to its foot; nullopt when no place is free.
[[nodiscard]] std::optional<PlacedText> place_at_foot(const std::string& text, const Segment& line,
                                                      GuideLabelField& field);

}  // namespace rooflab::chart
