#include "unit_table.hpp"

#include <algorithm>
#include <array>

#include "rooflab/base/text.hpp"

namespace rooflab::import::ncu {
namespace {

using record::MetricDimension;
using record::MetricForm;
using enum MetricDimension;

struct Unit {
  std::string_view name;  ///< in lower case
  MetricDimension dimension;
  double scale;
};

// Prefixes are decimal: ncu's Kbyte has 1000 bytes.
constexpr auto units = std::to_array<Unit>({
    {"s", time, 1.0},
    {"sec", time, 1.0},
    {"second", time, 1.0},
    {"ms", time, 1e-3},
    {"msec", time, 1e-3},
    {"msecond", time, 1e-3},
    {"us", time, 1e-6},
    {"usec", time, 1e-6},
    {"usecond", time, 1e-6},
    {"\u00b5s", time, 1e-6},
    {"\u03bcs", time, 1e-6},
    {"ns", time, 1e-9},
    {"nsec", time, 1e-9},
    {"nsecond", time, 1e-9},
    {"b", bytes, 1.0},
    {"byte", bytes, 1.0},
    {"bytes", bytes, 1.0},
    {"kb", bytes, 1e3},
    {"kbyte", bytes, 1e3},
    {"mb", bytes, 1e6},
    {"mbyte", bytes, 1e6},
    {"gb", bytes, 1e9},
    {"gbyte", bytes, 1e9},
    {"tb", bytes, 1e12},
    {"tbyte", bytes, 1e12},
    {"pb", bytes, 1e15},
    {"pbyte", bytes, 1e15},
    {"", count, 1.0},
    {"inst", count, 1.0},
    {"instruction", count, 1.0},
    {"kinst", count, 1e3},
    {"minst", count, 1e6},
    {"ginst", count, 1e9},
    {"tinst", count, 1e12},
    {"op", count, 1.0},
    {"ops", count, 1.0},
    {"math_op", count, 1.0},
    {"kop", count, 1e3},
    {"mop", count, 1e6},
    {"gop", count, 1e9},
    {"top", count, 1e12},
    {"cycle", count, 1.0},
    {"kcycle", count, 1e3},
    {"mcycle", count, 1e6},
    {"gcycle", count, 1e9},
    {"register", count, 1.0},
    {"register/thread", count, 1.0},
    {"sm", count, 1.0},
    {"hz", frequency, 1.0},
    {"khz", frequency, 1e3},
    {"mhz", frequency, 1e6},
    {"ghz", frequency, 1e9},
    {"cycle/second", frequency, 1.0},
    {"cycle/s", frequency, 1.0},
    {"cycle/msecond", frequency, 1e3},
    {"cycle/ms", frequency, 1e3},
    {"cycle/usecond", frequency, 1e6},
    {"cycle/us", frequency, 1e6},
    {"cycle/nsecond", frequency, 1e9},
    {"cycle/ns", frequency, 1e9},
    {"%", fraction, 1e-2},
    {"pct", fraction, 1e-2},
});

std::optional<double> scale_of(std::string_view name, MetricDimension dimension) {
  const auto* const found = std::ranges::find_if(
      units, [&](const Unit& unit) { return unit.dimension == dimension && unit.name == name; });
  if (found == units.end()) return std::nullopt;
  return found->scale;
}

}  // namespace

std::optional<double> unit_scale(std::string_view unit, MetricDimension dimension,
                                 MetricForm form) {
  const std::string name = lowercase(trim(unit));
  const std::size_t slash = name.find('/');
  const std::string_view above = std::string_view(name).substr(0, slash);
  const std::string_view below =
      slash == std::string::npos ? std::string_view{} : std::string_view(name).substr(slash + 1);
  switch (form) {
    case MetricForm::total:
    case MetricForm::total_elsewhere:
      // Shared memory is printed a block.
      if (dimension == bytes && below == "block") return scale_of(above, dimension);
      return scale_of(name, dimension);
    case MetricForm::per_second: {
      const std::optional<double> amount = scale_of(above, dimension);
      const std::optional<double> seconds = scale_of(below, time);
      if (!amount || !seconds) return std::nullopt;
      return *amount / *seconds;
    }
    case MetricForm::per_cycle:
    case MetricForm::per_cycle_derived:
      // Weighted rates come with and without the `/cycle`.
      if (!below.empty() && below != "cycle") return std::nullopt;
      return scale_of(above, dimension);
  }
  return std::nullopt;
}

}  // namespace rooflab::import::ncu
