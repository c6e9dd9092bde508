#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rooflab::chart {

/// A part of a bar. Parts of one name have one colour in all bars of a section.
struct BarPart {
  std::string name = {};
  double value = 0.0;     ///< in the common unit of all bars of the section
  std::string text = {};  ///< the value for people: `1.2 ms`
  /// Index in chart/palette.hpp, equal on every page; nullopt: by the order of the names.
  std::optional<int> color = std::nullopt;
};

/// A horizontal bar of parts in their order. A part that is not finite or not above zero is not
/// drawn; the bar says so.
struct Bar {
  std::string label = {};
  std::string text = {};  ///< the total for people; may be empty
  std::vector<BarPart> parts = {};
};

enum class BarScale {
  share,     ///< each bar has the full width: shares of a whole
  absolute,  ///< the longest bar has the full width, the others in proportion
};

}  // namespace rooflab::chart
