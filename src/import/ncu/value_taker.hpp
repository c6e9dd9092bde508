#pragma once

#include <optional>
#include <string_view>

#include "launch_figures.hpp"
#include "log_facts.hpp"
#include "metric_use.hpp"
#include "number_reader.hpp"

namespace rooflab::import::ncu {

/// Puts printed values where they belong: figures to the launch, facts to the log. What cannot be
/// used is counted, and leaves its figure not collected: a unit that is not known, text that is not
/// a number, negative counters, counters over 10^18 (a GPU takes days for that number).
class ValueTaker {
 public:
  ValueTaker(NumberReader& numbers, LogFacts& facts) : numbers_(&numbers), facts_(&facts) {}

  /// `scale` as unit_scale() gives it; `metric` and `unit` for messages.
  void take(const MetricUse& use, std::optional<double> scale, std::string_view text,
            std::string_view metric, std::string_view unit, LaunchFigures& figures);

  /// The same by the name of the metric, or the label that its section gives it. One that is not
  /// needed is passed over.
  void take_named(std::string_view metric, std::string_view unit, std::string_view text,
                  LaunchFigures& figures);

 private:
  /// NaN: absent or lost.
  [[nodiscard]] double number(std::string_view text, bool whole = false);
  void take_fact(const MetricUse& use, double value, LaunchFigures& figures);

  NumberReader* numbers_;
  LogFacts* facts_;
  std::optional<int> capability_major_;
};

}  // namespace rooflab::import::ncu
