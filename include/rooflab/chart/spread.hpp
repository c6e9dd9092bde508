#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rooflab::chart {

/// Repetitions of one case as a strip of dots, in a row with those of other cases.
struct Spread {
  std::string label = {};
  std::vector<double> values = {};  ///< seconds in their order; at least one
  double median = 0.0;              ///< above 0
  std::optional<double> low = {};   ///< ends of the median's interval
  std::optional<double> high = {};
  std::string text = {};    ///< median for people
  std::string remark = {};  ///< next to the median; may be empty
};

/// A small curve in a line of text, from zero to its highest value.
struct Spark {
  std::string label = {};  ///< text after the curve: `core 87 %`
  std::vector<double> values = {};
};

}  // namespace rooflab::chart
