#pragma once

#include <optional>
#include <string_view>

#include "launch_figures.hpp"
#include "log_facts.hpp"
#include "metric_use.hpp"
#include "number_reader.hpp"

namespace rooflab::import::ncu {

/// Stores printed values: figures in the launch, facts in the log. Unusable values are counted, and
/// their figures are not collected: an unknown unit, text that is not a number, negative counters,
/// counters above 10^18 (a GPU needs days for that number).
class ValueTaker {
 public:
  ValueTaker(NumberReader& numbers, LogFacts& facts) : numbers_(&numbers), facts_(&facts) {}

  /// Takes a value. `scale`: see unit_scale(); `metric` and `unit` are for messages.
  void take(const MetricUse& use, std::optional<double> scale, std::string_view text,
            std::string_view metric, std::string_view unit, LaunchFigures& figures);

  /// Takes a value by the name of its metric, or the label in its section. Unneeded metrics are
  /// ignored.
  void take_named(std::string_view metric, std::string_view unit, std::string_view text,
                  LaunchFigures& figures);

 private:
  /// Reads a number; NaN: missing or lost.
  [[nodiscard]] double number(std::string_view text, bool whole = false);
  void take_fact(const MetricUse& use, double value, LaunchFigures& figures);

  NumberReader* numbers_;
  LogFacts* facts_;
  std::optional<int> capability_major_;
};

}  // namespace rooflab::import::ncu
