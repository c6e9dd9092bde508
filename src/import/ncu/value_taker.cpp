#include "value_taker.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/format.hpp"
#include "unit_table.hpp"

namespace rooflab::import::ncu {
namespace {

constexpr double most = 1e18;

template <class T>
void set_once(std::optional<T>& fact, double value) {
  if (!fact) fact = static_cast<T>(value);
}

/// A sum in a unit that does not scale has no fraction.
bool is_whole(std::string_view metric, std::string_view unit) {
  constexpr std::array<std::string_view, 10> units = {
      "byte", "inst", "ns", "nsecond", "cycle", "thread", "sector", "request", "block", "warp"};
  return metric.ends_with(".sum") && std::ranges::find(units, unit) != units.end();
}

}  // namespace

double ValueTaker::number(std::string_view text, bool whole) {
  const Reading reading = numbers_->read(text, whole);
  switch (reading.kind) {
    case Reading::Kind::absent:
      return missing_figure;
    case Reading::Kind::doubtful:
      facts_->lose("values that ncu marks as doubtful");
      break;
    case Reading::Kind::unreadable:
      facts_->lose("values that are not a number");
      break;
    case Reading::Kind::number:
      if (reading.value < 0.0) {
        facts_->lose("values below zero");
      } else if (reading.value > most) {
        facts_->lose("values over 1e18");
      } else {
        return reading.value;
      }
  }
  return missing_figure;
}

void ValueTaker::take(const MetricUse& use, std::optional<double> scale, std::string_view text,
                      std::string_view metric, std::string_view unit, LaunchFigures& figures) {
  if (use.role == Role::device_name) {
    if (facts_->device_name.empty()) facts_->device_name = trim(text);
    return;
  }
  double value = number(text, is_whole(metric, unit));
  if (!std::isnan(value) && !scale) {
    facts_->lose("values in a unit that is not known");
    if (facts_->unknown_unit.empty()) facts_->unknown_unit = format("{} in '{}'", metric, unit);
  }
  value = scale ? value * *scale : missing_figure;
  if (value > most) {
    facts_->lose("values over 1e18");
    value = missing_figure;
  }
  if (use.counter.dimension == record::MetricDimension::fraction && value > 1.0) {
    // Counters of one figure come from several passes, which differ in the last digits.
    constexpr double noise = 1.001;
    if (value > noise) facts_->lose("shares above 100 %");
    value = value > noise ? missing_figure : 1.0;
  }
  if (use.role != Role::counter) {
    if (!std::isnan(value)) take_fact(use, value, figures);
  } else if (!std::isnan(value)) {
    figures.add(use.counter, value);
    facts_->collected.set(static_cast<std::size_t>(use.counter.figure));
    if (use.counter.base.starts_with("ops_path_tensor_")) {
      facts_->tensor_collected.insert(use.counter.base);
    }
  } else {
    figures.miss(use.counter);
  }
}

void ValueTaker::take_named(std::string_view metric, std::string_view unit, std::string_view text,
                            LaunchFigures& figures) {
  std::optional<MetricUse> use = use_of_metric(metric);
  if (!use) use = use_of_label(metric, unit);
  if (!use) {
    facts_->pass_over(metric);
    return;
  }
  take(*use, unit_scale(unit, use->counter.dimension, use->counter.form), text, metric, unit,
       figures);
}

void ValueTaker::take_fact(const MetricUse& use, double value, LaunchFigures& figures) {
  switch (use.role) {
    case Role::cycles:
      figures.set_cycles(use.rank, value);
      break;
    case Role::device_memory:
      set_once(facts_->device_memory, value);
      break;
    case Role::multiprocessors:
      if (value < 1e6) set_once(facts_->multiprocessors, value);
      break;
    case Role::capability_major:
      if (value < 100) set_once(capability_major_, value);
      break;
    case Role::capability_minor:
      if (value < 10 && capability_major_ && !facts_->capability) {
        facts_->capability = {*capability_major_, static_cast<int>(value)};
      }
      break;
    default:
      break;
  }
}

}  // namespace rooflab::import::ncu
