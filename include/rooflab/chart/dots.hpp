#pragma once

#include <optional>
#include <string>

namespace rooflab::chart {

/// Quantity on the axis of a page's dots, which is always logarithmic.
enum class DotAxis {
  time,   ///< seconds of a step
  ratio,  ///< a published figure over ours; 1 is marked
};

/// A row of dots on the page's axis, in its unit; unknown values are not drawn.
struct Dot {
  std::string group = {};  ///< rows of one group are shown together: the network
  std::string label = {};  ///< distinguishes the row in its group: `t4, batch 64`
  std::optional<double> limit = {};
  std::optional<double> predicted = {};
  std::optional<double> low = {};  ///< ends of the prediction's interval
  std::optional<double> high = {};
  std::optional<double> measured = {};
  std::string value = {};    ///< main value for people: `17.4 ms`
  std::string remark = {};   ///< next to the value: `3,678 samples/s`; may be empty
  std::string verdict = {};  ///< `fits`, `suspect`; may be empty
  std::string kind = {};     ///< meaning of its colour, in the legend; empty: its group
  bool is_quiet = false;     ///< drawn in grey because it is unimportant
};

}  // namespace rooflab::chart
