#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layout.hpp"

namespace rooflab::chart {

/// What guide labels must keep clear of, and what they add to it.
struct GuideLabelField {
  Rectangle plot;
  std::vector<Rectangle> occupied;  ///< texts: never covered
  std::vector<Rectangle> markers;   ///< covered only where nothing better is found
  std::vector<Segment> lines;       ///< likewise
};

/// The label written along the guide: on a flat line at its right end, on a slope at its middle,
/// or as near to that as there is room. The text's boxes are added to `occupied`; nullopt when no
/// place is free of other texts.
[[nodiscard]] std::optional<PlacedText> place_along(
    const std::string& text, const std::vector<std::vector<PixelPoint>>& path,
    GuideLabelField& field);

/// The label of a vertical line, level, at its foot, beside it.
[[nodiscard]] std::optional<PlacedText> place_at_foot(const std::string& text, const Segment& line,
                                                      GuideLabelField& field);

}  // namespace rooflab::chart
